/** Without the key file, write access to the store is not enough to add a key or to change its permissions. */
import type { Vault } from "../crypto/Vault.ts"
import type { StoredKey } from "./KeyStore.ts"

/** The sealed fields: all but the label and the last use, which grant nothing. */
export interface SealedKey extends Omit<StoredKey, "isAuthentic" | "label" | "lastUsedAt"> {
  /** The digest of the token, in hexadecimal digits. */
  readonly digest: string
}

export const sealKey = (vault: Vault, key: SealedKey): Uint8Array => vault.encrypt(textToSeal(key), sealContext(key.id))

export const isSealed = (vault: Vault, seal: Uint8Array | string | null, key: SealedKey): boolean => {
  if (seal === null) return false
  try {
    return vault.decrypt(seal, sealContext(key.id)) === textToSeal(key)
  } catch {
    return false
  }
}

export const sealContext = (id: number | string): string => `keys.seal/${id}`

const textToSeal = ({ createdAt, digest, expiresAt, id, permissions, revokedAt, tenantId }: SealedKey): string =>
  JSON.stringify([id, digest, tenantId, permissions, createdAt, revokedAt, expiresAt])
