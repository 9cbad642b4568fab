import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import type { RateLimited } from "@threat-exposure/core/domain/Failures"

/** Puts the header `Retry-After` on the answer that this failure becomes. */
export const sayWhenToRetry = ({ retryAfter }: RateLimited) =>
  retryAfter === undefined
    ? Effect.void
    : HttpEffect.appendPreResponseHandler((_request, response) =>
        Effect.succeed(HttpServerResponse.setHeader(response, "Retry-After", String(retryAfter)))
      )
