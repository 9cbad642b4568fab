/**
 * The opaque `next` of a listing: the sort key of a page's last item, authenticated, and bound to the listing it came from.
 * Nothing is stored, so a cursor lives for weeks and survives a restart.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Vault } from "./Vault.ts"

/** The cursor was altered, or belongs to another listing. */
export class CursorInvalid extends Schema.TaggedError<CursorInvalid>()("CursorInvalid", {}) {
  override get message() {
    return "The cursor was altered, or belongs to another listing"
  }
}

/**
 * The cursors of one kind of listing. `key` is the shape of what they hold: the sort key of the last item of a page.
 *
 * `listing` names everything that must stay the same between pages (operation, path parameters, query, filters, order),
 * but not the size, which a caller may change on the way.
 */
export const cursors = <Key extends ReadonlyArray<string | number>>(key: Schema.Decoder<Key>) => {
  const decode = Schema.decodeUnknownSync(Schema.fromJsonString(key))
  return {
    seal: (vault: Vault, listing: unknown, key: Key): string => {
      const text = JSON.stringify(key)
      return Buffer.concat([vault.signature(bound(listing, text)), Buffer.from(text)]).toString("base64url")
    },
    open: (vault: Vault, listing: unknown, cursor: string): Result.Result<Key, CursorInvalid> => {
      const bytes = Buffer.from(cursor, "base64url")
      if (bytes.length <= signatureLength || bytes.toString("base64url") !== cursor)
        return Result.fail(new CursorInvalid())
      const text = bytes.toString("utf8", signatureLength)
      const signature = Buffer.from(vault.signature(bound(listing, text)))
      return signature.equals(bytes.subarray(0, signatureLength))
        ? Result.succeed(decode(text))
        : Result.fail(new CursorInvalid())
    }
  }
}

const signatureLength = 16

const bound = (listing: unknown, key: string): string => `${canonical(listing)}\n${key}`

/** JSON with sorted keys, so that a body whose fields come in another order is the same listing. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, nested: unknown) =>
    nested !== null && typeof nested === "object" && !Array.isArray(nested)
      ? Object.fromEntries(Object.entries(nested).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : nested
  )
