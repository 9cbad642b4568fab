import * as Effect from "effect/Effect"
import type { Vault } from "../crypto/Vault.ts"
import { query } from "./database/Connection.ts"
import { encryptedColumn, type KeyedTable } from "./database/KeyedTable.ts"
import type { OpenDatabase } from "./database/Procedure.ts"
import { storeLayer } from "./database/StoreMethods.ts"
import { digestOf } from "../keys/ApiKeys.ts"
import { isSealed, sealContext, sealKey } from "../keys/KeySeal.ts"
import { KeyStore, type NewKey, type StoredKey } from "../keys/KeyStore.ts"
import { selectRows, transferredKeys } from "../transfer/TransferredTables.ts"

export const KeyStoreSqlite = storeLayer(KeyStore)(({ lookUp, write }) => {
  const readVersion = lookUp(({ connection }) => connection.dataVersion)
  let checkedAt = Number.NaN
  let revision: unknown
  return {
    create: write("create", insertKey),
    replace: write("replace", (database, key) => {
      database.connection.run("DELETE FROM keys WHERE tenant_id = ? AND label = ?", key.tenantId, key.label)
      return insertKey(database, key)
    }),
    revoke: write("revoke", (database, id, revokedAt) => {
      const { connection, vault } = database
      const key = connection.first(keyById, id)
      if (key === undefined) return false
      connection.run("UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?", revokedAt, id)
      if (isSealed(vault, key.seal, key)) seal(database, id)
      return true
    }),
    list: Effect.suspend(
      lookUp(({ connection, vault }) => connection.own(everyKey, [], (row) => storedKeyOf(vault, row)))
    ),
    byDigest: lookUp(({ connection, vault }, digest) => {
      const row = connection.first(keyByDigest, digest)
      return row === undefined ? undefined : storedKeyOf(vault, row)
    }),
    // The database is read at most once per millisecond.
    revision: (now) => {
      if (now === checkedAt) return Effect.succeed(revision)
      return Effect.mapEager(readVersion(), (version) => {
        checkedAt = now
        return (revision = version)
      })
    },
    writeUses: write("writeUses", ({ connection }, uses) => {
      for (const [id, usedAt] of uses) {
        const time = new Date(usedAt).toISOString()
        connection.run("UPDATE keys SET last_used_at = max(coalesce(last_used_at, ''), ?) WHERE id = ?", time, id)
      }
    })
  }
})

function insertKey(
  database: OpenDatabase,
  { createdAt, expiresAt, label, permissions, tenantId, token }: NewKey
): number {
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

const storedKeyOf = (vault: Vault, row: typeof KeyRow.Type): StoredKey => ({
  ...row,
  isAuthentic: isSealed(vault, row.seal, row)
})

export const keyedKeys: KeyedTable = {
  ...encryptedColumn({ name: "keys", key: { column: "id", type: "INTEGER" }, column: "seal", context: sealContext }),
  upgradeRows: (database, format) => {
    if (format !== 2) return
    for (const { id } of database.connection.all(everyKey)) seal(database, id)
  }
}

const KeyRow = transferredKeys.row
const keys = selectRows(transferredKeys)

const everyKey = query(KeyRow, `${keys} ORDER BY id`)
const keyById = query(KeyRow, `${keys} WHERE id = ?`)
const keyByDigest = query(KeyRow, `${keys} WHERE token_hash = ?`)
