/** Policies in OpenSearch whose deletion was interrupted. */
import { assert, describe, it } from "@effect/vitest"
import { NotFound } from "@threat-exposure/core/domain/Failures"
import { PolicyUuid } from "@threat-exposure/core/domain/MatchingPolicy"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { assetOf } from "@threat-exposure/service/identifiers/Identifiers"
import { findingIndex } from "@threat-exposure/service/opensearch/events/EventIndex"
import { eventIdOf, findingDocumentOf, findingIdOf } from "@threat-exposure/service/opensearch/events/SealedEvent"
import { identifierIndex, sealAsset } from "@threat-exposure/service/opensearch/IdentifierIndex"
import { MatchingPolicyStore } from "@threat-exposure/service/matching-policies/MatchingPolicyStore"
import {
  MatchingPolicyStoreOpenSearch,
  policyIndex
} from "@threat-exposure/service/opensearch/MatchingPolicyStoreOpenSearch"
import type { Cluster } from "@threat-exposure/service/opensearch/cluster/Cluster"
import { KeyedCluster } from "@threat-exposure/service/opensearch/cluster/ClusterStart"
import { openSearch } from "@threat-exposure/service/opensearch/OpenSearch"
import { StoreUnavailable } from "@threat-exposure/service/requests/StoreUnavailable"
import { emptyCluster } from "@threat-exposure/service/testing/Engines"
import { Effect, Exit, Layer } from "effect"

const node = await openSearchNode()

const now = "2026-01-01T00:00:00.000Z"
const uuid = PolicyUuid.make("5d0b1f6a-3c52-4e0e-8a27-6f1d9c4b7e10")

const ids = [1, 2, 3]

/** Stores identifiers, and a policy without assignments. */
const storePolicy = Effect.gen(function* () {
  const { cluster, vault } = (yield* KeyedCluster).now
  const store = yield* MatchingPolicyStore
  const asset = assetOf({ name: "acme", type: "keyword", data: {} }, uuid, now)
  yield* cluster.write(
    ids.map((id) => ({
      index: identifierIndex,
      id: String(id),
      document: { id, tenantId: 1, asset: sealAsset(vault, { id, tenantId: 1 }, asset), policies: [] }
    }))
  )
  yield* store.insert({
    tenantId: 1,
    name: "Payments",
    type: "INCLUDED_KEYWORDS",
    value: { keywords: ["card"] },
    uuid,
    createdAt: now
  })
})

describe.skipIf("missing" in node)("missing" in node ? node.missing : "a policy in OpenSearch", () => {
  const url = "missing" in node ? "" : node.url

  it.live("removes past findings of an assignment whose service was killed before it did", () =>
    Effect.gen(function* () {
      const { cluster, vault } = (yield* KeyedCluster).now
      yield* storePolicy
      const finding = {
        title: "",
        content: "",
        description: "",
        actor: "",
        url: "",
        other: "",
        uid: "test/paste/1",
        uid_order: "test/paste/1",
        type: "paste",
        severity: "low",
        created_at: 1,
        loaded_at: now,
        digest: "",
        document: "",
        analysis: "",
        terms: [],
        seal: ""
      }
      const event = eventIdOf(finding.uid)
      yield* cluster.write(
        ids.map((identifier) => ({
          index: findingIndex,
          id: findingIdOf(identifier, event),
          document: findingDocumentOf(vault, finding, { event, identifier, tenantId: 1, matched_at: now })
        }))
      )
      const storeOver = (operations: Partial<Cluster["Service"]>) =>
        Effect.provide(
          MatchingPolicyStore,
          Layer.fresh(MatchingPolicyStoreOpenSearch).pipe(
            Layer.provide(Layer.succeed(KeyedCluster, { now: { cluster: { ...cluster, ...operations }, vault } }))
          )
        )
      const killed = yield* storeOver({
        removeAll: () => Effect.die(new StoreUnavailable({ reason: "the process was killed" }))
      })
      const assigning = { tenantId: 1, uuid, identifierIds: [1, 2], cleanPastEvents: true, assignedAt: now }
      assert.isTrue(Exit.isFailure(yield* Effect.exit(killed.assign(assigning))))
      assert.deepStrictEqual((yield* cluster.get(policyIndex, uuid))?.document.cleaning, [1, 2])

      yield* cluster.refresh(policyIndex)
      yield* storeOver({})
      while ((yield* cluster.get(policyIndex, uuid))?.document.cleaningSince !== undefined);
      const left = yield* cluster.all(findingIndex, { query: { match_all: {} }, sort: [{ identifier: "asc" }] })
      assert.deepStrictEqual(
        left.map(({ document }) => document.identifier),
        [3]
      )
      assert.isUndefined((yield* cluster.get(policyIndex, uuid))?.document.cleaning)
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(emptyCluster(url), openSearch))), Effect.scoped)
  )

  it.live(
    "is deleted by one write; its assignments are removed, even if a service is killed or another request adds one",
    () =>
      Effect.gen(function* () {
        const { cluster, vault } = (yield* KeyedCluster).now
        const store = yield* MatchingPolicyStore
        yield* storePolicy
        const assigning = { tenantId: 1, uuid, identifierIds: ids, cleanPastEvents: false, assignedAt: now }
        yield* store.assign(assigning)

        let changes = 0
        const update: Cluster["Service"]["update"] = (index, id, change) =>
          index.name === identifierIndex.name && (changes += 1) > 1
            ? Effect.die(new StoreUnavailable({ reason: "the process was killed" }))
            : cluster.update(index, id, change)
        const killed = yield* Effect.provide(
          MatchingPolicyStore,
          Layer.fresh(MatchingPolicyStoreOpenSearch).pipe(
            Layer.provide(Layer.succeed(KeyedCluster, { now: { cluster: { ...cluster, update }, vault } }))
          )
        )
        assert.isTrue(Exit.isFailure(yield* Effect.exit(killed.delete(1, uuid))))

        // The policy no longer exists for any request.
        for (const work of [store.find(1, uuid), store.assign(assigning), store.delete(1, uuid)]) {
          assert.instanceOf(yield* Effect.flip(work), NotFound)
        }
        for (const id of ids) assert.deepStrictEqual(yield* store.ofIdentifier(1, id), [])

        const assigned = Effect.andThen(
          cluster.refresh(identifierIndex),
          cluster.count(identifierIndex, { term: { "policies.uuid": uuid } })
        )
        const started = Layer.build(Layer.fresh(MatchingPolicyStoreOpenSearch))
        yield* started
        while ((yield* assigned) > 0);

        // A request that found the policy before its deletion assigns it.
        yield* cluster.update(identifierIndex, "2", (identifier) =>
          identifier === undefined
            ? undefined
            : {
                ...identifier,
                policies: [{ uuid, value: { keywords: ["card"] }, cleanPastEvents: false, assignedAt: now }]
              }
        )
        yield* started
        while ((yield* assigned) > 0);

        // Once all such requests have ended, nothing of the policy is left.
        yield* cluster.update(policyIndex, uuid, (policy) =>
          policy === undefined ? undefined : { ...policy, deletedAt: now }
        )
        yield* started
        while ((yield* cluster.count(policyIndex, { match_all: {} })) > 0);
      }).pipe(Effect.provide(Layer.unwrap(Effect.map(emptyCluster(url), openSearch))), Effect.scoped)
  )
})
