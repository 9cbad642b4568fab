/** Commands that all views and pages share: retry, copy, reveal and mask. */
import { Effect, Layer, Option, Predicate } from "effect"
import { Commands, ofKind } from "./Commands.ts"
import { Editor } from "./Editor.ts"
import { Pages } from "./page/Pages.ts"
import { masking, Settings } from "./Settings.ts"
import { RowAction } from "./tree/Subject.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const commands = yield* Commands
    const editor = yield* Editor
    const pages = yield* Pages

    // The button of a page passes the path of the page.
    yield* commands.on("retry", ({ subjects, args: [path] }) => {
      const [action] = ofKind(subjects, RowAction)
      return action?.run ?? (Predicate.isString(path) ? pages.again(path) : Effect.void)
    })
    yield* commands.on("showLog", () => editor.showLog)

    const copy = (text: string) => (text === "" ? Effect.void : editor.copy(text))
    yield* commands.on("copyId", ({ subjects }) => copy(subjects.flatMap(({ copied }) => copied?.id ?? []).join("\n")))
    yield* commands.on("copyLink", ({ subjects }) =>
      copy(subjects.flatMap(({ copied }) => copied?.link ?? []).join("\n"))
    )
    yield* commands.on("copyJson", ({ subjects }) => {
      const values = subjects.flatMap(({ copied }) => copied?.json ?? [])
      return copy(values.length === 0 ? "" : JSON.stringify(values.length === 1 ? values[0] : values, undefined, 2))
    })

    const settings = yield* Settings
    yield* commands.on(
      "toggleMasking",
      Effect.fnUntraced(function* () {
        yield* settings.set(masking, !(yield* settings.get(masking)))
      })
    )

    const secretOf = ([kind, id, secret]: ReadonlyArray<unknown>) =>
      Predicate.isString(kind) && Predicate.isString(id) && Predicate.isNumber(secret)
        ? Option.some({ kind, id, secret })
        : Option.none()
    yield* commands.on("revealSecret", ({ args }) => pages.reveal(secretOf(args), true))
    yield* commands.on("hideSecret", ({ args }) => pages.reveal(secretOf(args), false))
  })
)
