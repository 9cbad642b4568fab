import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Caller } from "@threat-exposure/core/api/Access"
import { Api } from "@threat-exposure/core/api/Api"
import { CredentialSearch } from "@threat-exposure/core/domain/Credential"
import { addHeaders, limitHeaders, quotaHeaders } from "../limits/http.ts"
import { CurrentRequest, RequestLog } from "../observability/RequestLog.ts"
import { bodyDecoder } from "../requests/JsonBody.ts"
import { refuseCursor } from "../requests/ValidationFaults.ts"
import { Credentials } from "./Credentials.ts"

/**
 * See docs/api.md#search-credentials. A raw handler: the store writes the JSON of a page, and the fast path passes the same
 * bytes.
 */
export const CredentialHandlers = HttpApiBuilder.group(
  Api,
  "credentials",
  Effect.fnUntraced(function* (handlers) {
    const log = yield* RequestLog
    const search = yield* searchCredentials
    return handlers.handleRaw(
      "search",
      Effect.fnUntraced(
        function* ({ request }) {
          const { tenantId } = yield* Caller
          const { json, quota } = yield* search(tenantId, yield* Effect.orDie(request.arrayBuffer))
          const options = { headers: quotaHeaders(quota), contentType: "application/json" }
          if (Stream.isStream(json)) {
            return HttpServerResponse.stream(log.followBody(yield* CurrentRequest, json), options)
          }
          return typeof json === "string"
            ? HttpServerResponse.text(json, options)
            : HttpServerResponse.uint8Array(json, options)
        },
        Effect.tapErrorTag("RateLimited", (failure) => addHeaders(limitHeaders(failure)))
      )
    )
  })
)

/** Answers the bytes of a request body, for the router and the fast path. */
export const searchCredentials = Effect.map(
  Credentials,
  ({ search }) =>
    (tenantId: number, body: ArrayBuffer | Uint8Array) =>
      Effect.fromResult(decodeBody(body)).pipe(
        Effect.flatMapEager((decoded) => search(tenantId, decoded)),
        Effect.catchEager((failure) =>
          failure._tag === "CursorInvalid" ? refuseCursor("body")() : Effect.fail(failure)
        )
      )
)

const decodeBody = bodyDecoder(CredentialSearch)
