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
 * Reads the content of events for one round. After several failures of the service in a row, further calls return the
 * last failure without a request.
 */
export const makeContentReader = (events: Pick<Events["Service"], "get">) => {
  let outagesInRow = 0
  let lastOutage: Content | undefined
  return Effect.fnUntraced(function* (uid: string): Effect.fn.Return<Content> {
    if (lastOutage !== undefined && outagesInRow >= maxOutagesInRow) return lastOutage
    return yield* events.get(uid).pipe(
      Effect.map((event): Content => {
        outagesInRow = 0
        const { data } = event
        const size = JSON.stringify(revealWithin(data))?.length ?? 0
        return size <= maxContentSize
          ? { isFull: true, data, size }
          : { isFull: false, isFinal: true, reason: `the content has more than ${maxContentSize / 1_000_000} MB` }
      }),
      Effect.catch((error) =>
        Effect.sync((): Content => {
          const isOfService = isOutage(error)
          const failure: Content = {
            isFull: false,
            isFinal: !isOfService && error._tag !== "Unavailable",
            reason: failureText(error)
          }
          if (isOfService) lastOutage = failure
          outagesInRow = isOfService ? outagesInRow + 1 : 0
          return failure
        })
      )
    )
  })
}

const maxOutagesInRow = 3

/**
 * Whether other events are probably unreadable too, until the outage ends or the key is renewed. A 500 or 501 may
 * concern one event only. An answer without faults in its fields is not an event at all, such as a sign-in page.
 */
const isOutage = (error: ApiError): boolean => {
  switch (error._tag) {
    case "Unavailable":
      return error.status === undefined || error.status > 501
    case "UnexpectedResponse":
      return error.faults.length === 0
    default:
      return temporary.has(error._tag)
  }
}

const temporary: ReadonlySet<string> = new Set<ApiError["_tag"]>([
  "TimedOut",
  "RateLimited",
  "Unauthorized",
  "Forbidden"
])
