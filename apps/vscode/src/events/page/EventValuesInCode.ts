/** Searches the open folders for the secrets of an event. Sends nothing. */
import { Effect, Result } from "effect"
import { type Cancelled, Editor } from "../../editor/Editor.ts"
import { type Failure, NotPossible } from "../../editor/Problem.ts"
import { count, number, t } from "../../words/Localisation.ts"
import type { Detector } from "../../detection/Detector.ts"
import { Lines } from "../../detection/Lines.ts"
import { type EventDocument, secretsOf } from "./EventDocument.ts"

/** Minimum length of a value: shorter ones occur in many files by chance. */
const minLength = 6
/** Maximum number of files per folder, and of places shown. */
const maxFiles = 5000
const maxPlaces = 200

/** The distinct values that the event's page hides. */
export const valuesOf = (event: EventDocument): ReadonlyArray<string> => [
  ...new Set(
    secretsOf(event)
      .flatMap(({ text, secrets }) => secrets.map(({ start, end }) => text.slice(start, end)))
      .filter((value) => value.length >= minLength)
  )
]

export const checkValues = Effect.fnUntraced(function* (
  event: EventDocument,
  { decode, filesBelow, isBinary, skipByPath }: Detector
): Effect.fn.Return<void, Failure | Cancelled, Editor> {
  const editor = yield* Editor
  const values = valuesOf(event)
  if (values.length === 0)
    return yield* Effect.asVoid(
      Effect.forkDetach(
        editor.notify("info", t("This event contains no secret of at least {0} characters to look for.", minLength))
      )
    )
  const folders = yield* editor.folders
  if (folders.length === 0) return yield* new NotPossible({ message: t("Open a folder to look for these values in.") })

  let read = 0
  let isFolderCut = false
  const places = yield* editor.progress(t("Looking for the values of this event"), (report) =>
    Effect.gen(function* () {
      const found: Array<{ readonly uri: string; readonly path: string; readonly at: Place }> = []
      for (const folder of folders) {
        const files = yield* filesBelow(folder.uri, { limit: maxFiles + 1, skip: () => {} })
        isFolderCut ||= files.length > maxFiles
        for (const file of files.slice(0, maxFiles)) {
          if (found.length > maxPlaces) return found
          if (skipByPath(file.path) !== undefined) continue
          const bytes = yield* Effect.result(editor.readBelow(file.folder, file.name))
          if (Result.isFailure(bytes) || isBinary(bytes.success)) continue
          if (++read % 100 === 0) yield* report(count(read, "{0} file read", "{0} files read"))
          const uri = editor.join(file.folder, file.name)
          for (const at of placesOf(decode(bytes.success), values)) found.push({ uri, path: file.path, at })
        }
      }
      return found
    })
  )
  const unread = isFolderCut
    ? [t("The folder has more than {0} files, and the rest was not read.", number(maxFiles))]
    : []
  const searched = count(values.length, "{0} value", "{0} values")
  const files = count(read, "{0} file read", "{0} files read")
  if (places.length === 0) {
    yield* Effect.forkDetach(
      editor.notify(
        "info",
        [t("Not found in your code: {0} of this event ({1}).", searched, files), ...unread].join(" ")
      )
    )
    return
  }
  const { uri, at } = yield* editor.pick(
    places.slice(0, maxPlaces).map((place) => ({
      label: `${place.path}:${place.at.start.line + 1}`,
      icon: "key",
      value: place
    })),
    {
      title: t("Values of This Event in Your Code"),
      placeholder: [
        t("Found in these places; select one to open it"),
        ...(places.length > maxPlaces ? [t("Only the first {0} are shown.", maxPlaces)] : []),
        ...unread
      ].join(" · ")
    }
  )
  yield* editor.openText(uri, at)
})

type Place = ReturnType<Lines["span"]>

const placesOf = (text: string, values: ReadonlyArray<string>): ReadonlyArray<Place> => {
  const found = values.filter((value) => text.includes(value))
  if (found.length === 0) return []
  const lines = new Lines(text)
  return found.flatMap((value) => {
    const places: Array<Place> = []
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) {
      places.push(lines.span(at, value.length))
    }
    return places
  })
}
