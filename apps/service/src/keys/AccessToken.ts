/**
 * Access tokens: the id of an API key and an expiry, signed with a key of the vault. They are not stored, and every service
 * over the same database accepts them while the key is valid. See docs/api.md#exchange-an-api-key.
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

/** Undefined for a text that is not a token of this database, such as an API key. */
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
