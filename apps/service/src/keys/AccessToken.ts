/**
 * The token that an API key is exchanged for: the key's id and an expiry, authenticated under the vault. No service stores
 * it, and every service over the same database accepts it, for as long as the key is valid.
 */
import { timingSafeEqual } from "node:crypto"
import * as Schema from "effect/Schema"
import type { Vault } from "../crypto/Vault.ts"

export const tokenLifetime = 60 * 60 * 1_000

export interface AccessToken {
  readonly keyId: number
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

export const encodeToken = (vault: Vault, { expiresAt, keyId }: AccessToken): string => {
  const claims = JSON.stringify([keyId, expiresAt])
  return prefix + Buffer.concat([vault.mac("access-token", claims), Buffer.from(claims)]).toString("base64url")
}

/** Undefined for what no service over this database gave, and for an API key. */
export const decodeToken = (vault: Vault, token: string): AccessToken | undefined => {
  if (!token.startsWith(prefix)) return undefined
  const bytes = Buffer.from(token.slice(prefix.length), "base64url")
  const claims = bytes.toString("utf8", macLength)
  if (bytes.length <= macLength) return undefined
  if (!timingSafeEqual(bytes.subarray(0, macLength), vault.mac("access-token", claims))) return undefined
  const [keyId, expiresAt] = decodeClaims(claims)
  return { keyId, expiresAt }
}

const prefix = "tt_"
const macLength = 16

const decodeClaims = Schema.decodeSync(Schema.fromJsonString(Schema.Tuple([Schema.Int, Schema.Int])))
