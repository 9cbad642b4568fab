import { assert, it } from "@effect/vitest"
import { type EventAnnotation, noAnnotation } from "@threat-exposure/service/events/EventAnnotations"
import { annotationDocument } from "@threat-exposure/service/opensearch/events/EventAnnotationsOpenSearch"
import { annotationIndex } from "@threat-exposure/service/opensearch/events/EventIndex"
import { annotateEvent } from "@threat-exposure/service/sqlite/events/EventAnnotationsSqlite"
import { KeyedCluster } from "@threat-exposure/service/opensearch/cluster/ClusterStart"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { Effect, Option } from "effect"
import { eventForTest, ServiceForTest } from "../ServiceForTest.ts"

const annotation = (number: number, said: Partial<EventAnnotation>): EventAnnotation => ({
  ...noAnnotation(`test/source/${number}`),
  ...said
})

/** Stores the annotation directly, even for an event that the tenant does not have. */
const annotate = Effect.fnUntraced(function* (tenantId: number, event: EventAnnotation) {
  const database = yield* Effect.serviceOption(Database)
  if (Option.isSome(database)) return annotateEvent(database.value.connection, tenantId, event)
  const { cluster } = Option.getOrThrow(yield* Effect.serviceOption(KeyedCluster)).now
  yield* cluster.write([{ index: annotationIndex, ...annotationDocument(tenantId, event) }])
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
  it.live("an action sets the state of all its targets, or of none, and the last one wins", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      yield* loadEvents(
        ...[1, 2, 3].map((number) => eventForTest(number, "paste", { content: "example.com" })),
        eventForTest(4, "paste", { content: "matches nothing" })
      )
      const identifier = { name: "example.com", type: "domain" }
      const { id } = (yield* call(1, "POST", "/v2/assets/", identifier)).body.asset
      yield* call(2, "POST", "/v2/assets/", { name: "example.org", type: "domain" })
      const act = (type: string, numbers: ReadonlyArray<number>, tenantId = 1) =>
        call(tenantId, "POST", "/v4/events/actions", {
          targets: numbers.map((number) => ({ uid: `test/source/${number}` })),
          action: { type }
        })
      const states = Effect.map(call(1, "POST", `/v4/events/identifiers/${id}/_search`, { order: "asc" }), ({ body }) =>
        body.items.map(({ tenant_metadata: { ignored_at, remediated_at } }: any) => ({ ignored_at, remediated_at }))
      )
      const open = { ignored_at: undefined, remediated_at: undefined }

      assert.deepStrictEqual(yield* act("ignore", [1, 2, 2]), { ...(yield* act("unignore", [3])), status: 200 })
      const ignored = yield* states
      assert.match(ignored[0].ignored_at, /^20\d\d-.*Z$/u)
      assert.deepStrictEqual(ignored, [ignored[0], ignored[0], open])
      yield* act("ignore", [1])
      yield* act("unremediate", [1])
      assert.deepStrictEqual(yield* states, ignored)

      yield* act("remediate", [1])
      const remediated = yield* states
      assert.isUndefined(remediated[0].ignored_at)
      assert.isString(remediated[0].remediated_at)
      yield* act("unignore", [1])
      assert.deepStrictEqual(yield* states, remediated)

      const refused = yield* act("ignore", [3, 4, 5])
      assert.strictEqual(refused.status, 404)
      assert.match(refused.body.error.message, /: test\/source\/4, test\/source\/5$/u)
      assert.strictEqual((yield* act("remediate", [2], 2)).status, 404)
      assert.deepStrictEqual(yield* states, remediated)

      yield* act("unremediate", [1])
      yield* act("unignore", [2])
      assert.deepStrictEqual(yield* states, [open, open, open])

      for (const numbers of [[], Array.from({ length: 11 }, (_, number) => number)]) {
        const { body, status } = yield* act("close", numbers)
        assert.strictEqual(status, 422)
        assert.deepStrictEqual(
          body.detail.map(({ loc }: { loc: ReadonlyArray<string> }) => loc.join(".")),
          ["body.targets", "body.action.type"]
        )
      }
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
  it.live("an annotation is changed field by field, and an override of the severity is what filters see", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      yield* loadEvents(
        ...[1, 2, 3].map((number) => eventForTest(number, "paste", { content: "example.com" })),
        eventForTest(4, "paste", { content: "matches nothing" })
      )
      const { id } = (yield* call(1, "POST", "/v2/assets/", { name: "example.com", type: "domain" })).body.asset
      const annotateEvent = (number: number, body: unknown, tenantId = 1) =>
        call(tenantId, "PATCH", `/v4/events/tenant/metadata?uid=test%2Fsource%2F${number}`, body)
      const uid = "test/source/1"

      const all = yield* annotateEvent(1, { tags: ["b", "a", "b"], notes: "look", severity: "critical" })
      assert.deepStrictEqual(all.body, { uid, notes: "look", tags: ["b", "a"], severity: "critical" })
      yield* annotateEvent(2, { severity: "low" })
      assert.deepStrictEqual((yield* annotateEvent(1, { notes: null })).body, { ...all.body, notes: "" })
      assert.deepStrictEqual((yield* annotateEvent(1, {})).body, { ...all.body, notes: "" })
      yield* call(1, "POST", "/v4/events/actions", { targets: [{ uid }], action: { type: "ignore" } })
      const untagged = { uid, notes: "", tags: [], severity: "critical" }
      assert.deepStrictEqual((yield* annotateEvent(1, { tags: null })).body, untagged)

      const found = (path: string, severity: unknown, tenantId = 1) =>
        Effect.map(call(tenantId, "POST", path, { filters: { severity } }), ({ body }) =>
          body.items.map(({ metadata, tenant_metadata: { ignored_at, severity } }: any) => [
            Number(metadata.uid.split("/")[2]),
            severity.override ?? severity.original,
            ignored_at !== undefined
          ])
        )
      for (const path of [`/v4/events/identifiers/${id}/_search`, "/v4/events/global/_search"]) {
        assert.deepStrictEqual(yield* found(path, "high"), [[1, "critical", true]], path)
        assert.deepStrictEqual(yield* found(path, ["low"]), [[2, "low", false]], path)
        const medium = (yield* found(path, ["medium"])).filter(([number]: [number]) => number !== 4)
        assert.deepStrictEqual(medium, [[3, "medium", false]], path)
      }
      assert.deepStrictEqual(yield* found("/v4/events/global/_search", "high", 2), [])
      yield* annotateEvent(1, { severity: null })
      yield* annotateEvent(2, { severity: null })
      assert.deepStrictEqual(yield* found(`/v4/events/identifiers/${id}/_search`, ["medium"]), [
        [3, "medium", false],
        [2, "medium", false],
        [1, "medium", true]
      ])

      for (const [number, tenantId] of [
        [4, 1],
        [5, 1],
        [1, 2]
      ] as const) {
        assert.strictEqual((yield* annotateEvent(number, { notes: "x" }, tenantId)).status, 404)
      }
      const most = { tags: Array.from({ length: 50 }, (_, at) => `${at}`.padEnd(100, "x")), notes: "x".repeat(10_000) }
      assert.strictEqual((yield* annotateEvent(3, most)).status, 200)
      const { body, status } = yield* annotateEvent(3, {
        tags: ["x".repeat(101)],
        notes: `${most.notes}x`,
        severity: "worst"
      })
      assert.strictEqual(status, 422)
      assert.deepStrictEqual(
        body.detail.map(({ loc }: { loc: ReadonlyArray<string> }) => loc.join(".")),
        ["body.tags.0", "body.severity", "body.notes"]
      )
      assert.strictEqual((yield* annotateEvent(3, { tags: [...most.tags, "x"] })).status, 422)
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})
