/** The contract's middleware of access, over the gate; refusals get the shape of v4 or v2 from the contract. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { Access, Caller, V2Access } from "@threat-exposure/core/api/Access"
import { RateLimited } from "@threat-exposure/core/domain/Failures"
import { GlobalSearches, quotaExhausted, quotaHeaders } from "../limits/GlobalSearches.ts"
import { sayWhenToRetry } from "../limits/RetryAfter.ts"
import { Database } from "../sql/Database.ts"
import { Gate } from "./Gate.ts"

interface Guarded {
  readonly credential: Redacted.Redacted
  readonly endpoint: HttpApiEndpoint.Top
  readonly group: HttpApiGroup.Top
}

const guard = Effect.gen(function* () {
  const gate = yield* Gate
  const { vault } = yield* Database
  const { quota } = yield* GlobalSearches

  /** An events search against the quota; a credentials search keeps its own account, which knows what it found. */
  const metered = <E, R>(
    tenantId: number,
    now: number,
    search: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      // What cannot be read is for the layers within to refuse.
      const body = yield* Effect.orElseSucceed(request.text, () => "")
      const name = `events ${vault.term("events.search", queryIn(body))}`
      const payment = quota.pay(tenantId, name, 0, now)
      if (payment === undefined) return yield* quotaExhausted(now)
      const response = yield* Effect.onExit(search, (exit) =>
        Exit.isSuccess(exit) && exit.value.status === 200 ? Effect.void : Effect.sync(payment.refund)
      )
      if (response.status !== 200) return response
      return HttpServerResponse.setHeaders(response, quotaHeaders(quota.remaining(tenantId, now), false))
    })

  return <E, R>(
    httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
    { credential, endpoint, group }: Guarded
  ) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const operation = { group: group.identifier, endpoint: endpoint.identifier }
      const outcome = gate.admit(operation, Redacted.value(credential), now)
      if (outcome instanceof Error) return yield* outcome
      const answered = Effect.provideService(httpEffect, Caller, outcome)
      return yield* operation.group === "events" && operation.endpoint === "search"
        ? metered(outcome.tenantId, now, answered)
        : answered
    }).pipe(Effect.tapError((failure) => (failure instanceof RateLimited ? sayWhenToRetry(failure) : Effect.void)))
})

export const AccessLayers = Layer.effectContext(
  Effect.map(guard, (bearer) =>
    Context.make(Access, Access.of({ bearer })).pipe(Context.add(V2Access, V2Access.of({ bearer })))
  )
)

/** The same search filtered further is the same search. */
const queryIn = (body: string): string => {
  try {
    const { query } = { query: null, ...JSON.parse(body) }
    return JSON.stringify(query)
  } catch {
    return ""
  }
}
