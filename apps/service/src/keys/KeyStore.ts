import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Permission } from "@threat-exposure/core/domain/Permission"

export class KeyStore extends Context.Service<
  KeyStore,
  {
    create(key: NewKey): Effect.Effect<number>
    /** Creates a key and removes all keys of the tenant with the same label. */
    replace(key: NewKey & { readonly label: string }): Effect.Effect<number>
    /** Returns false if there is no such key. Revoking a key again does not change the time. */
    revoke(id: number, revokedAt: string): Effect.Effect<boolean>
    /** In the order of their ids. */
    readonly list: Effect.Effect<ReadonlyArray<StoredKey>>
    byDigest(digest: Uint8Array): Effect.Effect<StoredKey | undefined>
    /** A value that differs from all earlier ones after any process changed a key. `now` is in milliseconds. */
    revision(now: number): Effect.Effect<unknown>
    writeUses(uses: KeyUses): Effect.Effect<void>
  }
>()("@threat-exposure/service/keys/KeyStore") {}

export interface NewKey {
  /** The token that a client sends. The caller shows it once. */
  readonly token: string
  readonly tenantId: number
  readonly permissions: ReadonlyArray<Permission>
  readonly createdAt: string
  readonly label?: string | undefined
  readonly expiresAt?: string | undefined
}

/** Times are ISO 8601. */
export interface StoredKey {
  readonly id: number
  readonly tenantId: number
  readonly permissions: ReadonlyArray<Permission>
  readonly createdAt: string
  readonly revokedAt: string | null
  readonly label: string | null
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
  /** False if somebody without the key file added or changed the key. Such a key is refused. */
  readonly isAuthentic: boolean
}

/** When keys were last used, in milliseconds since 1970, by id. */
export type KeyUses = ReadonlyArray<readonly [keyId: number, usedAt: number]>
