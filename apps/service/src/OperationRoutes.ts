/** A route for each operation of the contract: access, then the request decoded, then its handler, then the answer encoded. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Stream from "effect/Stream"
import { contract, type Endpoint, identifiers, matchingPolicies, tierOf } from "@threat-exposure/core/api/Endpoints"
import type { ValidationFault } from "@threat-exposure/core/domain/ErrorBody"
import type { Failure } from "@threat-exposure/core/domain/Failures"
import { Authorization, bearerToken } from "./access/Authorization.ts"
import { CurrentVault } from "./crypto/CurrentVault.ts"
import { searchFaults } from "./events/SearchFaults.ts"
import { EncodedAnswer, makeHandlers } from "./Handlers.ts"
import { identifierFaults } from "./identifiers/Identifiers.ts"
import type { ApiKey } from "./keys/ApiKeys.ts"
import { newPolicyFaults } from "./matching-policies/PolicyFaults.ts"
import { CurrentTenant } from "./requests/CurrentTenant.ts"
import { requestDecoder } from "./requests/RequestDecoder.ts"
import { SearchTimedOut } from "./requests/StoreUnavailable.ts"
import { type Answer, jsonAnswer, type RequestRecord, type Route } from "./requests/ServedRequest.ts"
import type { BlindIndex } from "./search/Term.ts"
import { Settings } from "./Settings.ts"
import { monotonicNow } from "./MonotonicTime.ts"

export const operationRoutes = Effect.gen(function* () {
  const { authorize, charge } = yield* Authorization
  const { pathPrefix } = yield* Settings
  const current = yield* CurrentVault

  const routeOf = (endpoint: Endpoint, handle: Handler): Route => {
    const { method, operation, path } = endpoint
    const decode = requestDecoder(endpoint, (body) => furtherFaults(current.vault, endpoint, body))
    const encode = answerEncoder(endpoint)
    const forTenant = <A, E>(work: Effect.Effect<A, E>, tenantId: number, { startedAt }: RequestRecord) =>
      Effect.onError(Effect.provideService(work, CurrentTenant, tenantId), (cause) =>
        Effect.sync(() => {
          if (!(Cause.squash(cause) instanceof SearchTimedOut)) return
          charge(tenantId, tierOf(endpoint), Math.ceil((monotonicNow() - startedAt) / 1_000))
        })
      )
    return {
      method,
      path: `/${pathPrefix}${path}`,
      operation,
      answer: Effect.fnUntracedEager(function* (request, url) {
        // A request without permission is refused before its body has arrived.
        const caller = yield* authorize(endpoint, bearerToken(request.headers.authorization), request.record)
        const { tenantId } = caller
        const handled = handle(yield* decode(request, url), caller)
        // A handler that has its result already needed no thread.
        const isDone = Exit.isExit(handled) && Exit.isSuccess(handled)
        const result = yield* isDone ? handled : forTenant(handled, tenantId, request.record)
        return result instanceof EncodedAnswer ? answerFor(tenantId, result.answer) : encode(result)
      })
    }
  }

  const handlers: UntypedHandlers = yield* makeHandlers
  return Object.entries(contract).flatMap(([group, endpoints]) =>
    Object.entries<Endpoint>(endpoints).flatMap(([name, endpoint]) => {
      const handle = handlers[group]?.[name]
      return handle === undefined ? [] : [routeOf(endpoint, handle)]
    })
  )
})

/** The faults of a body that its schema cannot see. */
const furtherFaults = (blindIndex: BlindIndex, endpoint: Endpoint, body: unknown): ReadonlyArray<ValidationFault> => {
  switch (endpoint.operation) {
    case identifiers.create.operation:
    case identifiers.update.operation:
      return identifierFaults(blindIndex, body)
    case matchingPolicies.create.operation:
      return newPolicyFaults(blindIndex, body)
    default:
      return endpoint.operation.startsWith("events.") ? searchFaults(blindIndex, endpoint, body) : []
  }
}

/** A stream reads more of the store while it is sent. */
const answerFor = (tenantId: number, answer: Answer): Answer => {
  const { body } = answer
  return typeof body === "object" && Stream.isStream(body)
    ? { ...answer, body: Stream.provideService(body, CurrentTenant, tenantId) }
    : answer
}

/** A method, so that handlers of any request are assignable: the decoder of the endpoint gives each its own. */
type Handler = { handle(request: unknown, caller: ApiKey): Effect.Effect<unknown, Failure> }["handle"]

interface UntypedHandlers {
  readonly [group: string]: { readonly [name: string]: Handler }
}

/** Encodes what the contract promises; a handler that returns anything else is a defect. */
const answerEncoder = ({ success }: Endpoint): ((result: unknown) => Answer) => {
  if (SchemaAST.isVoid(success.ast)) return () => emptyAnswer
  const encode = Schema.encodeUnknownSync(Schema.toCodecJson(success))
  return (result) => jsonAnswer(encode(result))
}

const emptyAnswer: Answer = { status: 200 }
