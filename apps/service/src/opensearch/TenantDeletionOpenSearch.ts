/** Deletes the documents of a tenant in every index with a field `tenantId` or `tenant_id`. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { removeKeys } from "./KeyStoreOpenSearch.ts"
import { identifierIndex, removeIdentifier } from "./IdentifierIndex.ts"
import { ClusterState, KeyedCluster } from "./cluster/ClusterStart.ts"
import type { IndexShape } from "./cluster/IndexDefinition.ts"
import { TenantDeletion } from "../tenants/TenantDeletion.ts"

export const TenantDeletionOpenSearch = (indices: ReadonlyArray<IndexShape>) =>
  Layer.effect(
    TenantDeletion,
    Effect.gen(function* () {
      const keyed = yield* KeyedCluster
      const state = yield* ClusterState
      const ofTenants = indices.flatMap((index) =>
        ["tenantId", "tenant_id"].flatMap((field) =>
          field in index.properties ? [{ index, ofTenant: (id: number) => ({ term: { [field]: id } }) }] : []
        )
      )

      return TenantDeletion.of({
        count: Effect.fnUntraced(function* (tenantId) {
          const { cluster } = keyed.now
          const counts = yield* Effect.forEach(ofTenants, ({ index, ofTenant }) =>
            Effect.map(cluster.count(index, ofTenant(tenantId)), (rows) => ({
              table: index.name.replaceAll("-", "_"),
              rows
            }))
          )
          return counts.filter(({ rows }) => rows > 0)
        }),
        delete: Effect.fnUntraced(function* (tenantId) {
          const { cluster } = keyed.now
          yield* removeKeys(cluster, state, { term: { tenantId } })
          const identifiers = yield* cluster.all(identifierIndex, {
            query: { term: { tenantId } },
            sort: [{ id: "asc" }]
          })
          yield* cluster.write(identifiers.map(({ document }) => removeIdentifier(document.id)))
          const others = ofTenants.filter(({ index }) => index.name !== identifierIndex.name)
          yield* Effect.forEach(others, ({ index, ofTenant }) => cluster.removeAll(index, ofTenant(tenantId)), {
            discard: true
          })
        })
      })
    })
  )
