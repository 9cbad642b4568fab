/** One page of a listing, and the cursor that leads to the next. See docs/api.md#paging. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { promiseAnnotation } from "./Tolerant.ts"

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

export const pageOnWire = <Item extends Schema.Constraint>(identifier: string, item: Item) =>
  Schema.Struct({
    items: Schema.optionalKey(Schema.NullOr(Schema.Array(item)).annotate({ [promiseAnnotation]: "value" })),
    next: Schema.optionalKey(Schema.NullOr(Cursor).annotate({ [promiseAnnotation]: "nullable" }))
  }).annotate({ identifier })

/** An object with neither field is no page: read as an empty one, it would end a listing that has found nothing. */
export const readPage = <A>({
  items,
  next
}: {
  readonly items?: ReadonlyArray<A> | null
  readonly next?: Cursor | null
}): Effect.Effect<Page<A>, SchemaIssue.Issue> =>
  items === undefined && next === undefined
    ? Effect.fail(new SchemaIssue.InvalidValue({ message: "Expected a page: an object with items and next" }))
    : Effect.succeed({ items: items ?? [], next: next ?? null })

export const page = <Item extends Schema.Constraint>(identifier: string, item: Item) => {
  const wire = pageOnWire(identifier, item)
  return wire.pipe(
    Schema.decodeTo(
      Schema.Struct({ items: Schema.Array(Schema.toType(item)), next: Schema.NullOr(Cursor) }).annotate({
        description: identifier
      }),
      SchemaTransformation.transformEffect<Page<Item["Type"]>, (typeof wire)["Type"]>({
        decode: readPage,
        encode: Effect.succeed
      })
    )
  )
}

export const Order = Schema.Literals(["asc", "desc"]).annotate({
  description: "By time; desc where absent",
  message: "Expected one of asc, desc"
})
export type Order = typeof Order.Type

/** A page size from 1 to `maxSize`; the default is the service's. */
export const pageSize = (maxSize: number, defaultSize: number) =>
  Schema.Int.annotate({ description: `Items in a page, at most ${maxSize}; ${defaultSize} where absent` }).check(
    Schema.isBetween({ minimum: 1, maximum: maxSize })
  )
