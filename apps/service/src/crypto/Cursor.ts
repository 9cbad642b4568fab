/**
 * The opaque `next` of a listing: the sort key of a page's last item, authenticated, and bound to its listing. Nothing
 * is stored, so a cursor is valid for weeks and across restarts, until the key is rotated.
 */
import { timingSafeEqual } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Vault } from "./Vault.ts"
import { withoutStack } from "../ExpectedFailure.ts"

/** The cursor was altered, or belongs to another listing. */
export class CursorInvalid extends Schema.TaggedError<CursorInvalid>()("CursorInvalid", {}) {
  override get message() {
    return "The cursor was altered, or belongs to another listing"
  }
}

const makeCursorInvalid = () => withoutStack(() => new CursorInvalid())

/**
 * `key` is the schema of the sort key. `listing` contains everything that must stay the same between pages (operation,
 * path, filters, order), but not the size.
 */
export const cursors = <Key extends ReadonlyArray<string | number>>(key: Schema.Decoder<Key>) => {
  const decodeKey = Schema.decodeUnknownResult(Schema.fromJsonString(key))
  const encode = (vault: Vault, listing: unknown, key: Key): string => {
    const text = JSON.stringify(key)
    return Buffer.concat([vault.mac("cursor", bound(listing, text)), Buffer.from(text)]).toString("base64url")
  }
  const decode = (vault: Vault, listing: unknown, cursor: string): Result.Result<Key, CursorInvalid> => {
    const bytes = readBytes(cursor)
    if (bytes === undefined) return Result.fail(makeCursorInvalid())
    const text = bytes.toString("utf8", macLength)
    return timingSafeEqual(vault.mac("cursor", bound(listing, text)), bytes.subarray(0, macLength))
      ? // An earlier version may have stored another key.
        Result.mapError(decodeKey(text), makeCursorInvalid)
      : Result.fail(makeCursorInvalid())
  }
  /** Opens the listing after the position of the cursor, or at its beginning. */
  const open = (vault: Vault, listing: unknown, from: string | undefined) =>
    Effect.map(from === undefined ? Effect.undefined : Effect.fromResult(decode(vault, listing, from)), (after) => {
      const next = (last: Key | undefined) => (last === undefined ? null : encode(vault, listing, last))
      /** The first `size` rows as a page. Additional rows show that there is a next page. */
      const page = <Row>(rows: ReadonlyArray<Row>, size: number, keyOf: (row: Row) => Key) => {
        const items = rows.slice(0, size)
        const last = rows.length > size ? items.at(-1) : undefined
        return { items, next: next(last === undefined ? undefined : keyOf(last)) }
      }
      return { after, next, page }
    })
  return { encode, decode, open }
}

/** Which listing a cursor must belong to is known only if the rest of the request is valid. */
export const hasCursorForm = (cursor: string): boolean => {
  const bytes = readBytes(cursor)
  return bytes !== undefined && Result.isSuccess(decodeJson(bytes.toString("utf8", macLength)))
}

const readBytes = (cursor: string): Buffer | undefined => {
  const bytes = Buffer.from(cursor, "base64url")
  return bytes.length <= macLength || bytes.toString("base64url") !== cursor ? undefined : bytes
}

const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

const macLength = 16

const bound = (listing: unknown, key: string): string => `${canonical(listing)}\n${key}`

/** JSON with sorted keys, so that the order of a body's fields does not matter. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, nested: unknown) =>
    nested !== null && typeof nested === "object" && !Array.isArray(nested)
      ? Object.fromEntries(Object.entries(nested).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : nested
  )
