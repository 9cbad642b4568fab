/** Batches that a service began but did not complete. */
import { assert, describe, it } from "@effect/vitest"
import {
  batchIndex,
  completeBatches,
  findBatches,
  updateMany
} from "@threat-exposure/service/opensearch/cluster/BulkUpdate"
import type { Cluster } from "@threat-exposure/service/opensearch/cluster/Cluster"
import { clusterLayer, KeyedCluster } from "@threat-exposure/service/opensearch/cluster/ClusterStart"
import { openSearch, rotateClusterKey } from "@threat-exposure/service/opensearch/OpenSearch"
import { upgradeIndices } from "@threat-exposure/service/opensearch/cluster/copies/ClusterUpgrade"
import { credentialStateIndex } from "@threat-exposure/service/opensearch/TenantCredentialsOpenSearch"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { StoreUnavailable } from "@threat-exposure/service/requests/StoreUnavailable"
import { emptyCluster } from "@threat-exposure/service/testing/Engines"
import { memberIndex } from "@threat-exposure/service/opensearch/TenantStoreOpenSearch"
import { Effect, Exit, Layer } from "effect"

const node = await openSearchNode()

interface State {
  readonly tenantId: number
  readonly hash: string
  readonly ignoredAt: string | null
  readonly remediatedAt: string | null
}

const state = (hash: string, ignoredAt: string | null): State => ({ tenantId: 1, hash, ignoredAt, remediatedAt: null })
const ids = ["1:a", "1:b", "1:c"]
const ignoreAt = (at: string) =>
  new Map(
    ids.map((id) => [id, (stored: State = state(id, null)) => ({ ...stored, ignoredAt: stored.ignoredAt ?? at })])
  )

describe.skipIf("missing" in node)("missing" in node ? node.missing : "changes of several documents", () => {
  const url = "missing" in node ? "" : node.url

  const killedAfter = (cluster: Cluster["Service"], writes: number): Cluster["Service"] => ({
    ...cluster,
    write: (operations, options) =>
      operations[0]?.index.name === batchIndex.name
        ? cluster.write(operations, options)
        : Effect.andThen(
            cluster.write(operations.slice(0, writes)),
            Effect.die(new StoreUnavailable({ reason: "the process was killed" }))
          )
  })
  const batchOf = (tenantId: number, document: object) => ({
    index: batchIndex,
    id: `of tenant ${tenantId}`,
    document: { tenantId, index: credentialStateIndex.name, updates: [{ id: `${tenantId}:a`, document }] }
  })
  const ignoredAt = (cluster: Cluster["Service"], index = credentialStateIndex) =>
    Effect.forEach(ids, (id) => Effect.map(cluster.get(index, id), (stored) => stored?.document.ignoredAt))

  /** Without a service that would complete the batches. */
  const alone = Layer.unwrap(
    Effect.map(emptyCluster(url), (options) => clusterLayer(options, [batchIndex, credentialStateIndex, memberIndex]))
  )

  it.live("are completed after a kill between two of them, and overtake no later change", () =>
    Effect.gen(function* () {
      const { cluster } = (yield* KeyedCluster).now
      const first = updateMany(killedAfter(cluster, 1), credentialStateIndex, 1, ignoreAt("2026-01-01T00:00:00Z"))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(first)))
      assert.deepStrictEqual(yield* ignoredAt(cluster), ["2026-01-01T00:00:00Z", undefined, undefined])
      // Other requests change two of the documents meanwhile: one that was written, and one that was not.
      yield* cluster.put(credentialStateIndex, "1:b", state("1:b", null))
      yield* cluster.put(credentialStateIndex, "1:a", state("1:a", null))
      yield* completeBatches(cluster, [credentialStateIndex])
      assert.deepStrictEqual(yield* ignoredAt(cluster), [null, null, "2026-01-01T00:00:00Z"])
      assert.deepStrictEqual(yield* findBatches(cluster), [])

      // The documents exist already.
      const again = updateMany(killedAfter(cluster, 1), credentialStateIndex, 1, ignoreAt("2026-02-02T00:00:00Z"))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(again)))
      assert.deepStrictEqual(yield* ignoredAt(cluster), ["2026-02-02T00:00:00Z", null, "2026-01-01T00:00:00Z"])
      yield* completeBatches(cluster, [credentialStateIndex])
      assert.deepStrictEqual(yield* ignoredAt(cluster), [
        "2026-02-02T00:00:00Z",
        "2026-02-02T00:00:00Z",
        "2026-01-01T00:00:00Z"
      ])
    }).pipe(Effect.provide(alone), Effect.scoped)
  )

  it.live("are completed by a running service", () =>
    Effect.gen(function* () {
      const { cluster } = (yield* KeyedCluster).now
      const at = "2026-01-01T00:00:00Z"
      const killed = updateMany(killedAfter(cluster, 1), credentialStateIndex, 1, ignoreAt(at))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(killed)))
      while ((yield* findBatches(cluster)).length > 0) yield* Effect.sleep("100 millis")
      assert.deepStrictEqual(yield* ignoredAt(cluster), [at, at, at])
      yield* updateMany(cluster, credentialStateIndex, 1, ignoreAt("2026-03-03T00:00:00Z"))
      assert.deepStrictEqual(yield* findBatches(cluster), [])
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(emptyCluster(url), openSearch))), Effect.scoped)
  )

  it.live("are completed with what was to be added to another index", () =>
    Effect.gen(function* () {
      const { cluster } = (yield* KeyedCluster).now
      const addedAt = "2026-01-01T00:00:00Z"
      const member = { tenantId: 1, userId: 5, isReadonly: true, role: "viewer", addedAt }
      const added = ["1:5", "1:6"].map((id) => ({ index: memberIndex, id, document: member }))
      const killed = updateMany(killedAfter(cluster, 1), credentialStateIndex, 1, ignoreAt(addedAt), added)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(killed)))
      assert.deepStrictEqual(yield* ignoredAt(cluster), [undefined, undefined, undefined])
      yield* completeBatches(cluster, [credentialStateIndex, memberIndex])
      assert.deepStrictEqual(yield* ignoredAt(cluster), [addedAt, addedAt, addedAt])
      assert.deepStrictEqual((yield* cluster.get(memberIndex, "1:6"))?.document, member)
    }).pipe(Effect.provide(alone), Effect.scoped)
  )

  it.live("are completed before the key of the data is rotated", () =>
    Effect.gen(function* () {
      const options = yield* emptyCluster(url)
      // No service is running that could complete them.
      const opened = <A>(work: (cluster: Cluster["Service"]) => Effect.Effect<A>) =>
        Effect.flatMap(KeyedCluster, ({ now }) => work(now.cluster)).pipe(
          Effect.provide(clusterLayer(options, [batchIndex, credentialStateIndex]))
        )
      const killed = opened((cluster) =>
        updateMany(killedAfter(cluster, 1), credentialStateIndex, 1, ignoreAt("2026-01-01T00:00:00Z"))
      )
      assert.isTrue(Exit.isFailure(yield* Effect.exit(killed)))
      const refused = batchOf(1, { ...state("a", null), tenantId: "no number" })
      yield* opened((cluster) => cluster.write([refused]))
      const rotate = rotateClusterKey({ options, confirm: () => Effect.void, progress: () => Effect.void })
      const failure = yield* Effect.flip(rotate)
      assert.include(failure.message, `the change ${refused.id} in ${options.prefix}-batches`)
      assert.include(failure.message, "400: mapper_parsing_exception")
      yield* opened((cluster) => cluster.remove(batchIndex, refused.id))
      yield* rotate
      assert.deepStrictEqual(
        yield* opened(ignoredAt),
        ids.map(() => "2026-01-01T00:00:00Z")
      )
      assert.deepStrictEqual(yield* opened(findBatches), [])
    }).pipe(Effect.scoped)
  )

  it.live("are completed before an index is copied by an upgrade, which ends if they cannot be", () =>
    Effect.gen(function* () {
      const options = yield* emptyCluster(url)
      const later = { ...credentialStateIndex, version: credentialStateIndex.version + 1 }
      const opened = <A>(state: typeof credentialStateIndex, work: (cluster: Cluster["Service"]) => Effect.Effect<A>) =>
        Effect.flatMap(KeyedCluster, ({ now }) => work(now.cluster)).pipe(
          Effect.provide(clusterLayer(options, [batchIndex, state]))
        )
      const refused = batchOf(1, { ...state("a", null), tenantId: "no number" })
      yield* opened(credentialStateIndex, (cluster) =>
        Effect.gen(function* () {
          yield* updateMany(cluster, credentialStateIndex, 1, new Map(ids.map((id) => [id, () => state(id, null)])))
          const killed = updateMany(killedAfter(cluster, 1), credentialStateIndex, 1, ignoreAt("2026-01-01T00:00:00Z"))
          assert.isTrue(Exit.isFailure(yield* Effect.exit(killed)))
          yield* cluster.write([refused])
        })
      )
      const upgrade = upgradeIndices({
        options,
        indices: [batchIndex, later],
        confirm: () => Effect.void,
        progress: () => Effect.void
      })
      const failure = yield* Effect.flip(upgrade)
      assert.include(failure.message, `the change ${refused.id} in ${options.prefix}-batches`)
      assert.include(failure.message, "400: mapper_parsing_exception")
      // Nothing was changed: services of the former version still write.
      yield* opened(credentialStateIndex, (cluster) => cluster.remove(batchIndex, refused.id))
      assert.deepStrictEqual(yield* upgrade, [credentialStateIndex.name])
      assert.deepStrictEqual(
        yield* opened(later, (cluster) => ignoredAt(cluster, later)),
        ids.map(() => "2026-01-01T00:00:00Z")
      )
      assert.deepStrictEqual(yield* opened(later, findBatches), [])
    }).pipe(Effect.scoped)
  )

  it.live("are completed although the cluster refuses an earlier batch", () =>
    Effect.gen(function* () {
      const { cluster } = (yield* KeyedCluster).now
      yield* cluster.write([
        batchOf(1, { ...state("a", null), tenantId: "no number" }),
        batchOf(2, { ...state("a", null), tenantId: 2 })
      ])
      assert.isTrue(Exit.isFailure(yield* Effect.exit(completeBatches(cluster, [credentialStateIndex]))))
      assert.strictEqual((yield* cluster.get(credentialStateIndex, "2:a"))?.document.tenantId, 2)
      assert.deepStrictEqual(
        (yield* findBatches(cluster)).map(({ id }) => id),
        ["of tenant 1"]
      )
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(emptyCluster(url), openSearch))), Effect.scoped)
  )
})
