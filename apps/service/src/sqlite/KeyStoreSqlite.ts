import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Vault } from "../crypto/Vault.ts"
import { query } from "./database/Connection.ts"
import { Database } from "./database/Database.ts"
import { encryptedColumn, type KeyedTable } from "./database/KeyedTable.ts"
import { type OpenDatabase, procedure } from "./database/Procedure.ts"
import { digestOf } from "../keys/ApiKeys.ts"
import { isSealed, sealContext, sealKey } from "../keys/KeySeal.ts"
import { KeyStore, type KeyUses, type NewKey, type StoredKey } from "../keys/KeyStore.ts"
import { selectRows, transferredKeys } from "../transfer/TransferredTables.ts"

export const KeyStoreSqlite = Layer.effect(
  KeyStore,
  Effect.map(Database, ({ lookUp, write }) => {
    let checkedAt = Number.NaN
    let revision: unknown
    return KeyStore.of({
      create: (key) => write(createKey, key),
      replace: (key) => write(replaceKeys, key),
      revoke: (id, revokedAt) => write(revokeKey, { id, revokedAt }),
      list: Effect.suspend(() =>
        lookUp(({ connection, vault }) => connection.own(everyKey, [], (row) => storedKeyOf(vault, row)))
      ),
      byDigest: (digest) =>
        lookUp(({ connection, vault }) => {
          const row = connection.first(keyByDigest, digest)
          return row === undefined ? undefined : storedKeyOf(vault, row)
        }),
      // The database is read at most once per millisecond.
      revision: (now) => {
        if (now === checkedAt) return Effect.succeed(revision)
        return Effect.mapEager(
          lookUp(({ connection }) => connection.dataVersion),
          (version) => {
            checkedAt = now
            return (revision = version)
          }
        )
      },
      writeUses: (uses) => write(writeKeyUses, uses)
    })
  })
)

const insertKey = (
  database: OpenDatabase,
  { createdAt, expiresAt, label, permissions, tenantId, token }: NewKey
): number => {
  const id = database.connection.insertNumbered("keys", {
    token_hash: digestOf(token),
    tenant_id: tenantId,
    permissions: JSON.stringify(permissions),
    created_at: createdAt,
    label: label ?? null,
    expires_at: expiresAt ?? null
  })
  seal(database, id)
  return id
}

/** Seals the key after the insert, because the seal covers the id, which the insert assigns. */
const seal = ({ connection, vault }: OpenDatabase, id: number): void => {
  const key = connection.first(keyById, id)
  if (key !== undefined) connection.run("UPDATE keys SET seal = ? WHERE id = ?", sealKey(vault, key), id)
}

const createKey = procedure("KeyStore.create", (database, key: NewKey): number => insertKey(database, key))

const replaceKeys = procedure("KeyStore.replace", (database, key: NewKey & { readonly label: string }): number => {
  database.connection.run("DELETE FROM keys WHERE tenant_id = ? AND label = ?", key.tenantId, key.label)
  return insertKey(database, key)
})

const revokeKey = procedure(
  "KeyStore.revoke",
  (database, { id, revokedAt }: { readonly id: number; readonly revokedAt: string }): boolean => {
    const { connection, vault } = database
    const key = connection.first(keyById, id)
    if (key === undefined) return false
    connection.run("UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?", revokedAt, id)
    if (isSealed(vault, key.seal, key)) seal(database, id)
    return true
  }
)

const writeKeyUses = procedure("KeyStore.writeUses", ({ connection }, uses: KeyUses): void => {
  for (const [id, usedAt] of uses) {
    const time = new Date(usedAt).toISOString()
    connection.run("UPDATE keys SET last_used_at = max(coalesce(last_used_at, ''), ?) WHERE id = ?", time, id)
  }
})

const storedKeyOf = (vault: Vault, row: typeof KeyRow.Type): StoredKey => ({
  ...row,
  isAuthentic: isSealed(vault, row.seal, row)
})

export const keyedKeys: KeyedTable = {
  ...encryptedColumn({ name: "keys", key: { column: "id", type: "INTEGER" }, column: "seal", context: sealContext }),
  upgradeRows: (database) => {
    for (const { id } of database.connection.all(everyKey)) seal(database, id)
  }
}

const KeyRow = transferredKeys.row
const keys = selectRows(transferredKeys)

const everyKey = query(KeyRow, `${keys} ORDER BY id`)
const keyById = query(KeyRow, `${keys} WHERE id = ?`)
const keyByDigest = query(KeyRow, `${keys} WHERE token_hash = ?`)
