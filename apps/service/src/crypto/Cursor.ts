/**
 * The opaque `next` of a listing: the place to go on from, authenticated, and bound to the listing it came from. Nothing
 * is kept, so a cursor lives for weeks and survives a restart.
 */
import * as Schema from "effect/Schema"
import type { Vault } from "./Vault.ts"

/** The sort key of the last item of a page. */
export type Place = ReadonlyArray<string | number>

/**
 * `listing` names everything that must stay the same between pages (operation, path parameters, query, filters, order),
 * but not the size, which a caller may change on the way.
 */
export const sealCursor = (vault: Vault, listing: unknown, place: Place): string => {
  const text = JSON.stringify(place)
  return Buffer.concat([vault.signature(bound(listing, text)), Buffer.from(text)]).toString("base64url")
}

/** Undefined where the cursor was altered, or came from another listing. */
export const openCursor = (vault: Vault, listing: unknown, cursor: string): Place | undefined => {
  const bytes = Buffer.from(cursor, "base64url")
  if (bytes.length <= signatureLength || bytes.toString("base64url") !== cursor) return undefined
  const text = bytes.toString("utf8", signatureLength)
  const signature = Buffer.from(vault.signature(bound(listing, text)))
  return signature.equals(bytes.subarray(0, signatureLength)) ? decodePlace(text) : undefined
}

const signatureLength = 16

const decodePlace = Schema.decodeSync(Schema.fromJsonString(Schema.Array(Schema.Union([Schema.String, Schema.Finite]))))

const bound = (listing: unknown, place: string): string => `${canonical(listing)}\n${place}`

/** JSON with sorted keys, so that a body whose fields come in another order is the same listing. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, nested: unknown) =>
    nested !== null && typeof nested === "object" && !Array.isArray(nested)
      ? Object.fromEntries(Object.entries(nested).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : nested
  )
