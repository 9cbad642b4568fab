import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { Permission } from "@threat-exposure/core/domain/Permission"
import { Cluster, type Hit, type Query } from "./cluster/Cluster.ts"
import { ClusterState } from "./cluster/ClusterStart.ts"
import { type IndexDefinition, keptOnly } from "./cluster/IndexDefinition.ts"
import { transferredKeys } from "../transfer/TransferredTables.ts"
import { defineTransfer } from "./cluster/ClusterTransfer.ts"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import type { Vault } from "../crypto/Vault.ts"
import { digestOf } from "../keys/ApiKeys.ts"
import { isSealed, type SealedKey, sealKey } from "../keys/KeySeal.ts"
import { KeyStore, type NewKey, type StoredKey } from "../keys/KeyStore.ts"

export const KeyStoreOpenSearch = Layer.effect(
  KeyStore,
  Effect.gen(function* () {
    const cluster = yield* Cluster
    const state = yield* ClusterState
    const current = yield* CurrentVault
    const announceChange = announceAround(state)
    /**
     * Writes sealed keys; writes them again if the key of the data was rotated in the meantime, because the rotation
     * may have resealed the existing keys before the write.
     */
    const writeSealed = <A>(write: (vault: Vault) => Effect.Effect<A>) =>
      Effect.gen(function* () {
        for (;;) {
          const { vault } = current
          const written = yield* announceChange(write(vault))
          yield* state.revision
          if (current.vault === vault) return written
        }
      })
    const create = Effect.fnUntraced(function* ({ createdAt, expiresAt, label, permissions, tenantId, token }: NewKey) {
      const id = yield* cluster.nextNumber("keys")
      const digest = Buffer.from(digestOf(token)).toString("hex")
      const key = { id, digest, tenantId, permissions, createdAt, revokedAt: null, expiresAt: expiresAt ?? null }
      yield* writeSealed((vault) =>
        cluster.put(keyIndex, String(id), { ...key, label: label ?? null, lastUsedAt: null, seal: sealOf(vault, key) })
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
        yield* announceChange(cluster.removeAll(keyIndex, replaced))
        return id
      }),
      revoke: (id, revokedAt) =>
        Effect.map(
          writeSealed((vault) =>
            cluster.update(keyIndex, String(id), (key) => {
              if (key === undefined) return undefined
              const revoked = { ...key, revokedAt: key.revokedAt ?? revokedAt }
              return isSealed(vault, key.seal, key) ? { ...revoked, seal: sealOf(vault, revoked) } : revoked
            })
          ),
          (key) => key !== undefined
        ),
      list: Effect.map(cluster.all(keyIndex, { query: { match_all: {} }, sort: [{ id: "asc" }] }), (hits) =>
        hits.map((hit) => storedKeyOf(current.vault, hit))
      ),
      byDigest: (digest) => {
        const query: Query = { term: { digest: Buffer.from(digest).toString("hex") } }
        return Effect.map(cluster.search(keyIndex, { query, sort: [{ id: "asc" }], size: maxPlanted }), (hits) => {
          const keys = hits.map((hit) => storedKeyOf(current.vault, hit))
          // A planted row with the same digest must not hide the key.
          return keys.find(({ isAuthentic }) => isAuthentic) ?? keys[0]
        })
      },
      // The time makes services read keys again each second, even if a service died between a change and its
      // announcement.
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

const sealOf = (vault: Vault, key: SealedKey): string => Buffer.from(sealKey(vault, key)).toString("base64")

/** Authentic only under its own id: a copy of the row under another id could be used after the key is revoked. */
const storedKeyOf = (vault: Vault, { document, id }: Hit<typeof KeyDocument.Type>): StoredKey => ({
  ...document,
  isAuthentic: id === String(document.id) && isSealed(vault, document.seal, document)
})

/** Maximum number of rows with the digest of one key. */
const maxPlanted = 100

/** Seals the keys with the current key of the data. The vault also reads seals made with former keys. */
export const resealKeys = Effect.fnUntraced(function* (cluster: Cluster["Service"], vault: Vault) {
  yield* cluster.refresh(keyIndex)
  const keys = yield* cluster.all(keyIndex, { query: { match_all: {} }, sort: [{ id: "asc" }] })
  yield* Effect.forEach(
    keys,
    ({ id }) =>
      cluster.update(keyIndex, id, (key) =>
        key === undefined || !isSealed(vault, key.seal, key) ? undefined : { ...key, seal: sealOf(vault, key) }
      ),
    { discard: true, concurrency: 8 }
  )
})

/**
 * Announces a change of API keys before and after it, so that services read the keys again even if this program is
 * killed between the steps.
 */
const announceAround =
  (state: ClusterState["Service"]) =>
  <A>(change: Effect.Effect<A>) =>
    Effect.andThen(
      state.advance,
      Effect.tap(change, () => state.advance)
    )

export const removeKeys = (cluster: Cluster["Service"], state: ClusterState["Service"], query: Query) =>
  announceAround(state)(cluster.removeAll(keyIndex, query))

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
  lastUsedAt: Schema.NullOr(Schema.String),
  /** See `KeySeal.ts`; in base64. */
  seal: Schema.String
})

const FormerKeyDocument = KeyDocument.mapFields(Struct.omit(["seal"]))

const decodeFormer = Schema.decodeUnknownSync(FormerKeyDocument)

export const keyIndex: IndexDefinition<typeof KeyDocument.Type> = {
  name: "keys",
  // Version 1 had no seals.
  version: 2,
  properties: {
    id: { type: "long" },
    digest: { type: "keyword" },
    tenantId: { type: "long" },
    permissions: keptOnly,
    createdAt: keptOnly,
    revokedAt: keptOnly,
    label: { type: "keyword" },
    expiresAt: keptOnly,
    lastUsedAt: keptOnly,
    seal: keptOnly
  },
  upgrade: {
    docValues: [],
    document: (vault, { source }) => {
      const key = decodeFormer(source)
      return { ...key, seal: sealOf(vault, key) }
    }
  },
  document: KeyDocument
}

export const keysTransfer = defineTransfer({
  table: transferredKeys,
  index: keyIndex,
  toDocument: (row, vault) => ({
    id: String(row.id),
    // A key whose row is not authentic is copied without a seal, so that it cannot be used.
    document: { ...row, seal: isSealed(vault, row.seal, row) ? sealOf(vault, row) : "" }
  })
})
