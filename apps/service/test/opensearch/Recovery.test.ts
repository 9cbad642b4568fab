/** Work of several tenants that services left incomplete, including a piece that can never be completed. */
import { isDeepStrictEqual } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { assetOf } from "@threat-exposure/service/identifiers/Identifiers"
import { batchIndex } from "@threat-exposure/service/opensearch/cluster/BulkUpdate"
import type { Cluster } from "@threat-exposure/service/opensearch/cluster/Cluster"
import { clusterLayer, KeyedCluster } from "@threat-exposure/service/opensearch/cluster/ClusterStart"
import { idOfTenant, type IndexDefinition } from "@threat-exposure/service/opensearch/cluster/IndexDefinition"
import { eventIndex, findingIndex } from "@threat-exposure/service/opensearch/events/EventIndex"
import { materializationIndex } from "@threat-exposure/service/opensearch/events/Materialization"
import {
  groupIndex,
  IdentifierGroupStoreOpenSearch
} from "@threat-exposure/service/opensearch/IdentifierGroupStoreOpenSearch"
import { identifierIndex, sealAsset } from "@threat-exposure/service/opensearch/IdentifierIndex"
import { creationIndex, IdentifierStoreOpenSearch } from "@threat-exposure/service/opensearch/IdentifierStoreOpenSearch"
import {
  MatchingPolicyStoreOpenSearch,
  policyIndex
} from "@threat-exposure/service/opensearch/MatchingPolicyStoreOpenSearch"
import { emptyCluster } from "@threat-exposure/service/testing/Engines"
import { Effect, Layer } from "effect"

const node = await openSearchNode()

const indices = [
  batchIndex,
  creationIndex,
  eventIndex,
  findingIndex,
  groupIndex,
  identifierIndex,
  materializationIndex,
  policyIndex
]
const at = "2026-01-01T00:00:00.000Z"
const kinds = ["updated", "cleaning", "deleted"]
/** The first tenant has the first and second identifier; 11 and 13 are two identifiers whose deletion is incomplete. */
const identifiers = [
  { id: 1, tenantId: 1 },
  { id: 2, tenantId: 1 },
  { id: 3, tenantId: 2 }
]
const policyOf = (kind: string, tenantId: number) => `${kind} of ${tenantId}`
const policyDocument = (kind: string, tenantId: number) => ({
  tenantId,
  name: kind,
  value: { keywords: ["card"] },
  createdAt: at,
  lastUpdatedAt: at,
  ...(kind === "updated" ? { isApplied: false } : {}),
  ...(kind === "cleaning" ? { cleaning: [tenantId === 1 ? 1 : 3], cleaningSince: at } : {}),
  ...(kind === "deleted" ? { deletedAt: at } : {})
})

describe.skipIf("missing" in node)("missing" in node ? node.missing : "the recovery of unfinished work", () => {
  const clusterForTest = Layer.unwrap(
    Effect.map(emptyCluster("missing" in node ? "" : node.url), (options) => clusterLayer(options, indices))
  )

  it.live("completes everything but what fails", () =>
    Effect.gen(function* () {
      const { cluster, vault } = (yield* KeyedCluster).now
      const asset = assetOf({ name: "acme", type: "keyword", data: {} }, "5d0b1f6a-3c52-4e0e-8a27-6f1d9c4b7e10", at)
      const assigned = { cleanPastEvents: true, assignedAt: at }
      yield* cluster.write([
        ...identifiers.map(({ id, tenantId }) => ({
          index: identifierIndex,
          id: String(id),
          document: {
            id,
            tenantId,
            groupId: tenantId,
            asset: sealAsset(vault, { id, tenantId }, asset),
            policies: kinds.map((kind) => ({
              ...assigned,
              uuid: policyOf(kind, tenantId),
              value: { type: "INCLUDED_KEYWORDS", keywords: ["former"] }
            }))
          }
        })),
        ...[1, 2].map((id) => ({
          index: groupIndex,
          id: idOfTenant(id, id),
          document: {
            id,
            tenant_id: id,
            feed_id: null,
            feed_owner_id: null,
            name: null,
            urn: null,
            isDeleted: true,
            deletedAt: at
          }
        })),
        ...[1, 2].flatMap((tenantId) =>
          kinds.map((kind) => ({
            index: policyIndex,
            id: policyOf(kind, tenantId),
            document: policyDocument(kind, tenantId)
          }))
        ),
        ...[11, 13].flatMap((id) => [
          { index: identifierIndex, id: String(id), document: { id, tenantId: 0, asset: "", policies: [] } },
          { index: creationIndex, id: String(id), document: { id, created_at: at } }
        ])
      ])

      const failsFor = (id: number) => [1, 11].includes(id)
      const fault = Effect.die(new Error("this identifier cannot be changed"))
      const faulty: Cluster["Service"] = {
        ...cluster,
        update: (index, id, change) =>
          index.name === identifierIndex.name && failsFor(Number(id)) ? fault : cluster.update(index, id, change),
        removeAll: (index, query) =>
          /"identifiers?":\[?(?:1|11)\b/u.test(JSON.stringify(query)) ? fault : cluster.removeAll(index, query)
      }
      yield* Layer.build(
        Layer.mergeAll(IdentifierGroupStoreOpenSearch, IdentifierStoreOpenSearch, MatchingPolicyStoreOpenSearch).pipe(
          Layer.provide(Layer.succeed(KeyedCluster, { now: { cluster: faulty, vault } }))
        )
      )

      const creations = () => remaining(cluster, creationIndex)
      const groups = () => remaining(cluster, groupIndex)
      const policies = () =>
        remaining(
          cluster,
          policyIndex,
          ({ cleaningSince, deletedAt, isApplied }) =>
            isApplied === false || cleaningSince !== undefined || deletedAt !== undefined
        )
      yield* becomes(creations, ["11"])
      yield* becomes(groups, ["1:1"])
      yield* becomes(policies, ["cleaning of 1", "deleted of 1", "updated of 1"])
      const stored = yield* Effect.forEach([1, 2, 3], (id) => cluster.get(identifierIndex, String(id)))
      assert.deepStrictEqual(
        stored.map((identifier) => identifier?.document.groupId),
        [1, null, null]
      )
      assert.deepStrictEqual(
        stored.map((identifier) => identifier?.document.policies.map(({ uuid, value }) => [uuid, value.keywords?.[0]])),
        [
          [
            ["updated of 1", "former"],
            ["cleaning of 1", "former"],
            ["deleted of 1", "former"]
          ],
          [
            ["updated of 1", "card"],
            ["cleaning of 1", "former"]
          ],
          [
            ["updated of 2", "card"],
            ["cleaning of 2", "former"]
          ]
        ]
      )
    }).pipe(Effect.provide(clusterForTest), Effect.scoped)
  )
})

/** The ids of the remaining documents. */
const remaining = <Document>(
  cluster: Cluster["Service"],
  index: IndexDefinition<Document>,
  isLeft: (document: Document) => boolean = () => true
) =>
  Effect.andThen(
    cluster.refresh(index),
    Effect.map(cluster.all(index, { query: { match_all: {} }, sort: [{ _seq_no: "asc" }] }), (hits) =>
      hits
        .filter(({ document }) => isLeft(document))
        .map(({ id }) => id)
        .toSorted()
    )
  )

const becomes = Effect.fnUntraced(function* (
  ids: () => Effect.Effect<ReadonlyArray<string>>,
  expected: ReadonlyArray<string>
) {
  while (!isDeepStrictEqual(yield* ids(), expected)) yield* Effect.sleep("100 millis")
})
