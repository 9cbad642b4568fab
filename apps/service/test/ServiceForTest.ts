/**
 * The whole service without a port, over a database of its own: requests and answers as they are on the wire, through
 * routing, access, validation and the real database.
 */
import { NodeHttpServer } from "@effect/platform-node"
import type { StoredEvent } from "@threat-exposure/service/events/EventStore"
import { loadEventsJob } from "@threat-exposure/service/events/EventLoader"
import { answeringAll, routes } from "@threat-exposure/service/Http"
import { newToken, permissionWords } from "@threat-exposure/service/keys/ApiKeys"
import { KeyStore } from "@threat-exposure/service/keys/KeyStore"
import { Log } from "@threat-exposure/service/observability/Log"
import { RequestLog } from "@threat-exposure/service/observability/RequestLog"
import { Database } from "@threat-exposure/service/sqlite/Database"
import { Services } from "@threat-exposure/service/Services"
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
    loadEvents(...events: ReadonlyArray<StoredEvent>): Effect.Effect<number>
    readonly database: Database["Service"]
  }
>()("@threat-exposure/service/test/ServiceForTest") {
  /** Over a database that the test has. */
  static readonly layerNoDeps = Layer.effect(
    ServiceForTest,
    Effect.gen(function* () {
      const database = yield* Database
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
        database,
        loadEvents: (...events) => database.write(loadEventsJob, { events, now: "2026-02-01T00:00:00Z" }),
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

  static readonly layer = this.layerNoDeps.pipe(Layer.provideMerge(DatabaseForTest))
}

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
