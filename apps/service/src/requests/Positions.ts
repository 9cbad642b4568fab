import type { Order } from "@threat-exposure/core/domain/Page"

/** A position in a listing that is ordered by a text, then by an id. */
export type Position<Id extends number | string> = readonly [text: string, id: Id]

export const comparePositions = <Id extends number | string>(
  [text, id]: Position<Id>,
  [other, otherId]: Position<Id>
): number => compare(text, other) || compare(id, otherId)

const compare = <A extends number | string>(a: A, b: A): number => (a < b ? -1 : Number(a > b))

export interface PageRequest<Id extends number | string> {
  /** The position of the last item of the previous page; undefined for the first page. */
  readonly after: Position<Id> | undefined
  readonly order: Order
  readonly size: number
}

/** One page of items that are all in memory. */
export const pageOf = <Item extends { readonly position: Position<Id> }, Id extends number | string>(
  items: ReadonlyArray<Item>,
  { after, order, size }: PageRequest<Id>
): ReadonlyArray<Item> => {
  const direction = order === "asc" ? 1 : -1
  return items
    .filter(({ position }) => after === undefined || direction * comparePositions(position, after) > 0)
    .toSorted((a, b) => direction * comparePositions(a.position, b.position))
    .slice(0, size)
}
