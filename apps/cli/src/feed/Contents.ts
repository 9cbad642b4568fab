/** Reads the full content of events. */
import type { ApiError } from "@threat-exposure/core/client/ApiError"
import type { Events } from "@threat-exposure/core/client/Events"
import { failureText } from "@threat-exposure/leak-check/search/FailureText"
import { revealWithin } from "@threat-exposure/core/domain/Secret"
import * as Effect from "effect/Effect"
import type { Content } from "./Found.ts"

/** Concurrent requests: as many as deployed services allow per second for this kind of request. */
export const contentConcurrency = 4

/** Maximum length of an event's content as JSON, in characters. Larger contents remain readable at the service. */
export const maxContentSize = 1_000_000

/**
 * Reads the content of events for one round. After several failures in a row, further calls return the last failure
 * without a request.
 */
export const makeContentReader = (events: Pick<Events["Service"], "get">) => {
  let failuresInRow = 0
  let lastFailure: Content | undefined
  return Effect.fnUntraced(function* (uid: string): Effect.fn.Return<Content> {
    if (lastFailure !== undefined && failuresInRow >= maxFailuresInRow) return lastFailure
    return yield* events.get(uid).pipe(
      Effect.map((event): Content => {
        failuresInRow = 0
        const { data } = event
        const size = JSON.stringify(revealWithin(data))?.length ?? 0
        return size <= maxContentSize
          ? { isFull: true, data, size }
          : { isFull: false, isFinal: true, reason: `the content has more than ${maxContentSize / 1_000_000} MB` }
      }),
      Effect.catch((error) =>
        Effect.sync((): Content => {
          const isFinal = !isTemporary(error)
          const failure: Content = { isFull: false, isFinal, reason: failureText(error) }
          if (isFinal) return failure
          failuresInRow += 1
          lastFailure = failure
          return failure
        })
      )
    )
  })
}

const maxFailuresInRow = 3

/** Whether a later attempt may succeed: an outage ends, and a key can be renewed or get the permission. */
const isTemporary = ({ _tag }: ApiError): boolean =>
  _tag === "Unavailable" || _tag === "RateLimited" || _tag === "Unauthorized" || _tag === "Forbidden"
