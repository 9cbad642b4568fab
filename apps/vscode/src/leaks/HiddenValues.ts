/**
 * Hides leaked values in files for screen sharing: while masking is on, or after a command. Lines with a cursor show
 * their values.
 */
import { Effect, Layer, Stream } from "effect"
import { Commands } from "../editor/Commands.ts"
import { Editor } from "../editor/Editor.ts"
import { masking, Settings } from "../editor/Settings.ts"
import { LeakChecks } from "./check/LeakChecks.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const settings = yield* Settings
    const checks = yield* LeakChecks
    const hideSpans = yield* editor.hideSpans
    /** Choice of the last command; undefined if the setting applies. */
    let chosen: boolean | undefined

    const draw = Effect.gen(function* () {
      const isHidden = chosen ?? (yield* settings.get(masking))
      yield* editor.setContext("leaks.valuesHidden", isHidden)
      yield* hideSpans(
        new Map(
          isHidden
            ? Array.from(checks.occurrences(), ([uri, occurrences]) => [
                uri,
                occurrences.filter(({ isPresent }) => isPresent).map(({ span }) => span)
              ])
            : []
        )
      )
    })
    const choose = (isHidden: boolean | undefined) =>
      Effect.suspend(() => {
        chosen = isHidden
        return draw
      })

    yield* commands.on("leaks.hideValues", () => choose(true))
    yield* commands.on("leaks.revealValues", () => choose(false))
    yield* checks.changes.pipe(
      Stream.runForEach(() => draw),
      Effect.forkScoped({ startImmediately: true })
    )
    yield* draw
    yield* settings.changesOf(masking).pipe(
      Stream.runForEach(() => choose(undefined)),
      Effect.forkScoped
    )
  })
)
