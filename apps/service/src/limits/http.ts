/** The limits in the headers of an answer. See docs/api.md#limits-and-quota. */
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { RateLimited } from "@threat-exposure/core/domain/Failures"
import { quotaSpent } from "./Quota.ts"
import type { QuotaLeft } from "./SearchQuota.ts"

export const quotaHeaders = ({ batchReached, remaining }: QuotaLeft): Record<string, string> => ({
  [remainingHeader]: String(remaining),
  "X-Global-Searches-Batch-Reached": String(batchReached)
})

/** The headers of a 429: when to retry, and the remaining quota if it is spent. */
export const limitHeaders = ({ code, retryAfter }: RateLimited): Record<string, string> => ({
  ...(retryAfter === undefined ? undefined : { "Retry-After": String(retryAfter) }),
  ...(code === quotaSpent ? { [remainingHeader]: "0" } : undefined)
})

/** Adds headers to the answer of the request that is handled. */
export const addHeaders = (headers: Record<string, string>) =>
  HttpEffect.appendPreResponseHandler((_request, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, headers))
  )

const remainingHeader = "X-Global-Searches-Remaining"
