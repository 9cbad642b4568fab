/**
 * API keys: who may call. A token is 32 random bytes, so its plain SHA-256 is as good as a password hash, and quick enough
 * to be taken on every request; the token itself is kept nowhere.
 */
import { hash, randomBytes } from "node:crypto"
import * as Schema from "effect/Schema"
import { Permission } from "@threat-exposure/core/domain/Permission"
import { type Connection, query } from "../sqlite/Connection.ts"
import { procedure } from "../sqlite/Procedure.ts"

export interface ApiKey {
  readonly keyId: string
  readonly tenantId: number
  readonly permissions: ReadonlySet<Permission>
}

/** The names of the permissions on the command line (docs/api.md#permissions). */
export const permissionWords = {
  "read-tenant": "Read Tenant",
  "write-tenant": "Write Tenant",
  "write-tenant-admin": "Write Tenant Admin"
} as const satisfies Record<string, Permission>

export const newToken = (): string => `te_${randomBytes(32).toString("base64url")}`

/** Stores the key of a new token. The token is told once, by the caller, and never again. */
export const createKey = procedure(
  "keys.create",
  (
    { connection },
    {
      createdAt,
      permissions,
      tenantId,
      token
    }: {
      readonly token: string
      readonly tenantId: number
      readonly permissions: ReadonlyArray<Permission>
      readonly createdAt: string
    }
  ): number =>
    connection.run(
      "INSERT INTO keys (token_hash, tenant_id, permissions, created_at) VALUES (?, ?, ?, ?)",
      digest(token),
      tenantId,
      JSON.stringify(permissions),
      createdAt
    ).id
)

/** False where there is no such key. Revoking twice keeps the first moment. */
export const revokeKey = procedure(
  "keys.revoke",
  ({ connection }, { id, revokedAt }: { readonly id: number; readonly revokedAt: string }): boolean =>
    connection.run("UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?", revokedAt, id).changes > 0
)

const KeyRow = Schema.Struct({
  id: Schema.Int,
  tenant_id: Schema.Int,
  permissions: Schema.fromJsonString(Schema.Array(Permission)),
  created_at: Schema.String,
  revoked_at: Schema.NullOr(Schema.String)
})

const everyKey = query(KeyRow, "SELECT id, tenant_id, permissions, created_at, revoked_at FROM keys ORDER BY id")

export const listKeys = (connection: Connection) => connection.all(everyKey)

const keyOfToken = query(
  KeyRow,
  "SELECT id, tenant_id, permissions, created_at, revoked_at FROM keys WHERE token_hash = ? AND revoked_at IS NULL"
)

/** The keys in use, remembered until the database changes: a key revoked by another process stops within a millisecond. */
export class KeyRing {
  readonly #connection: Connection
  readonly #known = new Map<string, ApiKey>()
  #version: unknown
  #checkedAt = Number.NaN

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Undefined for a token that no key has. `now` is in milliseconds: within one, the database is not asked again. */
  find(token: string, now: number): ApiKey | undefined {
    if (now !== this.#checkedAt) this.#forgetWhenChanged(now)
    // The digest is the name here too, so that no token stays in memory.
    const hashed = hash("sha256", token, "base64url")
    const known = this.#known.get(hashed)
    if (known !== undefined) return known
    const row = this.#connection.first(keyOfToken, digest(token))
    if (row === undefined) return undefined
    const key = { keyId: String(row.id), tenantId: row.tenant_id, permissions: new Set(row.permissions) }
    this.#known.set(hashed, key)
    return key
  }

  #forgetWhenChanged(now: number): void {
    this.#checkedAt = now
    const version = this.#connection.prepare("PRAGMA data_version").get()?.["data_version"]
    if (version === this.#version) return
    this.#version = version
    this.#known.clear()
  }
}

const digest = (token: string): Uint8Array => hash("sha256", token, "buffer")
