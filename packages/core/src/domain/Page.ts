/** One page of a listing, and the cursor that leads to the next. See docs/api.md#paging. */
import * as Schema from "effect/Schema"
import { orNull } from "./Tolerant.ts"

/** The opaque position of the next page. Never parse it; only send it back, with everything else unchanged. */
export const Cursor = Schema.String.annotate({
  description: "Opaque: the `next` of a page, sent back as `from` with everything else unchanged"
})
export type Cursor = typeof Cursor.Type

export interface Page<A> {
  /** May be empty in the middle of a listing. */
  readonly items: ReadonlyArray<A>
  /** Null only on the last page. */
  readonly next: Cursor | null
}

export const page = <Item extends Schema.Constraint>(item: Item) =>
  Schema.Struct({ items: Schema.Array(item), next: orNull(Cursor) })

export const Order = Schema.Literals(["asc", "desc"]).annotate({
  description: "By time; desc where absent",
  message: "Expected one of asc, desc"
})
export type Order = typeof Order.Type

/** A page size from 1 to `maximum`; `usual` is the service's default. */
export const pageSize = (maximum: number, usual: number) =>
  Schema.Int.annotate({ description: `Items in a page, at most ${maximum}; ${usual} where absent` }).check(
    Schema.isBetween({ minimum: 1, maximum })
  )
