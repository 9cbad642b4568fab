import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Permission } from "@threat-exposure/core/domain/Permission"
import { type Connection, query } from "./database/Connection.ts"
import { Database } from "./database/Database.ts"
import { procedure } from "./database/Procedure.ts"
import { digestOf } from "../keys/ApiKeys.ts"
import { KeyStore, type KeyUses, type NewKey } from "../keys/KeyStore.ts"

export const KeyStoreSqlite = Layer.effect(
  KeyStore,
  Effect.map(Database, ({ connection, lookUp, write }) => {
    let checkedAt = Number.NaN
    let revision: unknown
    return KeyStore.of({
      create: (key) => write(createKey, key),
      replace: (key) => write(replaceKeys, key),
      revoke: (id, revokedAt) => write(revokeKey, { id, revokedAt }),
      list: Effect.sync(() => connection.all(everyKey)),
      byDigest: (digest) => lookUp(({ connection }) => connection.first(keyByDigest, digest)),
      // The file is asked at most once per millisecond.
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
  connection: Connection,
  { createdAt, expiresAt, label, permissions, tenantId, token }: NewKey
): number =>
  connection.run(
    "INSERT INTO keys (token_hash, tenant_id, permissions, created_at, label, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
    digestOf(token),
    tenantId,
    JSON.stringify(permissions),
    createdAt,
    label ?? null,
    expiresAt ?? null
  ).id

/** Returns the id of the key. */
const createKey = procedure("KeyStore.create", ({ connection }, key: NewKey): number => insertKey(connection, key))

const replaceKeys = procedure(
  "KeyStore.replace",
  ({ connection }, key: NewKey & { readonly label: string }): number => {
    connection.run("DELETE FROM keys WHERE tenant_id = ? AND label = ?", key.tenantId, key.label)
    return insertKey(connection, key)
  }
)

const revokeKey = procedure(
  "KeyStore.revoke",
  ({ connection }, { id, revokedAt }: { readonly id: number; readonly revokedAt: string }): boolean =>
    connection.run("UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?", revokedAt, id).changes > 0
)

const writeKeyUses = procedure("KeyStore.writeUses", ({ connection }, uses: KeyUses): void => {
  for (const [id, usedAt] of uses) {
    const time = new Date(usedAt).toISOString()
    connection.run("UPDATE keys SET last_used_at = max(coalesce(last_used_at, ''), ?) WHERE id = ?", time, id)
  }
})

export const keyProcedures = [createKey, replaceKeys, revokeKey, writeKeyUses]

const KeyRow = Schema.Struct({
  id: Schema.Int,
  tenantId: Schema.Int,
  permissions: Schema.fromJsonString(Schema.Array(Permission)),
  createdAt: Schema.String,
  revokedAt: Schema.NullOr(Schema.String),
  label: Schema.NullOr(Schema.String),
  expiresAt: Schema.NullOr(Schema.String),
  lastUsedAt: Schema.NullOr(Schema.String)
})

const keys = `SELECT id, tenant_id AS tenantId, permissions, created_at AS createdAt, revoked_at AS revokedAt, label,
  expires_at AS expiresAt, last_used_at AS lastUsedAt FROM keys`

const everyKey = query(KeyRow, `${keys} ORDER BY id`)
const keyByDigest = query(KeyRow, `${keys} WHERE token_hash = ?`)
