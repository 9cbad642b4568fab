/**
 * The whole service without a port, on the stores of an engine. Requests and answers have their wire format, and pass
 * routing, access control, validation and the real store.
 */
import { assert } from "@effect/vitest"
import type { StoredEvent } from "@threat-exposure/service/events/EventStore"
import { makeHttp } from "@threat-exposure/service/Http"
import { newToken, permissionWords } from "@threat-exposure/service/keys/ApiKeys"
import { KeyStore } from "@threat-exposure/service/keys/KeyStore"
import { LoadTargets, type OpenTarget, publishAll } from "@threat-exposure/service/load/LoadTarget"
import { Log } from "@threat-exposure/service/observability/Log"
import { RequestLog } from "@threat-exposure/service/observability/RequestLog"
import { RequestRecord } from "@threat-exposure/service/requests/ServedRequest"
import { Services, type Stores } from "@threat-exposure/service/Services"
import type { IntelReport } from "@threat-exposure/core/domain/Intel"
import { Context, Effect, Layer, Stream } from "effect"
import { DatabaseForTest } from "./DatabaseForTest.ts"

export interface Answer {
  readonly status: number
  /** The names are in lower case. */
  readonly headers: ReadonlyMap<string, string>
  /** The JSON of the body; undefined without a body. */
  readonly body: any
  readonly bytes: Uint8Array
  readonly text: string
}

export class ServiceForTest extends Context.Service<
  ServiceForTest,
  {
    /** Calls an operation with a key of the tenant that has all permissions. The path begins after the prefix. */
    call(
      tenantId: number,
      method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE",
      path: string,
      body?: unknown
    ): Effect.Effect<Answer>
    /** Returns the number of events that are new or replace another version. */
    loadEvents(...events: ReadonlyArray<StoredEvent>): Effect.Effect<number>
  }
>()("@threat-exposure/service/test/ServiceForTest") {
  /** Uses the stores that the test provides. */
  static readonly layerNoDeps = Layer.effect(
    ServiceForTest,
    Effect.gen(function* () {
      const targets = yield* LoadTargets
      const keys = yield* KeyStore
      const ask = yield* asking
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
          return yield* ask(method, `/svc${path}`, token, body)
        })
      })
    })
  ).pipe(Layer.provide(RequestLog.layer), Layer.provideMerge(Services), Layer.provide(Log.layerSilent))

  static readonly over = <A, E>(stores: Layer.Layer<A | Stores, E>) => this.layerNoDeps.pipe(Layer.provideMerge(stores))

  static readonly layer = this.layerNoDeps.pipe(Layer.provideMerge(DatabaseForTest))
}

/** One of several services over the same store. */
export const serviceOver = <A, E>(stores: Layer.Layer<A | Stores, E>) =>
  Effect.map(Layer.build(Layer.fresh(ServiceForTest.over(stores))), (context) => Context.get(context, ServiceForTest))

/** Calls the service without a socket. */
export const asking = Effect.map(makeHttp, (answer) =>
  Effect.fnUntraced(function* (method: string, url: string, token: string, body?: unknown) {
    const { headers, status, ...answered } = yield* answer({
      method,
      url,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? undefined : { "content-type": "application/json" })
      },
      record: new RequestRecord(undefined, undefined),
      body: { whole: Effect.succeed(body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body))) }
    })
    const sent = answered.body ?? ""
    const bytes = Stream.isStream(sent) ? Buffer.concat(yield* Stream.runCollect(sent)) : Buffer.from(sent)
    const text = bytes.toString()
    const isJson = (answered.contentType ?? "application/json") === "application/json"
    const json: Answer["body"] = text === "" || !isJson ? undefined : JSON.parse(text)
    return {
      status,
      headers: new Map(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
      body: json,
      bytes,
      text
    }
  })
)

/** Loads valid records, with 1 February 2026 as the current time. */
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

/** An operator's answer to a question for intelligence. */
export const answerForTest: IntelReport = {
  id: 1,
  title: "Answer",
  subtitle: null,
  summary: null,
  content: "Nothing is known.",
  tags: [],
  highlights: [],
  related_activity_uids: [],
  created_at: "2026-01-01T00:00:00Z"
}

/** An event for tests. The number determines its uid and its default minute. */
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
