/** The contract's middleware of access, over the gate; refusals get the shape of v4 or v2 from the contract. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import { Access, Caller, V2Access } from "@threat-exposure/core/api/Access"
import { contractOf } from "@threat-exposure/core/api/Annotations"
import { RateLimited } from "@threat-exposure/core/domain/Failures"
import { sayWhenToRetry } from "../limits/RetryAfter.ts"
import { Gate } from "./Gate.ts"

interface Guarded {
  readonly credential: Redacted.Redacted
  readonly endpoint: HttpApiEndpoint.Top
}

const guard = Effect.gen(function* () {
  const gate = yield* Gate

  return <E, R>(
    httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
    { credential, endpoint }: Guarded
  ) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const admitted = gate.admit(contractOf(endpoint), Redacted.value(credential), now)
      if (admitted instanceof RateLimited) yield* sayWhenToRetry(admitted)
      if (admitted instanceof Error) return yield* admitted
      return yield* Effect.provideService(httpEffect, Caller, admitted)
    })
})

export const AccessLayers = Layer.effectContext(
  Effect.map(guard, (bearer) =>
    Context.make(Access, Access.of({ bearer })).pipe(Context.add(V2Access, V2Access.of({ bearer })))
  )
)
