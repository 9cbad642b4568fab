import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Effect from "effect/Effect"
import type { RateLimited } from "@threat-exposure/core/domain/Failures"
import { quotaSpent, remainingHeader } from "./GlobalSearches.ts"

/** The headers of an answer that refuses for a limit: when to ask again, and of a spent quota what is left. */
export const limitHeaders = ({ code, retryAfter }: RateLimited): Record<string, string> => ({
  ...(retryAfter === undefined ? undefined : { "Retry-After": String(retryAfter) }),
  ...(code === quotaSpent ? { [remainingHeader]: "0" } : undefined)
})

/** Puts {@link limitHeaders} on the answer that this failure becomes. */
export const sayWhenToRetry = (failure: RateLimited) =>
  HttpEffect.appendPreResponseHandler((_request, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, limitHeaders(failure)))
  )
