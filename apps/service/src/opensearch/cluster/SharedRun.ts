import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/**
 * Work that serves all requests which asked for it before it began, one run at a time. Simultaneous requests share the
 * next run, because each would repeat the same work.
 */
export class SharedRun<Key> {
  readonly #turn = Semaphore.makeUnsafe(1)
  #next: { readonly key: Key; readonly end: Deferred.Deferred<void> } | undefined

  /**
   * Completes with a run of the work of this key that begins after the call. Interrupting the caller does not stop the
   * run.
   */
  join(key: Key, work: Effect.Effect<void>): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.#next?.key === key) return Deferred.await(this.#next.end)
      const next = { key, end: Deferred.makeUnsafe<void>() }
      this.#next = next
      const begun = Effect.suspend(() => {
        if (this.#next === next) this.#next = undefined
        return work
      })
      return Effect.andThen(
        Effect.forkDetach(Deferred.into(this.#turn.withPermit(begun), next.end)),
        Deferred.await(next.end)
      )
    })
  }
}
