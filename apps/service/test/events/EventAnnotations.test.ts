import { assert, it } from "@effect/vitest"
import type { EventAnnotation } from "@threat-exposure/service/events/EventStore"
import { annotationOperation } from "@threat-exposure/service/opensearch/events/EventAnnotationsOpenSearch"
import { annotateEvent } from "@threat-exposure/service/sqlite/events/EventAnnotationsSqlite"
import { Cluster } from "@threat-exposure/service/opensearch/cluster/Cluster"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { Effect, Option } from "effect"
import { eventForTest, ServiceForTest } from "../ServiceForTest.ts"

const annotation = (number: number, said: Partial<EventAnnotation>): EventAnnotation => ({
  uid: `test/source/${number}`,
  tags: [],
  notes: "",
  severity: null,
  ignored_at: null,
  remediated_at: null,
  ...said
})

/** No operation of the API annotates an event. */
const annotate = Effect.fnUntraced(function* (tenantId: number, event: EventAnnotation) {
  const database = yield* Effect.serviceOption(Database)
  if (Option.isSome(database)) return annotateEvent(database.value.connection, tenantId, event)
  const cluster = Option.getOrThrow(yield* Effect.serviceOption(Cluster))
  yield* cluster.write([annotationOperation(tenantId, event)])
})

describeOnEngines("EventAnnotations", ({ stores }) => {
  it.live("belong to one tenant, filter the events of its identifiers, and survive a replacement of the event", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      yield* loadEvents(...[1, 2, 3, 4].map((number) => eventForTest(number, "paste", { content: "example.com" })))
      const moment = "2026-02-03T00:00:00Z"
      yield* annotate(1, annotation(1, { tags: ["vip", "triage"], notes: "look", severity: "critical" }))
      yield* annotate(1, annotation(2, { tags: ["vip"], ignored_at: moment }))
      yield* annotate(1, annotation(3, { ignored_at: moment, remediated_at: moment }))
      yield* annotate(2, annotation(4, { tags: ["vip"], remediated_at: moment }))
      yield* loadEvents(eventForTest(1, "paste", { content: "example.com again" }))

      const { id } = (yield* call(1, "POST", "/v2/assets/", { name: "example.com", type: "domain" })).body.asset
      const found = (filters: unknown) =>
        Effect.map(call(1, "POST", `/v4/events/identifiers/${id}/_search`, { filters }), ({ body }) =>
          body.items.map((item: { metadata: { uid: string } }) => Number(item.metadata.uid.split("/")[2]))
        )
      assert.deepStrictEqual(yield* found({}), [4, 3, 2, 1])
      assert.deepStrictEqual(yield* found({ tags: ["vip"] }), [2, 1])
      assert.deepStrictEqual(yield* found({ tags: ["vip", "triage"] }), [1])
      assert.deepStrictEqual(yield* found({ tags: [] }), [4, 3, 2, 1])
      assert.deepStrictEqual(yield* found({ status: ["open"] }), [4, 1])
      assert.deepStrictEqual(yield* found({ status: ["ignored"] }), [2])
      assert.deepStrictEqual(yield* found({ status: ["remediated", "ignored"] }), [3, 2])
      assert.deepStrictEqual(yield* found({ is_ignored: true }), [2])
      assert.deepStrictEqual(yield* found({ is_remediated: true }), [3])
      assert.deepStrictEqual(yield* found({ is_ignored: false, is_remediated: false }), [4, 3, 2, 1])

      const { body } = yield* call(1, "POST", `/v4/events/identifiers/${id}/_search`, { order: "asc" })
      assert.deepStrictEqual(body.items[0].tenant_metadata, {
        severity: { original: "medium", override: "critical" },
        tags: ["vip", "triage"],
        notes: "look"
      })
      assert.deepStrictEqual(body.items[2].tenant_metadata, {
        severity: { original: "medium", override: null },
        tags: [],
        notes: "",
        ignored_at: moment,
        remediated_at: moment
      })
      const other = yield* call(2, "POST", "/v4/events/global/_search", { order: "asc" })
      assert.deepStrictEqual(other.body.items[0].tenant_metadata.tags, [])
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})
