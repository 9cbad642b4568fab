/** Limits the searches of one session of an agent. */
import { ApiClient } from "@threat-exposure/core/client/ApiClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { ToolFailed } from "./Answer.ts"

/**
 * Receives the number of searches left, and returns its result and the number of searches that it made. Reports with
 * `onSent` how many it may have sent so far: these count if it fails or is cancelled.
 */
type Work<A, E, R> = (
  left: number,
  onSent: (searches: number) => void
) => Effect.Effect<readonly [result: A, searches: number], E, R>

export class SearchBudget extends Context.Service<
  SearchBudget,
  {
    /** Runs work that costs searches; calls run one at a time. Fails if fewer than `least` searches are left. */
    readonly spend: <A, E, R>(least: number, work: Work<A, E, R>) => Effect.Effect<A, E | ToolFailed, R>
    /**
     * Members of an answer: the searches of the call, and what is left of the session's limit or the last known quota.
     */
    readonly after: (
      searches: number
    ) => Effect.Effect<{ readonly searches_used: number; readonly searches_remaining: number }>
  }
>()("@threat-exposure/cli/mcp/SearchBudget") {
  static readonly layer = (maxSearches: number) =>
    Layer.effect(
      SearchBudget,
      Effect.gen(function* () {
        const { quota } = yield* ApiClient
        const exclusive = yield* Semaphore.make(1)
        let left = maxSearches
        return SearchBudget.of({
          spend: <A, E, R>(least: number, work: Work<A, E, R>) =>
            exclusive.withPermits(1)(
              Effect.gen(function* () {
                if (left < least) {
                  return yield* new ToolFailed({
                    reason: `The limit of ${maxSearches} searches of this session is used up: ask the person to start the server again, with a higher --max-searches if needed`
                  })
                }
                let sent = least
                const onSent = (searches: number) => {
                  sent = Math.max(sent, searches)
                }
                const [result, searches] = yield* Effect.onError(work(left, onSent), () =>
                  Effect.sync(() => (left -= sent))
                )
                left -= searches
                return result
              })
            ),
          after: (searches) =>
            Effect.map(quota, ({ searchesRemaining = left }) => ({
              searches_used: searches,
              searches_remaining: Math.min(left, searchesRemaining)
            }))
        })
      })
    )
}
