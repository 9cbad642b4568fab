/**
 * API keys. A key is 32 random bytes, so storing its plain SHA-256 is as safe as a password hash, and fast enough for every
 * request. The key itself is not stored.
 */
import { hash, randomBytes } from "node:crypto"
import * as Schema from "effect/Schema"
import { Permission } from "@threat-exposure/core/domain/Permission"
import { type Connection, query } from "../sqlite/Connection.ts"
import { type OpenDatabase, procedure } from "../sqlite/Procedure.ts"
import { decodeToken } from "./AccessToken.ts"

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

export interface NewKey {
  /** The key that a client sends. The caller shows it once. */
  readonly token: string
  readonly tenantId: number
  readonly permissions: ReadonlyArray<Permission>
  readonly createdAt: string
  readonly label?: string | undefined
  readonly expiresAt?: string | undefined
}

/** Returns the id of the key. */
export const createKey = procedure(
  "keys.create",
  ({ connection }, { createdAt, expiresAt, label, permissions, tenantId, token }: NewKey): number =>
    connection.run(
      "INSERT INTO keys (token_hash, tenant_id, permissions, created_at, label, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
      digest(token),
      tenantId,
      JSON.stringify(permissions),
      createdAt,
      label ?? null,
      expiresAt ?? null
    ).id
)

/** False if there is no such key. Revoking a key again keeps the first time. */
export const revokeKey = procedure(
  "keys.revoke",
  ({ connection }, { id, revokedAt }: { readonly id: number; readonly revokedAt: string }): boolean =>
    connection.run("UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?", revokedAt, id).changes > 0
)

/** When keys were last used, in milliseconds since 1970, by id. */
export type KeyUses = ReadonlyArray<readonly [keyId: number, usedAt: number]>

export const writeKeyUses = procedure("keys.writeUses", ({ connection }, uses: KeyUses): void => {
  for (const [id, usedAt] of uses) {
    const time = new Date(usedAt).toISOString()
    connection.run("UPDATE keys SET last_used_at = max(coalesce(last_used_at, ''), ?) WHERE id = ?", time, id)
  }
})

const KeyRow = Schema.Struct({
  id: Schema.Int,
  tenant_id: Schema.Int,
  permissions: Schema.fromJsonString(Schema.Array(Permission)),
  created_at: Schema.String,
  revoked_at: Schema.NullOr(Schema.String),
  label: Schema.NullOr(Schema.String),
  expires_at: Schema.NullOr(Schema.String),
  last_used_at: Schema.NullOr(Schema.String)
})

const columns = "id, tenant_id, permissions, created_at, revoked_at, label, expires_at, last_used_at"

const everyKey = query(KeyRow, `SELECT ${columns} FROM keys ORDER BY id`)

export const listKeys = (connection: Connection) => connection.all(everyKey)

const keyByHash = query(KeyRow, `SELECT ${columns} FROM keys WHERE token_hash = ? AND revoked_at IS NULL`)
const keyById = query(KeyRow, `SELECT ${columns} FROM keys WHERE id = ? AND revoked_at IS NULL`)

/** Caches keys until the database changes: a key that another process revokes is refused within a millisecond. */
export class KeyRing {
  readonly #database: OpenDatabase
  readonly #known = new Map<string, KnownToken>()
  #uses = new Map<number, number>()
  #version: unknown
  #checkedAt = Number.NaN

  constructor(database: OpenDatabase) {
    this.#database = database
  }

  /**
   * The key behind an API key or an access token; undefined if it is unknown, expired or revoked. `now` is in milliseconds;
   * the database is asked at most once per millisecond.
   */
  find(token: string, now: number): KnownToken | undefined {
    if (now !== this.#checkedAt) this.#forgetWhenChanged(now)
    // Keyed by digest, so that no token stays in memory.
    const hashed = hash("sha256", token, "base64url")
    const known = this.#known.get(hashed) ?? this.#learn(hashed, token)
    if (known === undefined || known.expiresAt <= now) return undefined
    this.#uses.set(known.id, now)
    return known
  }

  /** The uses since the last call. */
  takeUses(): KeyUses {
    const uses = [...this.#uses]
    this.#uses = new Map()
    return uses
  }

  #learn(hashed: string, token: string): KnownToken | undefined {
    const access = decodeToken(this.#database.vault, token)
    const row =
      access === undefined
        ? this.#database.connection.first(keyByHash, digest(token))
        : this.#database.connection.first(keyById, access.keyId)
    if (row === undefined) return undefined
    const { expires_at, id, permissions, tenant_id } = row
    const known = {
      id,
      key: { keyId: String(id), tenantId: tenant_id, permissions: new Set(permissions) },
      expiresAt: Math.min(timeOf(expires_at), access?.expiresAt ?? Number.POSITIVE_INFINITY),
      keyExpiresAt: timeOf(expires_at),
      isKey: access === undefined
    }
    if (this.#known.size >= maximumKnown) this.#known.clear()
    this.#known.set(hashed, known)
    return known
  }

  #forgetWhenChanged(now: number): void {
    this.#checkedAt = now
    const version = this.#database.connection.dataVersion
    if (version === this.#version) return
    this.#version = version
    this.#known.clear()
  }
}

export interface KnownToken {
  readonly id: number
  readonly key: ApiKey
  /** Milliseconds since 1970; infinite for a key that does not expire. */
  readonly expiresAt: number
  readonly keyExpiresAt: number
  /** False for an access token. */
  readonly isKey: boolean
}

/** Each exchange makes another token. */
const maximumKnown = 10_000

const timeOf = (timestamp: string | null): number =>
  timestamp === null ? Number.POSITIVE_INFINITY : Date.parse(timestamp)

const digest = (token: string): Uint8Array => hash("sha256", token, "buffer")
