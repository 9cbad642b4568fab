/** Reads a page or a list so that an undecodable item does not affect the others: docs/api.md#tolerance. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Page } from "../domain/Page.ts"
import type { UnexpectedResponse } from "./ApiError.ts"
import type { UnreadableItem } from "./ClientOptions.ts"
import type { Body } from "./ResponseBody.ts"

export interface PageReading<A> {
  readonly page: Page<A>
  readonly unreadable: ReadonlyArray<Unreadable>
}

interface Unreadable {
  readonly item: Omit<UnreadableItem, "from">
  /** The item's faults, with places relative to the body instead of the item. */
  readonly faults: ReadonlyArray<string>
}

/** Decodes the page as a whole, or item by item if that fails. Fails if the fault is not in an item. */
export const readPage = <A>(
  body: Body,
  decode: (body: Body) => Effect.Effect<Page<A>, UnexpectedResponse>
): Effect.Effect<PageReading<A>, UnexpectedResponse> =>
  decode(body).pipe(
    Effect.map((page) => ({ page, unreadable: [] })),
    Effect.catch((failure) => {
      const given = Result.getOrUndefined(body)
      if (!Predicate.isObject(given) || !Array.isArray(given["items"])) return Effect.fail(failure)
      const items: ReadonlyArray<unknown> = given["items"]
      const decodeItem = (item: unknown) => decode(Result.succeed({ items: [item], next: null }))
      return Effect.flatMap(decode(withoutItems(given, items)), ({ next }) => readItems(items, next, decodeItem))
    })
  )

/** The page without its items. Whether it is an error only counts if there are none. */
const withoutItems = (page: { readonly [name: string]: unknown }, items: ReadonlyArray<unknown>): Body =>
  Result.succeed(items.length === 0 ? page : { items: [], next: page["next"] ?? null })

export const readRawPage = (
  body: Body,
  decode: (body: Body) => Effect.Effect<Page<unknown>, UnexpectedResponse>
): Effect.Effect<PageReading<unknown>, UnexpectedResponse> => {
  const given = Result.getOrUndefined(body)
  const items: unknown = Predicate.isObject(given) ? given["items"] : undefined
  return Predicate.isObject(given) && Array.isArray(items)
    ? Effect.map(decode(withoutItems(given, items)), ({ next }) => ({
        page: { items, next },
        unreadable: []
      }))
    : Effect.map(decode(body), (page) => ({ page, unreadable: [] }))
}

export const readList = <A>(
  body: Body,
  decode: (body: Body) => Effect.Effect<ReadonlyArray<A>, UnexpectedResponse>
): Effect.Effect<PageReading<A>, UnexpectedResponse> => {
  const decodePage = (body: Body) => Effect.map(decode(body), (items) => ({ items, next: null }))
  return decodePage(body).pipe(
    Effect.map((page) => ({ page, unreadable: [] })),
    Effect.catch((failure) => {
      const items = Result.getOrUndefined(body)
      return Array.isArray(items)
        ? readItems(items, null, (item) => decodePage(Result.succeed([item])))
        : Effect.fail(failure)
    })
  )
}

/** `decodeItem` decodes an item as the only one of a page. */
const readItems = Effect.fnUntraced(function* <A>(
  given: ReadonlyArray<unknown>,
  next: Page<A>["next"],
  decodeItem: (item: unknown) => Effect.Effect<Page<A>, UnexpectedResponse>
) {
  const items: Array<A> = []
  const unreadable: Array<Unreadable> = []
  for (const [index, item] of given.entries()) {
    const read = yield* Effect.result(decodeItem(item))
    if (Result.isSuccess(read)) {
      items.push(...read.success.items)
    } else {
      const { faults } = read.failure
      const inItem = faults.map((fault) => fault.replace(/^(?:items\.)?0(?:\.|: )/u, ""))
      const inBody = faults.map((fault) => fault.replace(/^((?:items\.)?)0/u, `$1${index}`))
      unreadable.push({ item: { index, ...keyOf(item), faults: inItem }, faults: inBody })
    }
  }
  return { page: { items, next }, unreadable }
})

const keyOf = (item: unknown): Pick<UnreadableItem, "id" | "uid"> => {
  if (!Predicate.isObject(item)) return {}
  const { id, metadata } = item
  const uid = Predicate.isObject(metadata) ? metadata["uid"] : undefined
  return {
    ...(Predicate.isString(uid) ? { uid } : undefined),
    // JSON.parse rounds larger integers, which would result in another id.
    ...(Predicate.isNumber(id) && Number.isSafeInteger(id) ? { id } : undefined)
  }
}
