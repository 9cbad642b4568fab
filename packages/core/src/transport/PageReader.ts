/** Reads a page so that an item that cannot be decoded does not cost the others: docs/api.md#tolerance. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Page } from "../domain/Page.ts"
import type { UnreadableItem } from "../promise/ClientOptions.ts"
import type { UnexpectedResponse } from "./ApiError.ts"
import type { Body } from "./ResponseBody.ts"

export interface PageReading<A> {
  /** Without the items that could not be decoded. */
  readonly page: Page<A>
  readonly unreadable: ReadonlyArray<Unreadable>
}

interface Unreadable {
  readonly item: Omit<UnreadableItem, "from">
  /** Its faults, with their place in the page instead of in the item. */
  readonly faults: ReadonlyArray<string>
}

/** Decodes the page as a whole, and only if that fails item by item. Fails if the fault is not in the items. */
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
      return Effect.flatMap(decode(Result.succeed({ ...given, items: [] })), ({ next }) =>
        Effect.map(readItems(items, decode), ({ readable, unreadable }) => ({
          page: { items: readable, next },
          unreadable
        }))
      )
    })
  )

const readItems = Effect.fnUntraced(function* <A>(
  items: ReadonlyArray<unknown>,
  decode: (body: Body) => Effect.Effect<Page<A>, UnexpectedResponse>
) {
  const readable: Array<A> = []
  const unreadable: Array<Unreadable> = []
  for (const [index, item] of items.entries()) {
    const read = yield* Effect.result(decode(Result.succeed({ items: [item], next: null })))
    if (Result.isSuccess(read)) {
      readable.push(...read.success.items)
    } else {
      // It was decoded as the only item of a page.
      const { faults } = read.failure
      const inItem = faults.map((fault) => fault.replace(/^items\.0(?:\.|: )/u, ""))
      const inPage = faults.map((fault) => fault.replace(/^items\.0/u, `items.${index}`))
      unreadable.push({ item: { index, ...keyOf(item), faults: inItem }, faults: inPage })
    }
  }
  return { readable, unreadable }
})

const keyOf = (item: unknown): Pick<UnreadableItem, "id" | "uid"> => {
  if (!Predicate.isObject(item)) return {}
  const { id, metadata } = item
  const uid = Predicate.isObject(metadata) ? metadata["uid"] : undefined
  return {
    ...(Predicate.isString(uid) ? { uid } : undefined),
    ...(Predicate.isNumber(id) ? { id } : undefined)
  }
}
