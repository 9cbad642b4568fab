/**
 * The whole service without a port, over the stores of an engine: requests and answers as they are on the wire, through
 * routing, access, validation and the real store.
 */
import { assert } from "@effect/vitest"
import { NodeHttpServer } from "@effect/platform-node"
import type { StoredEvent } from "@threat-exposure/service/events/EventStore"
import { answeringAll, routes } from "@threat-exposure/service/Http"
import { newToken, permissionWords } from "@threat-exposure/service/keys/ApiKeys"
import { KeyStore } from "@threat-exposure/service/keys/KeyStore"
import { LoadTargets, type OpenTarget, publishAll } from "@threat-exposure/service/load/LoadTarget"
import { Log } from "@threat-exposure/service/observability/Log"
import { RequestLog } from "@threat-exposure/service/observability/RequestLog"
import { Services, type Stores } from "@threat-exposure/service/Services"
import { Context, Effect, Layer } from "effect"
import { HttpEffect } from "effect/http"
import { DatabaseForTest } from "./DatabaseForTest.ts"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** The JSON of the body; undefined where there is none. */
  readonly body: any
}

export class ServiceForTest extends Context.Service<
  ServiceForTest,
  {
    /** With a key of that tenant that may do everything. The path starts after the prefix. */
    call(tenantId: number, method: "GET" | "POST" | "DELETE", path: string, body?: unknown): Effect.Effect<Answer>
    /** The number of events that are new or replace another version. */
    loadEvents(...events: ReadonlyArray<StoredEvent>): Effect.Effect<number>
  }
>()("@threat-exposure/service/test/ServiceForTest") {
  /** Over stores that the test has. */
  static readonly layerNoDeps = Layer.effect(
    ServiceForTest,
    Effect.gen(function* () {
      const targets = yield* LoadTargets
      const keys = yield* KeyStore
      const handler = HttpEffect.toWebHandler(answeringAll(yield* routes, yield* RequestLog))
      const tokens = new Map<number, string>()
      const tokenOf = Effect.fnUntraced(function* (tenantId: number) {
        const known = tokens.get(tenantId)
        if (known !== undefined) return known
        const token = newToken()
        tokens.set(tenantId, token)
        const permissions = Object.values(permissionWords)
        yield* keys.create({ token, tenantId, permissions, createdAt: "2026-01-01T00:00:00Z" })
        return token
      })
      return ServiceForTest.of({
        loadEvents: (...events) =>
          Effect.map(loadForTest(targets.events, events), ({ added, replaced }) => added + replaced),
        call: Effect.fnUntraced(function* (tenantId, method, path, body) {
          const token = yield* tokenOf(tenantId)
          const response = yield* Effect.promise(() =>
            handler(
              new Request(`http://localhost/svc${path}`, {
                method,
                headers: {
                  authorization: `Bearer ${token}`,
                  ...(body === undefined ? undefined : { "content-type": "application/json" })
                },
                ...(body === undefined ? undefined : { body: JSON.stringify(body) })
              })
            )
          )
          const text = yield* Effect.promise(() => response.text())
          return {
            status: response.status,
            headers: response.headers,
            body: text === "" ? undefined : JSON.parse(text)
          }
        })
      })
    })
  ).pipe(
    Layer.provide(RequestLog.layer),
    Layer.provideMerge(Services),
    Layer.provide(Log.layerSilent),
    Layer.provide(NodeHttpServer.layerHttpServices)
  )

  static readonly over = <A, E>(stores: Layer.Layer<A | Stores, E>) => this.layerNoDeps.pipe(Layer.provideMerge(stores))

  static readonly layer = this.layerNoDeps.pipe(Layer.provideMerge(DatabaseForTest))
}

/** Loads records that are all valid, on the first of February 2026. */
export const loadForTest = Effect.fnUntraced(function* (open: OpenTarget<unknown>, records: ReadonlyArray<unknown>) {
  const target = yield* open({ keep: false, strict: false, now: "2026-02-01T00:00:00Z" })
  const prepared = yield* Effect.promise(() =>
    target.prepare({
      text: Buffer.from(records.map((record) => JSON.stringify(record)).join("\n")),
      format: { type: "lines" },
      firstNumber: 1
    })
  )
  assert.deepStrictEqual(prepared.refused, [])
  return yield* publishAll(yield* target.publisher, [prepared])
}, Effect.scoped)

/** An event of a test: the number tells its uid and, unless it is given, its minute. */
export const eventForTest = (
  number: number,
  event_type: string,
  data: unknown,
  metadata: Partial<StoredEvent["metadata"]> = {}
): StoredEvent => ({
  event_type,
  metadata: {
    uid: `test/source/${number}`,
    severity: "medium",
    estimated_created_at: new Date(Date.UTC(2026, 0, 1, 0, number)).toISOString(),
    ...metadata
  },
  data
})
