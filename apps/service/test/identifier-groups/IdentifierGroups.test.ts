import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { IdentifierGroupStore } from "@threat-exposure/service/identifier-groups/IdentifierGroupStore"
import type { Cluster } from "@threat-exposure/service/opensearch/cluster/Cluster"
import { KeyedCluster } from "@threat-exposure/service/opensearch/cluster/ClusterStart"
import {
  groupIndex,
  IdentifierGroupStoreOpenSearch
} from "@threat-exposure/service/opensearch/IdentifierGroupStoreOpenSearch"
import { identifierIndex } from "@threat-exposure/service/opensearch/IdentifierIndex"
import { openSearch } from "@threat-exposure/service/opensearch/OpenSearch"
import { StoreUnavailable } from "@threat-exposure/service/requests/StoreUnavailable"
import { describeOnEngines, describeOnSqlite, emptyCluster } from "@threat-exposure/service/testing/Engines"
import { Effect, Exit, Layer } from "effect"
import { TenantDeletion } from "@threat-exposure/service/tenants/TenantDeletion"
import { ServiceForTest } from "../ServiceForTest.ts"

const node = await openSearchNode()

describeOnEngines("IdentifierGroups", ({ stores }) => {
  it.live("belong to the tenant of the key, with ids of their own", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const create = (tenantId: number, body: unknown) =>
        Effect.map(call(tenantId, "POST", "/v2/assets/groups/", body), ({ body }) => body.assets_group)
      const given = { id: 12, tenant_id: 99, feed_id: 3, feed_owner_id: 4, name: "Shop", urn: "urn:given" }
      assert.deepStrictEqual(yield* create(1, given), { ...given, tenant_id: 1 })
      assert.deepStrictEqual(yield* create(1, { name: "Bank" }), {
        id: 13,
        tenant_id: 1,
        feed_id: 13,
        feed_owner_id: 1,
        name: "Bank",
        urn: "urn:threat-exposure:identifier-group:13"
      })
      assert.strictEqual((yield* create(2, { name: "Theirs" })).id, 1)
      assert.strictEqual((yield* create(2, {})).name, "")
      assert.strictEqual((yield* create(1, { id: 12, name: "Shops" })).name, "Shops")
      yield* create(3, { id: Number.MAX_SAFE_INTEGER })
      assert.deepStrictEqual([(yield* create(3, {})).id, (yield* create(3, {})).id], [1, 2])
      const long = "x".repeat(1_001)
      const { body, status } = yield* call(3, "POST", "/v2/assets/groups/", { name: long, urn: long })
      const places = body.detail.map(({ loc }: { loc: ReadonlyArray<string> }) => loc.join("."))
      assert.deepStrictEqual([status, places], [422, ["body.name", "body.urn"]])
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )

  it.live("get no id that another one had", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const path = "/v2/assets/groups/"
      const create = (body: unknown) =>
        Effect.map(call(1, "POST", path, body), ({ body }): number => body.assets_group.id)
      const first = yield* create({})
      yield* create({ id: 0 })
      yield* create({ id: -3 })
      yield* call(1, "DELETE", `${path}${first}`)
      assert.strictEqual(yield* create({}), first + 1)
      yield* create({ id: 40 })
      yield* call(1, "DELETE", `${path}40`)
      const both = yield* Effect.all([create({}), create({})], { concurrency: 2 })
      assert.sameMembers(both, [41, 42])
      assert.strictEqual(yield* create({ id: 7 }), 7)
      assert.strictEqual(yield* create({}), 43)
      yield* (yield* TenantDeletion).delete(1)
      const tenant = yield* (yield* TenantDeletion).count(1)
      assert.isFalse(tenant.some(({ table }) => table === "identifier_groups"))
      const group = yield* (yield* IdentifierGroupStore).put(1, {})
      assert.strictEqual(group.id, 44)
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )

  it.live("are listed, renamed and deleted, and their identifiers stay", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const path = "/v2/assets/groups/"
      for (const name of ["Shop", "Bank"]) yield* call(1, "POST", path, { name })
      yield* call(2, "POST", path, { name: "Theirs" })
      const names = (tenantId: number) =>
        Effect.map(call(tenantId, "GET", path), ({ body }) => body.assets_groups.map(({ id, name }: any) => [id, name]))
      assert.deepStrictEqual(yield* names(1), [
        [1, "Shop"],
        [2, "Bank"]
      ])
      assert.deepStrictEqual(yield* names(3), [])

      const renamed = yield* call(1, "PUT", `${path}2`, { name: "Banks", id: 7, tenant_id: 2 })
      const group = {
        id: 2,
        tenant_id: 1,
        feed_id: 2,
        feed_owner_id: 1,
        name: "Banks",
        urn: "urn:threat-exposure:identifier-group:2"
      }
      assert.deepStrictEqual(renamed.body, { assets_group: group })
      assert.deepStrictEqual((yield* call(1, "GET", `${path}2`)).body, { assets_group: group })

      const created = yield* call(1, "POST", "/v4/identifiers/", {
        data: { type: "domain", fqdn: "example.com" },
        categories: [],
        emerging_categories: [],
        severities: [],
        group_id: 2
      })
      assert.strictEqual(created.body.group_id, 2)
      for (const [method, id] of [
        ["GET", 2],
        ["PUT", 2],
        ["DELETE", 2],
        ["GET", 3]
      ] as const) {
        const answer = yield* call(2, method, `${path}${id}`, method === "PUT" ? { name: "x" } : undefined)
        assert.deepStrictEqual([answer.status, answer.body.code], [404, "NOT_FOUND"])
      }
      const deleted = yield* call(1, "DELETE", `${path}2`)
      assert.deepStrictEqual([deleted.status, deleted.body], [200, undefined])
      assert.strictEqual((yield* call(1, "DELETE", `${path}2`)).status, 404)
      assert.strictEqual((yield* call(1, "GET", `${path}2`)).status, 404)
      assert.deepStrictEqual(yield* names(1), [[1, "Shop"]])
      assert.strictEqual((yield* call(1, "GET", `/v4/identifiers/${created.body.id}`)).body.group_id, null)
      assert.lengthOf((yield* call(1, "GET", "/v4/identifiers/?group_id=2")).body.items, 0)
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})

/** Checks that a further group is refused: the tenant has the groups 1 to 1,000. */
const assertNoFurtherGroup = Effect.gen(function* () {
  const { call } = yield* ServiceForTest
  for (const body of [{ name: "One more" }, { id: 2_000 }]) {
    const refused = yield* call(1, "POST", "/v2/assets/groups/", body)
    assert.strictEqual(refused.status, 422)
    assert.deepStrictEqual(refused.body.detail[0].loc, ["body", "id"])
  }
  const replaced = yield* call(1, "POST", "/v2/assets/groups/", { id: 1_000, name: "Replaced" })
  assert.strictEqual(replaced.body.assets_group.name, "Replaced")
  assert.strictEqual((yield* call(2, "POST", "/v2/assets/groups/", { name: "Of another tenant" })).status, 200)
  yield* call(1, "DELETE", "/v2/assets/groups/7")
  const created = yield* Effect.forEach(
    Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? { name: "One more" } : { id: 3_000 + at })),
    (body) => call(1, "POST", "/v2/assets/groups/", body),
    { concurrency: "unbounded" }
  )
  assert.deepStrictEqual(
    created.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, ...Array.from({ length: 19 }, () => 422)]
  )
  assert.strictEqual((yield* call(1, "GET", "/v2/assets/groups/")).body.assets_groups.length, 1_000)
})

const thousand = Array.from({ length: 1_000 }, (_, at) => at + 1)

describeOnSqlite("IdentifierGroups", ({ stores }) => {
  it.live("are at most a thousand of a tenant", () =>
    Effect.gen(function* () {
      const store = yield* IdentifierGroupStore
      yield* Effect.forEach(thousand, (id) => store.put(1, { id }), { discard: true })
      yield* assertNoFurtherGroup
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})

describe.skipIf("missing" in node)("missing" in node ? node.missing : "a group in OpenSearch", () => {
  const stores = Layer.unwrap(Effect.map(emptyCluster("missing" in node ? "" : node.url), openSearch))

  it.live("is deleted by one write, even if the service is killed or another request adds an identifier", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const { cluster, vault } = (yield* KeyedCluster).now
      yield* call(1, "POST", "/v2/assets/groups/", { id: 7, name: "Shop" })
      const content = { categories: [], emerging_categories: [], severities: [], group_id: 7 }
      const data = { type: "domain", fqdn: "example.com" }
      const { id } = (yield* call(1, "POST", "/v4/identifiers/", { data, ...content })).body

      const update: Cluster["Service"]["update"] = (index, id, change) =>
        index.name === identifierIndex.name
          ? Effect.die(new StoreUnavailable({ reason: "the process was killed" }))
          : cluster.update(index, id, change)
      const storeOver = (operations: Partial<Cluster["Service"]>) =>
        Effect.provide(
          IdentifierGroupStore,
          Layer.fresh(IdentifierGroupStoreOpenSearch).pipe(
            Layer.provide(Layer.succeed(KeyedCluster, { now: { cluster: { ...cluster, ...operations }, vault } }))
          )
        )
      const killed = yield* storeOver({ update })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(killed.delete(1, 7))))

      // Holds whether or not another service has completed the deletion.
      const shown = Effect.gen(function* () {
        const found = (yield* call(1, "GET", `/v4/identifiers/${id}`)).body.group_id
        const listed = (yield* call(1, "GET", "/v4/identifiers/")).body.items.map(({ group_id }: any) => group_id)
        const ofGroup = (yield* call(1, "GET", "/v4/identifiers/?group_id=7")).body.items
        const { status } = yield* call(1, "POST", "/v4/events/identifier_groups/7/_search", {})
        return [found, listed, ofGroup, status]
      })
      assert.deepStrictEqual(yield* shown, [null, [null], [], 404])

      // A request that found the group before its deletion adds an identifier to it.
      const putInto = cluster.update(identifierIndex, String(id), (identifier) =>
        identifier === undefined ? undefined : { ...identifier, groupId: 7 }
      )
      yield* putInto
      assert.deepStrictEqual(yield* shown, [null, [null], [], 404])
      yield* storeOver({})
      while ((yield* cluster.get(identifierIndex, String(id)))?.document.groupId === 7);

      // A new group with the same id has no identifiers.
      yield* putInto
      yield* call(1, "POST", "/v2/assets/groups/", { id: 7, name: "Shop" })
      assert.deepStrictEqual(yield* shown, [null, [null], [], 200])

      // Once all requests that may have found the group have ended, nothing of it is left.
      yield* call(1, "DELETE", "/v2/assets/groups/7")
      yield* cluster.update(groupIndex, "1:7", (group) =>
        group === undefined ? undefined : { ...group, deletedAt: "2026-01-01T00:00:00Z" }
      )
      yield* storeOver({})
      while ((yield* cluster.get(groupIndex, "1:7")) !== undefined);
    }).pipe(Effect.scoped, Effect.provide(ServiceForTest.over(stores)))
  )

  it.live("is one of at most a thousand of a tenant", () =>
    Effect.gen(function* () {
      const { cluster } = (yield* KeyedCluster).now
      yield* cluster.write(
        thousand.map((id) => ({
          index: groupIndex,
          id: `1:${id}`,
          document: { id, tenant_id: 1, feed_id: null, feed_owner_id: null, name: null, urn: null }
        }))
      )
      yield* assertNoFurtherGroup
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})
