/**
 * All paths of the service, independent of port and engine: finds the route of a request, and turns every failure into
 * an answer.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as FindMyWay from "effect/http/FindMyWay"
import { errorBody, unknownOperation, versionOf } from "@threat-exposure/core/domain/ErrorBody"
import { encodeFailure, type Failure } from "@threat-exposure/core/domain/Failures"
import { tokenRoutes } from "./access/TokenRoutes.ts"
import { limitHeaders } from "./limits/LimitHeaders.ts"
import { rateLimitReached } from "./limits/RateLimits.ts"
import { Metrics } from "./observability/Metrics.ts"
import { RequestLog } from "./observability/RequestLog.ts"
import { StoreHealth } from "./observability/StoreHealth.ts"
import { operationRoutes } from "./OperationRoutes.ts"
import { type Answer, type BodyTooLong, jsonAnswer, type Route, type ServedRequest } from "./requests/ServedRequest.ts"
import { SearchTimedOut, StoreRefusal, StoreUnavailable } from "./requests/StoreUnavailable.ts"
import { Settings } from "./Settings.ts"

/** Answers a request by its exact path, including case and slashes. The answer never contains a part of the request. */
export const makeHttp = Effect.gen(function* () {
  const log = yield* RequestLog
  const { within } = yield* StoreHealth
  const { maximumBody } = yield* Settings
  const router = FindMyWay.make<Route>({
    caseSensitive: true,
    ignoreDuplicateSlashes: false,
    ignoreTrailingSlash: false
  })
  for (const route of [...(yield* operationRoutes), ...(yield* tokenRoutes), ...(yield* pages)]) {
    router.on(route.method, route.path, route)
  }

  const find = ({ method, url }: ServedRequest) => {
    // The router would treat these characters as the start of the query string.
    if (/^[^?]*[;#]/.test(url)) return undefined
    return router.find(method, url) ?? (method === "HEAD" ? router.find("GET", url) : undefined)
  }

  const refuse = ({ record, url }: ServedRequest, cause: Cause.Cause<BodyTooLong | Failure>): Answer => {
    const expected = Cause.findErrorOption(cause)
    if (Option.isNone(expected)) {
      const defect = Cause.squash(cause)
      log.logFailure(record, defect)
      return failureAnswer(url, defect)
    }
    const failure = expected.value
    if (failure._tag === "BodyTooLong") {
      const body = refusalBody(url, "PAYLOAD_TOO_LARGE", bodyTooLarge(maximumBody))
      return { status: 413, headers: { Connection: "close" }, body }
    }
    const isLimit = failure._tag === "RateLimited"
    const version = isLimit && failure.code === rateLimitReached ? "v4" : versionOf(url)
    const { body, status } = encodeFailure(failure, version)
    const headers = isLimit ? limitHeaders(failure) : undefined
    return { status, headers, body: JSON.stringify(body) }
  }

  return (request: ServedRequest): Effect.Effect<Answer> => {
    const found = find(request)
    if (found === undefined) {
      return Effect.succeed({ status: 404, body: refusalBody(request.url, unknownOperation, unknownPath) })
    }
    const { record } = request
    record.operation = found.handler.operation
    return Effect.matchCauseEager(within(record.startedAt, found.handler.answer(request, found)), {
      onSuccess: (answer) => answer,
      onFailure: (cause) => refuse(request, cause)
    })
  }
})

const pages = Effect.gen(function* () {
  const { ready } = yield* StoreHealth
  const { text } = yield* Metrics
  const { pathPrefix } = yield* Settings
  const openApi = yield* Effect.cached(Effect.promise(() => servedDocument(pathPrefix)))
  const page = (path: `/${string}`, operation: string, answer: Effect.Effect<Answer>): Route => ({
    method: "GET",
    path,
    operation,
    answer: () => answer
  })
  return [
    page("/openapi.json", "openapi", openApi),
    // Ready if a request could read and write now. The store is checked at most once a second, however often this page
    // is requested.
    page(
      "/healthz",
      "healthz",
      Effect.match(ready, {
        onSuccess: () => jsonAnswer({ status: "ok" }),
        onFailure: ({ message }) => ({ ...jsonAnswer({ status: "unavailable", message }), status: 503 })
      })
    ),
    ...(text === undefined
      ? []
      : [
          page(
            "/metrics",
            "metrics",
            Effect.sync(() => ({ status: 200, contentType: "text/plain; version=0.0.4", body: text() }))
          )
        ])
  ]
})

/** The OpenAPI document with the addresses of this service. It is rarely requested, so it is loaded on demand. */
const servedDocument = async (pathPrefix: string): Promise<Answer> => {
  const { default: document } = await import("@threat-exposure/core/openapi.json", { with: { type: "json" } })
  const paths = Object.entries(document.paths).map(([path, item]) => [
    path,
    "servers" in item ? { ...item, servers: [{ url: "/" }] } : item
  ])
  return jsonAnswer({ ...document, paths: Object.fromEntries(paths), servers: [{ url: `/${pathPrefix}` }] })
}

const refusalBody = (path: string, code: string, message: string): string =>
  JSON.stringify(errorBody[versionOf(path)]({ code, message }))

/** The answer for a failure of the service itself. The cause is logged, and never part of the answer. */
const failureAnswer = (path: string, cause: unknown) => {
  if (cause instanceof SearchTimedOut) {
    return { status: 503, headers: { "Retry-After": "30" }, body: refusalBody(path, "UNAVAILABLE", cause.message) }
  }
  // The log contains the cause of a refusal, such as a missing permission, which an operator can remove.
  return cause instanceof StoreUnavailable || cause instanceof StoreRefusal
    ? { status: 503, headers: { "Retry-After": "5" }, body: refusalBody(path, "UNAVAILABLE", unavailable) }
    : { status: 500, headers: {}, body: refusalBody(path, "INTERNAL", internalFailure) }
}

const unavailable = "The service is temporarily unavailable: try again later"

const internalFailure = "The service failed: its log says why"

const unknownPath = "There is no operation with this method and path: see /openapi.json for all of them"

const bodyTooLarge = (maximum: number): string => `The body is longer than ${maximum} bytes: send less at a time`
