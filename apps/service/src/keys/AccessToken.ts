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

export const sealToken = (vault: Vault, { expiresAt, keyId }: AccessToken): string => {
  const claims = JSON.stringify([keyId, expiresAt])
  return prefix + Buffer.concat([signatureOf(vault, claims), Buffer.from(claims)]).toString("base64url")
}

/** Undefined for what no service over this database gave, and for an API key. */
export const openToken = (vault: Vault, token: string): AccessToken | undefined => {
  if (!token.startsWith(prefix)) return undefined
  const bytes = Buffer.from(token.slice(prefix.length), "base64url")
  const claims = bytes.toString("utf8", signatureLength)
  if (bytes.length <= signatureLength) return undefined
  if (!timingSafeEqual(bytes.subarray(0, signatureLength), signatureOf(vault, claims))) return undefined
  const [keyId, expiresAt] = decodeClaims(claims)
  return { keyId, expiresAt }
}

const prefix = "tt_"
const signatureLength = 16

/** A cursor's text never begins like this, so neither can stand for the other. */
const signatureOf = (vault: Vault, claims: string): Uint8Array => vault.signature(`access-token\n${claims}`)

const decodeClaims = Schema.decodeSync(Schema.fromJsonString(Schema.Tuple([Schema.Int, Schema.Int])))
