import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Effect from "effect/Effect"
import type { RateLimited } from "@threat-exposure/core/domain/Failures"
import { quotaSpent, remainingHeader } from "./GlobalSearches.ts"

/** The headers of a 429: when to retry, and the remaining quota if it is spent. */
export const limitHeaders = ({ code, retryAfter }: RateLimited): Record<string, string> => ({
  ...(retryAfter === undefined ? undefined : { "Retry-After": String(retryAfter) }),
  ...(code === quotaSpent ? { [remainingHeader]: "0" } : undefined)
})

/** Adds {@link limitHeaders} to the answer for this failure. */
export const sayWhenToRetry = (failure: RateLimited) =>
  HttpEffect.appendPreResponseHandler((_request, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, limitHeaders(failure)))
  )
