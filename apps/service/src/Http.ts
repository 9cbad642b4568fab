/** All routes as one layer, without a port and an engine. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { servedDocument } from "@threat-exposure/core/api/Document"
import { TokenRoutes } from "./access/TokenRoutes.ts"
import { OperationRoutes } from "./OperationRoutes.ts"
import { bodyTooLarge, failureAnswer, refusalBody, unknownPath } from "./requests/Refusal.ts"
import { Metrics } from "./observability/Metrics.ts"
import { StoreHealth } from "./observability/StoreHealth.ts"
import { CurrentRequest, nameRequest, recordOf, type RequestLog } from "./observability/RequestLog.ts"
import { Settings } from "./Settings.ts"

/** A page outside the prefix, without a token. */
const page = (path: `/${string}`, operation: string, answer: Effect.Effect<HttpServerResponse.HttpServerResponse>) =>
  HttpRouter.route("GET", path, Effect.andThen(nameRequest(operation), answer))

const pages = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { ready } = yield* StoreHealth
    const { text } = yield* Metrics
    const { pathPrefix } = yield* Settings
    // It takes a sixth of the CPU time of a start, and few ask for it.
    const openApi = yield* Effect.cached(Effect.sync(() => HttpServerResponse.jsonUnsafe(servedDocument(pathPrefix))))
    yield* router.addAll([
      page("/openapi.json", "openapi", openApi),
      // Ready if a request could read and write now. The store checks at most once a second, however often this is
      // asked.
      page(
        "/healthz",
        "healthz",
        Effect.match(ready, {
          onSuccess: () => HttpServerResponse.jsonUnsafe({ status: "ok" }),
          onFailure: ({ message }) => HttpServerResponse.jsonUnsafe({ status: "unavailable", message }, { status: 503 })
        })
      )
    ])
    if (text === undefined) return
    const metrics = Effect.sync(() => HttpServerResponse.text(text(), { contentType: "text/plain; version=0.0.4" }))
    yield* router.addAll([page("/metrics", "metrics", metrics)])
  })
)

const Http = Layer.mergeAll(OperationRoutes, pages, TokenRoutes)

/** Answers a request by its exact path: case and slashes count. */
export const routes = HttpRouter.toHttpEffect(Http).pipe(
  Effect.provideService(HttpRouter.RouterConfig, {
    caseSensitive: true,
    ignoreDuplicateSlashes: false,
    ignoreTrailingSlash: false
  }),
  Effect.zipWith(StoreHealth, (routed, { within }) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      // The router would treat these characters as the start of the query.
      if (/^[^?]*[;#]/.test(request.url)) {
        return Effect.fail(
          new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) })
        )
      }
      const record = recordOf(request)
      return within(record.startedAt, Effect.provideService(routed, CurrentRequest, record))
    })
  )
)

/** Answers failures of all routes: an unknown path, a body that is too long, a defect. Never repeats the request. */
export const answeringAll = <E, R>(
  routes: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  log: RequestLog["Service"]
) =>
  Effect.catchCause(routes, (cause) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { url } = request
      const { maximumBody } = yield* Settings
      const refused = (status: number, code: string, message: string) =>
        HttpServerResponse.text(refusalBody(url, code, message), { status, contentType: "application/json" })
      if (Cause.hasInterruptsOnly(cause)) return yield* Effect.failCause(cause)
      const failure = Cause.squash(cause)
      if (failure instanceof HttpServerError.HttpServerError) {
        const { reason } = failure
        if (reason._tag === "RouteNotFound") return refused(404, "NOT_FOUND", unknownPath)
        if (reason._tag === "RequestParseError") {
          return reason.reason === "BodyTooLarge"
            ? refused(413, "PAYLOAD_TOO_LARGE", bodyTooLarge(maximumBody))
            : refused(400, "BAD_REQUEST", "The body could not be read to its end")
        }
      }
      log.failed(recordOf(request), failure)
      const { body, headers, status } = failureAnswer(url, failure)
      return HttpServerResponse.text(body, { status, headers, contentType: "application/json" })
    })
  )
