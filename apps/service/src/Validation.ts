/** Answers a request of invalid shape with one 422 that names every fault in path, query and body. */
import { isUtf8 } from "node:buffer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiError from "effect/http-api/HttpApiError"
import { Validation } from "@threat-exposure/core/api/Access"
import type { ValidationFault } from "@threat-exposure/core/domain/ErrorBody"
import { ValidationFailed } from "@threat-exposure/core/domain/Failures"
import { CurrentVault } from "./crypto/CurrentVault.ts"
import { queryStringFaults } from "./events/http.ts"
import { isTooDeep } from "./requests/JsonDepth.ts"
import { bodyTooLarge, refusalBody } from "./requests/Refusal.ts"
import { faultsOf, invalidJson, type RequestPart, tooDeep, wrongContentType } from "./requests/ValidationFaults.ts"
import { Settings } from "./Settings.ts"

export const ValidationLayer = Layer.effect(
  Validation,
  Effect.gen(function* () {
    const { maximumBody } = yield* Settings
    const current = yield* CurrentVault
    return Validation.of((httpEffect, { endpoint, group }) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        if (endpoint.payload.size > 0) {
          if (Number(request.headers["content-length"] ?? 0) > maximumBody) {
            return HttpServerResponse.text(refusalBody(request.url, "PAYLOAD_TOO_LARGE", bodyTooLarge(maximumBody)), {
              status: 413,
              contentType: "application/json",
              headers: { Connection: "close" }
            })
          }
          if (!isJson(request.headers["content-type"])) {
            return yield* new ValidationFailed({ detail: [wrongContentType] })
          }
          // JSON in another encoding, or compressed, would be decoded to other characters than were meant.
          if (!isUtf8(yield* Effect.orDie(request.arrayBuffer))) {
            return yield* new ValidationFailed({ detail: [invalidJson] })
          }
          if (isTooDeep(yield* Effect.orDie(request.text))) return yield* new ValidationFailed({ detail: [tooDeep] })
        }
        return yield* Effect.catchIf(httpEffect, isRequestFault, () =>
          Effect.flatMap(
            everyFault(endpoint, request, (body) =>
              group.identifier === "events" ? queryStringFaults(current.vault, body) : []
            ),
            (detail) => Effect.fail(new ValidationFailed({ detail }))
          )
        )
      })
    )
  })
)

/** `Body` and `ResponseHeaders` concern the answer: a defect of the service, not a fault of the request. */
const isRequestFault = (failure: unknown): boolean =>
  HttpApiError.HttpApiSchemaError.is(failure) && failure.kind !== "Body" && failure.kind !== "ResponseHeaders"

/** A request without a content type is treated as JSON. */
const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined || /^application\/(?:[\w.+-]+\+)?json(?:$|[ ;])/i.test(contentType)

/** The router stops at the first invalid part of a request, so decode each part again. */
const everyFault = (
  endpoint: HttpApiEndpoint.Top,
  request: HttpServerRequest.HttpServerRequest,
  faultsBeyondSchema: (body: unknown) => ReadonlyArray<ValidationFault>
) =>
  Effect.gen(function* () {
    const { params } = yield* HttpRouter.RouteContext
    const query = yield* HttpServerRequest.ParsedSearchParams
    const faults: Array<ValidationFault> = []
    const look = (part: RequestPart, schema: Schema.Top | undefined, input: unknown): void => {
      if (schema === undefined) return
      // The contract's schemas need no services.
      const decode = Schema.decodeUnknownResult(Schema.make<Schema.Codec<unknown>>(schema.ast), { errors: "all" })
      const result = decode(input)
      if (Result.isFailure(result)) faults.push(...faultsOf(part, result.failure.issue, input))
    }
    look("path", endpoint.params, params)
    look("query", endpoint.query === undefined ? undefined : Schema.toCodecArrayFromSingle(endpoint.query), query)
    const [payload] = endpoint.payload.values()
    if (payload !== undefined) {
      const text = yield* Effect.orDie(request.text)
      const json = parsed(text)
      if (json === undefined) faults.push(invalidJson)
      else {
        look("body", Schema.Union(payload.schemas), json.value)
        faults.push(...faultsBeyondSchema(json.value))
      }
    }
    return faults
  })

const parsed = (text: string): { readonly value: unknown } | undefined => {
  if (text === "") return { value: undefined }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
