/** The digest of an API key and an expiry, signed with a key of the vault. Tokens are not stored. */
import { timingSafeEqual } from "node:crypto"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Vault } from "../crypto/Vault.ts"

export const tokenLifetime = 60 * 60 * 1_000

export interface AccessToken {
  /** Not the id of the key: a later key, of another tenant, can get it after a deletion or a restore. */
  readonly keyDigest: Uint8Array
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

export const encodeToken = (vault: Vault, token: AccessToken): string => {
  const claims = encodeClaims([token.keyDigest, token.expiresAt])
  return prefix + Buffer.concat([vault.mac("access-token", claims), Buffer.from(claims)]).toString("base64url")
}

/** Undefined if the text is not a token of this database, such as an API key. */
export const decodeToken = (vault: Vault, token: string): AccessToken | undefined => {
  if (!token.startsWith(prefix)) return undefined
  const bytes = Buffer.from(token.slice(prefix.length), "base64url")
  const text = bytes.toString("utf8", macLength)
  if (bytes.length <= macLength) return undefined
  if (!timingSafeEqual(bytes.subarray(0, macLength), vault.mac("access-token", text))) return undefined
  // Earlier versions signed other claims, which are not valid any more.
  const claims = Option.getOrUndefined(decodeClaims(text))
  return claims === undefined ? undefined : { keyDigest: claims[0], expiresAt: claims[1] }
}

const prefix = "tt_"
const macLength = 16

const Claims = Schema.fromJsonString(Schema.Tuple([Schema.Uint8ArrayFromBase64Url, Schema.Int]))
const encodeClaims = Schema.encodeSync(Claims)
const decodeClaims = Schema.decodeOption(Claims)
