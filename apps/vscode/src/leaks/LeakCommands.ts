/** Commands on a leak: go to it, ignore it, copy the steps to rotate it. */
import { Effect, Layer, Predicate } from "effect"
import type { Connections } from "../connection/Connections.ts"
import type { Profiles } from "../connection/Profiles.ts"
import { Commands, ofKind } from "../editor/Commands.ts"
import { Editor, type Position } from "../editor/Editor.ts"
import { NotPossible } from "../editor/Problem.ts"
import { filled } from "../editor/form/Validation.ts"
import type { EventCache } from "../events/EventCache.ts"
import { t } from "../words/Localisation.ts"
import { Lines } from "../detection/Lines.ts"
import { allowingLine } from "./AllowComment.ts"
import { LeakChecks } from "./check/LeakChecks.ts"
import { LeakEngine } from "./check/LeakEngine.ts"
import { nameOfEvent } from "./LeakFinding.ts"
import { followEdit } from "./LeakOccurrence.ts"
import { LeakSubject } from "./LeakTree.ts"
import { TypedSecrets } from "./TypedSecrets.ts"

const closing = Effect.promise(() => import("./closing/LeakClosing.ts"))

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const checks = yield* LeakChecks
    const typed = yield* TypedSecrets
    const { load } = yield* LeakEngine

    yield* commands.on("leaks.goTo", ({ args: [uri, line, column, commit] }) => {
      if (!Predicate.isString(uri) || !Predicate.isNumber(line) || !Predicate.isNumber(column)) return Effect.void
      const at: Position = { line: line - 1, character: column - 1 }
      if (Predicate.isString(commit)) return editor.openCommitted(uri, commit, { start: at, end: at })
      return editor.openText(uri, checks.occurrenceAt(uri, line, column)?.span ?? { start: at, end: at })
    })

    const context = yield* Effect.context<Connections | Editor | EventCache | LeakChecks | Profiles>()
    const scope = yield* Effect.scope
    yield* commands.on("leaks.ignore", (call) =>
      Effect.flatMap(closing, ({ ignoreLeak }) => Effect.provideContext(ignoreLeak(call), context))
    )
    yield* commands.on("leaks.close", (call) =>
      Effect.flatMap(closing, ({ closeLeak }) => Effect.provideContext(closeLeak(call, scope), context))
    )

    yield* commands.on(
      "leaks.allow",
      Effect.fnUntraced(function* ({ args: [uri, line, column] }) {
        const secret = typed.at(uri, line, column)
        if (secret === undefined) return
        const reason = yield* editor.ask({
          title: t("Ignore with a Comment"),
          prompt: t("Why can it be ignored? Others read this in the comment."),
          check: filled
        })
        const { languageId, text } = yield* editor.textOf(secret.place.uri)
        const lines = new Lines(text)
        const now = followEdit(secret, lines)
        if (!now.isPresent) return yield* new NotPossible({ message: t("The value is no longer in the file.") })
        const start = { line: now.span.start.line, character: 0 }
        const [indentation = ""] = /^\s*/u.exec(lines.line(start.line)) ?? []
        const comment = allowingLine(languageId, indentation, reason)
        if (comment === undefined) return
        yield* editor.applyEdits([{ uri: secret.place.uri, span: { start, end: start }, text: comment }])
      })
    )

    yield* commands.on(
      "leaks.openEvent",
      Effect.fnUntraced(function* ({ subjects }) {
        const events = ofKind(subjects, LeakSubject)[0]?.finding.leak.events ?? []
        const [only] = events
        if (only === undefined) return
        const uid =
          events.length === 1
            ? only.uid
            : yield* editor.pick(
                events.map((event) => ({ label: nameOfEvent(event), value: event.uid })),
                { title: t("Open Event") }
              )
        yield* editor.execute("threatExposure.events.openPage", uid)
      })
    )

    yield* commands.on("leaks.copyFingerprint", ({ subjects, args: [given] }) => {
      const rows = ofKind(subjects, LeakSubject).map(({ finding }) => finding.leak.fingerprint)
      const fingerprint = rows.length > 0 ? rows.join("\n") : given
      return Predicate.isString(fingerprint) ? editor.copy(fingerprint) : Effect.void
    })

    yield* commands.on(
      "leaks.copySteps",
      Effect.fnUntraced(function* ({ subjects, args: [given] }) {
        const row = ofKind(subjects, LeakSubject)[0]?.finding ?? checks.finding(given)
        if (row === undefined) return
        const { adviceFor } = yield* load
        yield* editor.copy(
          adviceFor(row.leak)
            .map((step, index) => `${index + 1}. ${step.map((sentence) => t(sentence)).join(" ")}`)
            .join("\n")
        )
        yield* Effect.forkDetach(editor.notify("info", t("Steps copied to the clipboard.")))
      })
    )
  })
)
