import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Caller } from "@threat-exposure/core/api/Access"
import { Api } from "@threat-exposure/core/api/Api"
import { sayWhenToRetry } from "../limits/RetryAfter.ts"
import { CredentialSearches, isLong } from "./CredentialSearches.ts"

/** See docs/api.md#search-credentials. The handler decodes the body itself: see {@link CredentialSearches}. */
export const CredentialHandlers = HttpApiBuilder.group(
  Api,
  "credentials",
  Effect.fnUntraced(function* (handlers) {
    const searches = yield* CredentialSearches
    return handlers.handleRaw(
      "search",
      Effect.fnUntraced(function* ({ request }) {
        const body = yield* Effect.orDie(request.text)
        const answer = searches.answer(yield* Caller, body, yield* Clock.currentTimeMillis)
        if (answer instanceof Error) {
          if (answer._tag === "RateLimited") yield* sayWhenToRetry(answer)
          return yield* answer
        }
        const { headers, json } = isLong(answer) ? yield* Effect.promise(() => searches.long(answer)) : answer
        return typeof json === "string"
          ? HttpServerResponse.text(json, { headers, contentType: "application/json" })
          : HttpServerResponse.uint8Array(json, { headers, contentType: "application/json" })
      })
    )
  })
)
