import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Permission } from "@threat-exposure/core/domain/Permission"
import { Cluster, type Query } from "./cluster/Cluster.ts"
import { ClusterState } from "./cluster/ClusterStart.ts"
import { type IndexDefinition, keptOnly, smallIndex } from "./cluster/IndexDefinition.ts"
import { transferredKeys } from "../transfer/TransferredTables.ts"
import { transferredDocuments } from "./cluster/ClusterTransfer.ts"
import { digestOf } from "../keys/ApiKeys.ts"
import { KeyStore, type NewKey } from "../keys/KeyStore.ts"

export const KeyStoreOpenSearch = Layer.effect(
  KeyStore,
  Effect.gen(function* () {
    const cluster = yield* Cluster
    const state = yield* ClusterState
    const changing = announcing(state)
    const create = Effect.fnUntraced(function* ({ createdAt, expiresAt, label, permissions, tenantId, token }: NewKey) {
      const id = yield* cluster.nextNumber("keys")
      const digest = Buffer.from(digestOf(token)).toString("hex")
      yield* changing(
        cluster.put(keyIndex, String(id), {
          id,
          digest,
          tenantId,
          permissions,
          createdAt,
          revokedAt: null,
          label: label ?? null,
          expiresAt: expiresAt ?? null,
          lastUsedAt: null
        })
      )
      return id
    })
    return KeyStore.of({
      create,
      replace: Effect.fnUntraced(function* (key) {
        const id = yield* create(key)
        const replaced: Query = {
          bool: {
            filter: [{ term: { tenantId: key.tenantId } }, { term: { label: key.label } }],
            must_not: [{ term: { id } }]
          }
        }
        yield* changing(cluster.removeAll(keyIndex, replaced))
        return id
      }),
      revoke: (id, revokedAt) =>
        Effect.map(
          changing(
            cluster.update(keyIndex, String(id), (key) =>
              key === undefined ? undefined : { ...key, revokedAt: key.revokedAt ?? revokedAt }
            )
          ),
          (key) => key !== undefined
        ),
      list: Effect.map(cluster.all(keyIndex, { query: { match_all: {} }, sort: [{ id: "asc" }] }), (hits) =>
        hits.map(({ document }) => ({ ...document, isAuthentic: true }))
      ),
      byDigest: (digest) => {
        const query: Query = { term: { digest: Buffer.from(digest).toString("hex") } }
        return Effect.map(cluster.search(keyIndex, { query, sort: [{ id: "asc" }], size: 1 }), ([hit]) =>
          hit === undefined ? undefined : { ...hit.document, isAuthentic: true }
        )
      },
      // Read again each second in any case, should a service have died between a change and its announcement.
      revision: (now) => Effect.map(state.recentRevision(), (revision) => `${revision} ${Math.floor(now / 1_000)}`),
      writeUses: (uses) =>
        Effect.forEach(
          uses,
          ([id, usedAt]) => {
            const lastUsedAt = new Date(usedAt).toISOString()
            return cluster.update(keyIndex, String(id), (key) =>
              key === undefined || (key.lastUsedAt ?? "") >= lastUsedAt ? undefined : { ...key, lastUsedAt }
            )
          },
          { discard: true, concurrency: 8 }
        )
    })
  })
)

/** Services that cache keys must ask again, whether this is cut off before the change or after it. */
const announcing =
  (state: ClusterState["Service"]) =>
  <A>(change: Effect.Effect<A>) =>
    Effect.andThen(
      state.advance,
      Effect.tap(change, () => state.advance)
    )

export const removeKeys = (cluster: Cluster["Service"], state: ClusterState["Service"], query: Query) =>
  announcing(state)(cluster.removeAll(keyIndex, query))

const KeyDocument = Schema.Struct({
  id: Schema.Int,
  /** The digest of the token, in hexadecimal digits. */
  digest: Schema.String,
  tenantId: Schema.Int,
  permissions: Schema.Array(Permission),
  createdAt: Schema.String,
  revokedAt: Schema.NullOr(Schema.String),
  label: Schema.NullOr(Schema.String),
  expiresAt: Schema.NullOr(Schema.String),
  lastUsedAt: Schema.NullOr(Schema.String)
})

export const keyIndex: IndexDefinition<typeof KeyDocument.Type> = {
  name: "keys",
  version: 1,
  settings: smallIndex,
  properties: {
    id: { type: "long" },
    digest: { type: "keyword" },
    tenantId: { type: "long" },
    permissions: keptOnly,
    createdAt: keptOnly,
    revokedAt: keptOnly,
    label: { type: "keyword" },
    expiresAt: keptOnly,
    lastUsedAt: keptOnly
  },
  document: KeyDocument
}

export const keysTransfer = transferredDocuments({
  table: transferredKeys,
  index: keyIndex,
  toDocument: (document) => ({ id: String(document.id), document })
})
