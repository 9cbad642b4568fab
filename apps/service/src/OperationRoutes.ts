/** The routes of all operations: check access, decode the request, run its handler, encode the answer. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Stream from "effect/Stream"
import { type Endpoint, listOperations, tierOf } from "@threat-exposure/core/api/Endpoints"
import { type Failure, type ValidationFailed } from "@threat-exposure/core/domain/Failures"
import { Authorization, bearerToken } from "./access/Authorization.ts"
import { type CursorInvalid, hasCursorForm } from "./crypto/Cursor.ts"
import type { ApiKey } from "./keys/ApiKeys.ts"
import { CurrentTenant } from "./requests/CurrentTenant.ts"
import { EncodedAnswer } from "./requests/OperationHandlers.ts"
import { type RawRequest, type ReadBody, type RequestCheck, requestDecoder } from "./requests/RequestDecoder.ts"
import { SearchTimedOut } from "./requests/StoreUnavailable.ts"
import { type Answer, jsonAnswer, type RequestRecord, type Route, type UrlParts } from "./requests/ServedRequest.ts"
import { distinctFaults, invalidCursor, type RequestPart } from "./requests/ValidationFaults.ts"
import { operationHandlers } from "./Services.ts"
import { Settings } from "./Settings.ts"
import { monotonicNow } from "./MonotonicTime.ts"
import { makeValidationFailed } from "./ExpectedFailure.ts"

export const operationRoutes = Effect.gen(function* () {
  const { authorize, charge } = yield* Authorization
  const { pathPrefix } = yield* Settings

  const routeOf = (operation: string, endpoint: Endpoint, { check, handle }: CheckedHandler): Route => {
    const { method, path } = endpoint
    const { decodeParts, readBody } = requestDecoder(endpoint)
    const encode = answerEncoder(endpoint)
    const forTenant = <A, E>(work: Effect.Effect<A, E>, tenantId: number, { startedAt }: RequestRecord) =>
      Effect.onError(Effect.provideService(work, CurrentTenant, tenantId), (cause) =>
        Effect.sync(() => {
          if (!(Cause.squash(cause) instanceof SearchTimedOut)) return
          charge(tenantId, tierOf(endpoint), Math.ceil((monotonicNow() - startedAt) / 1_000))
        })
      )
    const answerCaller = Effect.fnUntracedEager(function* (
      caller: ApiKey,
      url: UrlParts,
      body: ReadBody | undefined,
      record: RequestRecord
    ) {
      const { tenantId } = caller
      const handled = handle(yield* Effect.fromResult(decodeParts(url, body)), caller)
      // A result that is available at once did not use a thread.
      const isDone = Exit.isExit(handled) && Exit.isSuccess(handled)
      const result = yield* isDone ? handled : forTenant(handled, tenantId, record)
      return result instanceof EncodedAnswer ? answerFor(tenantId, result.answer) : encode(result)
    })
    /** A decoder or a handler may report only the first of several faults. */
    const nameEveryFault = Effect.fnUntraced(function* (
      refusal: CursorInvalid | ValidationFailed,
      tenantId: number,
      url: UrlParts,
      body: ReadBody | undefined
    ) {
      const raw: RawRequest = { ...url, body: body === undefined ? undefined : Result.getOrUndefined(body) }
      const further = yield* Effect.provideService(check(raw, tenantId), CurrentTenant, tenantId)
      const faults = distinctFaults([
        ...(refusal._tag === "CursorInvalid" ? [invalidCursor(cursorPart(endpoint))] : refusal.detail),
        ...further,
        ...cursorFaults(endpoint, raw)
      ])
      return yield* Effect.fail(makeValidationFailed(faults))
    })
    return {
      method,
      path: `/${pathPrefix}${path}`,
      operation,
      answer: Effect.fnUntracedEager(function* (request, url) {
        // A request without permission is refused before its body arrives.
        const caller = yield* authorize(endpoint, bearerToken(request.headers.authorization), request.record)
        const body = yield* readBody(request)
        return yield* Effect.catchEager(
          answerCaller(caller, url, body, request.record),
          (failure): Effect.Effect<never, Failure> =>
            failure._tag === "CursorInvalid" || failure._tag === "ValidationFailed"
              ? nameEveryFault(failure, caller.tenantId, url, body)
              : Effect.fail(failure)
        )
      })
    }
  }

  const handlers: UntypedHandlers = yield* operationHandlers
  return listOperations().flatMap(({ endpoint, group, name, operation }) => {
    const handler = handlers[group]?.[name]
    if (handler === undefined) return []
    return [routeOf(operation, endpoint, "handle" in handler ? handler : { check: findNoFaults, handle: handler })]
  })
})

const cursorPart = ({ payload }: Endpoint): RequestPart => (payload === undefined ? "query" : "body")

/** The cursor is checked against the listing only if the rest of the request is valid. */
const cursorFaults = (endpoint: Endpoint, { body, searchParams }: RawRequest) => {
  const part = cursorPart(endpoint)
  const given = part === "query" ? searchParams : body
  if (endpoint.pages === undefined || !hasCursor(given)) return []
  return hasCursorForm(given.from) ? [] : [invalidCursor(part)]
}

const hasCursor = Schema.is(Schema.Struct({ from: Schema.String }))

/** A streamed answer continues to read the store while it is sent. */
const answerFor = (tenantId: number, answer: Answer): Answer => {
  const { body } = answer
  return typeof body === "object" && Stream.isStream(body)
    ? { ...answer, body: Stream.provideService(body, CurrentTenant, tenantId) }
    : answer
}

/**
 * Declared as a method, whose parameters are bivariant, so that handlers of any request are assignable. The decoder of
 * the endpoint passes each handler its own request.
 */
type Handler = { handle(request: unknown, caller: ApiKey): Effect.Effect<unknown, CursorInvalid | Failure> }["handle"]

interface CheckedHandler {
  readonly check: RequestCheck
  readonly handle: Handler
}

interface UntypedHandlers {
  readonly [group: string]: { readonly [name: string]: Handler | CheckedHandler }
}

const findNoFaults: RequestCheck = () => Effect.succeed([])

/** A handler that returns anything but the result of the contract is a defect. */
const answerEncoder = ({ success }: Endpoint): ((result: unknown) => Answer) => {
  if (SchemaAST.isVoid(success.ast)) return () => emptyAnswer
  const encode = Schema.encodeUnknownSync(Schema.toCodecJson(success))
  return (result) => jsonAnswer(encode(result))
}

const emptyAnswer: Answer = { status: 200 }
