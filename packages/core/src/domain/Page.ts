/** One page of a listing, with the cursor of the next page. See docs/api.md#paging. */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { integerParameter } from "./schema/RequestField.ts"
import { promiseAnnotation } from "./schema/Tolerant.ts"

/** The opaque position of the next page. Never parse it; only send it back, with all other parameters unchanged. */
export const Cursor = Schema.String
export type Cursor = typeof Cursor.Type

export interface Page<A> {
  /** May be empty in the middle of a listing. */
  readonly items: ReadonlyArray<A>
  /** Null on the last page only. */
  readonly next: Cursor | null
}

export const page = <Item extends Schema.Constraint>(identifier: string, item: Item) => {
  const wire = Schema.Struct({
    // An object without items is not a page: decoded as an empty page, it would silently end the listing.
    items: Schema.NullOr(Schema.Array(item)).annotate({ [promiseAnnotation]: "value" }),
    next: Schema.optionalKey(Schema.NullOr(Cursor).annotate({ [promiseAnnotation]: "nullable" }))
  }).annotate({ identifier })
  return wire.pipe(
    Schema.decodeTo(
      Schema.Struct({ items: Schema.Array(Schema.toType(item)), next: Schema.NullOr(Cursor) }).annotate({
        description: identifier
      }),
      SchemaTransformation.transform<Page<Item["Type"]>, (typeof wire)["Type"]>({
        decode: ({ items, next }) => ({ items: items ?? [], next: next ?? null }),
        encode: (page) => page
      })
    )
  )
}

export const Order = Schema.Literals(["asc", "desc"]).annotate({
  message: "Expected one of asc, desc"
})
export type Order = typeof Order.Type

/** The schema of a page size from 1 to `maxSize`. */
export const pageSize = (maxSize: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxSize }))

/** The base of a class for the query parameters of a listing. */
export const listQuery =
  <Self>() =>
  <const Fields extends Schema.Struct.Fields>(maxSize: number, fields: Fields) =>
    Schema.Opaque<Self>()(
      Schema.Struct({
        ...fields,
        size: Schema.optionalKey(integerParameter(pageSize(maxSize))),
        from: Schema.optionalKey(Cursor)
      })
    )
