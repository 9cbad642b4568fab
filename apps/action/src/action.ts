/** The whole action, on top of the machine's services: `main.ts` runs it with those of Node. */
import { withoutOperation } from "@threat-exposure/leak-check/search/FailureText"
import { Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { type Annotation, GitHub } from "./GitHub.ts"
import { layer as http } from "./RunnerHttp.ts"
import { step } from "./Step.ts"

/** The step failed, and the reason is already logged. */
export class StepFailed extends Schema.TaggedError<StepFailed>()("StepFailed", {}) {
  override get message() {
    return "The step failed"
  }
}

/** Runs the step, and logs why it failed. */
export const action = Effect.gen(function* () {
  const { annotate } = yield* GitHub
  const fail = (...errors: ReadonlyArray<Omit<Annotation, "level">>) =>
    Effect.andThen(
      Effect.forEach(errors, (error) => annotate({ ...error, level: "error" }), { discard: true }),
      new StepFailed()
    )
  const cancelled = yield* Deferred.make<void>()
  const running = step(Deferred.await(cancelled)).pipe(
    Effect.catchTags({
      SettingsRefused: ({ faults }) =>
        fail(
          ...faults.map(({ file, line, message }) => ({
            message,
            location: file === undefined || line === undefined ? undefined : { path: file, line }
          }))
        ),
      YamlInvalid: ({ faults, file }) =>
        fail(
          ...faults.map(({ line, message }) => ({
            message: `${file}, line ${line}: ${message}`,
            location: { path: file, line }
          }))
        ),
      PayloadUnreadable: ({ message }) => fail({ message }),
      RequestInvalid: (error) => fail({ message: withoutOperation(error) }),
      FileUnwritable: ({ message }) => fail({ message }),
      OutputsUnwritable: ({ message }) => fail({ message })
    }),
    Effect.catchDefect((defect) => fail({ message: `The action failed because of a bug in it. ${placeOf(defect)}` }))
  )
  const fiber = yield* Effect.forkDetach(running)
  // A cancelled run still gets a few seconds: report what was found so far and save the cache.
  const failure = yield* Fiber.join(fiber).pipe(
    Effect.onInterrupt(() => Effect.andThen(Deferred.succeed(cancelled, undefined), Fiber.await(fiber)))
  )
  if (failure !== undefined) return yield* new StepFailed()
}).pipe(Effect.provide(Layer.provide(GitHub.layer, http)))

/** Only the position of a defect, because its message may contain content of a file. */
const placeOf = (defect: unknown) => {
  const frames = defect instanceof Error ? (defect.stack ?? "").split("\n") : []
  const kind = defect instanceof Error ? defect.name : typeof defect
  return [kind, ...frames.filter((frame) => /^\s+at /u.test(frame)).slice(0, 5)].join("\n")
}
