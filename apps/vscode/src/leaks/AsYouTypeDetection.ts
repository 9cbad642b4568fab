/** Marks possible secrets as the person types. Runs locally and searches nothing. */
import { Effect, Layer, Redacted, Stream } from "effect"
import { Editor, type Fix, type OpenText } from "../editor/Editor.ts"
import { t } from "../words/Localisation.ts"
import { Settings } from "../editor/Settings.ts"
import { LeakChecks } from "./check/LeakChecks.ts"
import { ofFile } from "./check/Scans.ts"
import { Detection } from "../detection/Detection.ts"
import { allowingLine } from "./AllowComment.ts"
import { referenceTo } from "./closing/EnvReference.ts"
import { overlaps, sameSpan } from "./LeakOccurrence.ts"
import { type TypedSecret, TypedSecrets } from "./TypedSecrets.ts"
import { Lines, spanOf } from "../detection/Lines.ts"
import { nameOfKind } from "./LeakFinding.ts"
import * as leakSettings from "./check/LeakSettings.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const settings = yield* Settings
    const checks = yield* LeakChecks
    const detection = yield* Detection

    const typing = yield* editor.findings("typing")
    const found = yield* TypedSecrets
    /** Shows findings without those for which a check has found a leak, whose diagnostics say more. */
    const show = Effect.fnUntraced(function* (uri: string) {
      const leaks = (checks.occurrences().get(uri) ?? []).filter(({ isPresent }) => isPresent)
      const marked = found.of(uri).filter(({ span }) => !leaks.some((leak) => sameSpan(leak.span, span)))
      yield* typing.set(
        uri,
        marked.map(({ finding }) => finding)
      )
    })
    yield* checks.changes.pipe(
      Stream.runForEach(() => Effect.forEach(found.files(), show, { discard: true })),
      Effect.forkScoped({ startImmediately: true })
    )
    const mark = Effect.fnUntraced(function* (open: OpenText) {
      const { path, text, uri } = open
      const rules = yield* checks.rulesOf(uri)
      const detector = yield* detection.load
      const { candidates } = text.length < maxTypedLength ? ofFile(detector, open, rules) : { candidates: [] }
      const lines = new Lines(text)
      found.set(
        uri,
        candidates.map(({ kind, location, rule, value }): TypedSecret => {
          const span = spanOf(location)
          const { column, line } = location
          const message = t(
            "This looks like a secret ({0}). Check the file to learn whether it has leaked.",
            detector.providerOfRule(rule)?.name ?? nameOfKind(kind)
          )
          return {
            place: { uri, path, line, column },
            value,
            written: Redacted.make(lines.text(span)),
            span,
            isPresent: true,
            finding: { uri, span, message, severity: "information", code: rule }
          }
        })
      )
      yield* show(uri)
    })
    const forget = (uri: string) =>
      Effect.andThen(
        Effect.sync(() => found.set(uri, [])),
        typing.set(uri, [])
      )
    yield* editor.onFindings({
      hover: () => Effect.succeed([]),
      fixes: (uri, span, languageId) =>
        Effect.map(checks.folderOf(uri), (folder) =>
          found
            .of(uri)
            .filter((secret) => overlaps(secret.span, span))
            .flatMap((secret) => fixesOf(secret, languageId, folder !== undefined))
        )
    })

    const typed = Stream.merge(
      Stream.map(editor.typed, (open) => ({ uri: open.uri, open })),
      Stream.map(editor.closed, (uri) => ({ uri, open: undefined }))
    ).pipe(
      Stream.groupByKey(({ uri }) => uri),
      Stream.flatMap(([, changes]) => Stream.debounce(changes, "400 millis"), { concurrency: "unbounded" }),
      Stream.mapEffect(({ uri, open }) => (open === undefined ? forget(uri) : mark(open)))
    )
    yield* Stream.concat(Stream.make(undefined), settings.changesOf(leakSettings.asYouType)).pipe(
      Stream.mapEffect(() => settings.get(leakSettings.asYouType)),
      Stream.changes,
      Stream.switchMap((isOn) =>
        isOn
          ? typed
          : Stream.fromEffect(
              Effect.andThen(
                typing.clear,
                Effect.sync(() => found.clear())
              )
            )
      ),
      Stream.runDrain,
      Effect.forkScoped
    )
  })
)

const fixesOf = (
  { place: { column, line, uri } }: TypedSecret,
  languageId: string,
  isInFolder: boolean
): ReadonlyArray<Fix> => [
  {
    title: t("Check this file for leaks"),
    command: { name: "checkFile", title: t("Check this file for leaks"), args: [uri] },
    preferred: true
  },
  ...(isInFolder && referenceTo("X", { uri, languageId }) !== undefined
    ? [
        {
          title: t("Move to .env and reference it"),
          command: { name: "leaks.moveToEnv" as const, title: t("Move to .env"), args: [uri, line, column] }
        }
      ]
    : []),
  ...(allowingLine(languageId, "", "") === undefined
    ? []
    : [
        {
          title: t("Ignore with a comment…"),
          command: { name: "leaks.allow" as const, title: t("Ignore with a comment…"), args: [uri, line, column] }
        }
      ])
]

/** Maximum length in UTF-16 units: longer files are not scanned while the person types. */
const maxTypedLength = 500_000
