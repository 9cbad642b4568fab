/** A route for each operation of the contract: access, then the request decoded, then its handler, then the answer encoded. */
import "effect/schema/SchemaJITCompiler/enable"
import { isUtf8 } from "node:buffer"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { contract, type Endpoint } from "@threat-exposure/core/api/Endpoints"
import { type ValidationFault, versionOf } from "@threat-exposure/core/domain/ErrorBody"
import { encodeFailure, type Failure, ValidationFailed } from "@threat-exposure/core/domain/Failures"
import { Authorization, bearerToken } from "./access/Authorization.ts"
import { CurrentVault } from "./crypto/CurrentVault.ts"
import { queryStringFaults } from "./events/SearchFaults.ts"
import { makeHandlers } from "./Handlers.ts"
import type { ApiKey } from "./keys/ApiKeys.ts"
import { limitHeaders } from "./limits/http.ts"
import { CurrentRequest } from "./observability/RequestLog.ts"
import { isTooDeep } from "./requests/JsonDepth.ts"
import { bodyTooLarge, refusalBody } from "./requests/Refusal.ts"
import { faultsOf, invalidJson, type RequestPart, tooDeep, wrongContentType } from "./requests/ValidationFaults.ts"
import { Settings } from "./Settings.ts"

export const OperationRoutes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { authorize } = yield* Authorization
    const { maximumBody, pathPrefix } = yield* Settings
    const current = yield* CurrentVault
    const prefixed = router.prefixed(`/${pathPrefix}`)

    const add = (endpoint: Endpoint, handle: Handler) => {
      const decode = requestDecoder(endpoint, (body) =>
        endpoint.operation.startsWith("events.") ? queryStringFaults(current.vault, body) : []
      )
      const encode = answerEncoder(endpoint)
      const answer = Effect.fnUntraced(
        function* (request: HttpServerRequest.HttpServerRequest) {
          const token = bearerToken(request.headers["authorization"])
          const caller = yield* authorize(endpoint, token, yield* CurrentRequest)
          if (endpoint.payload !== undefined && Number(request.headers["content-length"] ?? 0) > maximumBody) {
            return HttpServerResponse.text(refusalBody(request.url, "PAYLOAD_TOO_LARGE", bodyTooLarge(maximumBody)), {
              status: 413,
              contentType: "application/json",
              headers: { Connection: "close" }
            })
          }
          const result = yield* handle(yield* decode(request), caller)
          return HttpServerResponse.isHttpServerResponse(result) ? result : yield* encode(result)
        },
        Effect.catch(refuse(endpoint))
      )
      return prefixed.add(endpoint.method, endpoint.path, answer)
    }

    const handlers: UntypedHandlers = yield* makeHandlers
    for (const [group, endpoints] of Object.entries(contract)) {
      for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
        const handle = handlers[group]?.[name]
        if (handle !== undefined) yield* add(endpoint, handle)
      }
    }
  })
)

/** A method, so that handlers of any request are assignable: the decoder of the endpoint gives each its own. */
type Handler = { handle(request: unknown, caller: ApiKey): Effect.Effect<unknown, Failure> }["handle"]

interface UntypedHandlers {
  readonly [group: string]: { readonly [name: string]: Handler }
}

const refuse =
  ({ path }: Endpoint) =>
  (failure: Failure) => {
    const { body, status } = encodeFailure(failure, versionOf(path))
    const headers = failure._tag === "RateLimited" ? limitHeaders(failure) : {}
    return Effect.succeed(HttpServerResponse.jsonUnsafe(body, { status, headers }))
  }

/** Encodes what the contract promises; a handler that returns anything else is a defect. */
const answerEncoder = ({ success }: Endpoint) => {
  if (SchemaAST.isVoid(success.ast)) return () => Effect.succeed(HttpServerResponse.empty({ status: 200 }))
  const encode = Schema.encodeUnknownEffect(Schema.toCodecJson(success))
  return (result: unknown) => Effect.map(Effect.orDie(encode(result)), (body) => HttpServerResponse.jsonUnsafe(body))
}

/**
 * Decodes path, query and body. Fails with a 422 that names every fault in any of them, with those that the schemas do not
 * see beside them.
 */
const requestDecoder = (
  { params, payload, query }: Endpoint,
  faultsBeyondSchema: (body: unknown) => ReadonlyArray<ValidationFault>
) => {
  const decodeParams = partDecoder("path", params === undefined ? undefined : Schema.Struct(params))
  const queryFields = query === undefined || Schema.isSchema(query) ? query : Schema.Struct(query)
  const decodeQuery = partDecoder(
    "query",
    queryFields === undefined ? undefined : Schema.toCodecArrayFromSingle(queryFields)
  )
  const decodePayload = partDecoder("body", payload === undefined ? undefined : Schema.toCodecJson(payload))

  return Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const path = yield* HttpRouter.RouteContext
    const search = yield* HttpServerRequest.ParsedSearchParams
    const body = payload === undefined ? undefined : yield* readBody(request)
    const faults: Array<ValidationFault> = []
    const decoded = {
      params: decodeParams(path.params, faults),
      query: decodeQuery(search, faults),
      payload: body === undefined || Option.isNone(body) ? undefined : decodePayload(body.value, faults)
    }
    if (body !== undefined && Option.isNone(body)) faults.push(invalidJson)
    if (faults.length === 0) return decoded
    if (body !== undefined && Option.isSome(body)) faults.push(...faultsBeyondSchema(body.value))
    return yield* new ValidationFailed({ detail: faults })
  })
}

/** Adds what is wrong to the faults. */
const partDecoder = (part: RequestPart, schema: Schema.Decoder<unknown> | undefined) => {
  if (schema === undefined) return () => undefined
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (input: unknown, faults: Array<ValidationFault>) => {
    const result = decode(input)
    if (Result.isSuccess(result)) return result.success
    faults.push(...faultsOf(part, result.failure.issue, input))
    return undefined
  }
}

/** None if the body is not JSON, which is one fault beside those of path and query. */
const readBody = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  if (!isJson(request.headers["content-type"])) return yield* new ValidationFailed({ detail: [wrongContentType] })
  // JSON in another encoding, or compressed, would be decoded to other characters than were meant.
  if (!isUtf8(yield* Effect.orDie(request.arrayBuffer))) return yield* new ValidationFailed({ detail: [invalidJson] })
  const text = yield* Effect.orDie(request.text)
  if (isTooDeep(text)) return yield* new ValidationFailed({ detail: [tooDeep] })
  return parseJson(text)
})

const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** A request without a content type is treated as JSON. */
const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined || /^application\/(?:[\w.+-]+\+)?json(?:$|[ ;])/i.test(contentType)
