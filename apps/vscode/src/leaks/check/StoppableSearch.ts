/** A search that keeps its results when it is cancelled. */
import { Deferred, Effect, Fiber } from "effect"
import { Cancelled, type Editor } from "../../editor/Editor.ts"

/** Shows progress; cancelling it stops the searches, and returns the results so far. */
export const stoppable = <A, E, R>(
  editor: Editor["Service"],
  title: string,
  search: (
    until: Effect.Effect<void>,
    say: (message: string, percent: number) => Effect.Effect<void>
  ) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | Cancelled, R> =>
  Effect.scoped(
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const enough = yield* Deferred.make<void>()
      const searching = yield* Deferred.make<Fiber.Fiber<A, E>>()
      const started = Effect.flatMap(Deferred.await(searching), Fiber.join)
      return yield* editor
        .progress(title, (say) =>
          search(Deferred.await(enough), say).pipe(
            Effect.forkIn(scope),
            Effect.flatMap((fiber) => Deferred.succeed(searching, fiber)),
            Effect.uninterruptible,
            Effect.andThen(started)
          )
        )
        .pipe(Effect.catchIf(Cancelled.is, () => Effect.andThen(Deferred.succeed(enough, undefined), started)))
    })
  )
