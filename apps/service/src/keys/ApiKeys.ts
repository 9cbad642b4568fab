/** A key is 32 random bytes, so a plain SHA-256 digest is as safe as a password hash, and fast enough. */
import { hash, randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import type { Permission } from "@threat-exposure/core/domain/Permission"
import type { CurrentVault } from "../crypto/CurrentVault.ts"
import { decodeToken } from "./AccessToken.ts"
import type { KeyStore, KeyUses, StoredKey } from "./KeyStore.ts"

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

export const digestOf = (token: string): Uint8Array => hash("sha256", token, "buffer")

/** Caches keys until the store changes: a key that another process revokes is refused from the next request on. */
export class KeyRing {
  readonly #store: KeyStore["Service"]
  readonly #current: CurrentVault["Service"]
  #known = new Map<string, KnownToken>()
  #uses = new Map<number, number>()
  #revision: unknown

  constructor(store: KeyStore["Service"], current: CurrentVault["Service"]) {
    this.#store = store
    this.#current = current
  }

  /** The key of an API key or access token; undefined if it is unknown, expired or revoked. */
  find(token: string, now: number): Effect.Effect<KnownToken | undefined> {
    return Effect.flatMapEager(this.#store.revision(now), (revision) => {
      if (revision !== this.#revision) {
        this.#revision = revision
        this.#known = new Map()
      }
      // Looked up by digest, so that no token is kept in memory.
      const hashed = hash("sha256", token, "base64url")
      const known = this.#known.get(hashed)
      return known === undefined
        ? Effect.mapEager(this.#learn(hashed, token), (learnt) => this.#use(learnt, now))
        : Effect.succeed(this.#use(known, now))
    })
  }

  takeUses(): KeyUses {
    const uses = [...this.#uses]
    this.#uses = new Map()
    return uses
  }

  #use(known: KnownToken | undefined, now: number): KnownToken | undefined {
    if (known === undefined || known.expiresAt <= now) return undefined
    this.#uses.set(known.id, now)
    return known
  }

  #learn(hashed: string, token: string): Effect.Effect<KnownToken | undefined> {
    // The result belongs to the current revision, even if the revision changes during the read.
    const learning = this.#known
    const access = decodeToken(this.#current.vault, token)
    return Effect.mapEager(this.#store.byDigest(access?.keyDigest ?? digestOf(token)), (key) => {
      if (key === undefined || !key.isAuthentic || key.revokedAt !== null) return undefined
      const known = knownOf(key, access?.expiresAt)
      if (learning.size >= maximumKnown) learning.clear()
      learning.set(hashed, known)
      return known
    })
  }
}

export interface KnownToken {
  readonly id: number
  readonly key: ApiKey
  /** Milliseconds since 1970; infinite for a key that does not expire. */
  readonly expiresAt: number
  readonly keyExpiresAt: number
  readonly isKey: boolean
}

const knownOf = (
  { expiresAt, id, permissions, tenantId }: StoredKey,
  tokenExpiresAt: number | undefined
): KnownToken => {
  const keyExpiresAt = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt)
  return {
    id,
    key: { keyId: String(id), tenantId, permissions: new Set(permissions) },
    expiresAt: Math.min(keyExpiresAt, tokenExpiresAt ?? Number.POSITIVE_INFINITY),
    keyExpiresAt,
    isKey: tokenExpiresAt === undefined
  }
}

/** A bound is needed because each exchange creates a new token. */
const maximumKnown = 10_000
