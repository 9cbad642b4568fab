/** Which strict loads a cluster knows, and what readers find of them. */
import * as Schema from "effect/Schema"

export const StrictLoads = Schema.Struct({
  /** The number of the latest one. */
  last: Schema.Int,
  /** At most one is under way. The process that writes or undoes it counts `beat` up as long as it lives. */
  pending: Schema.NullOr(Schema.Struct({ number: Schema.Int, beat: Schema.Int })),
  /** Loads that failed or were killed. A process that was taken for killed may still write under their numbers. */
  undone: Schema.Array(Schema.Int)
})
export interface StrictLoads extends Schema.Schema.Type<typeof StrictLoads> {}

export const noStrictLoads: StrictLoads = { last: 0, pending: null, undone: [] }

/**
 * The conditions that a document which readers find must not meet. A request that asked for the state before a load began does
 * not find what it writes either, because its number is above the last one.
 */
export const excludeUnpublished = ({
  last,
  pending,
  undone
}: StrictLoads): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const numbers = [...undone, ...(pending === null ? [] : [pending.number])]
  const matchNumbers = (field: string) => (numbers.length === 0 ? [] : [{ terms: { [field]: numbers } }])
  const notBegun = { range: { added_by: { gt: last } } }
  if (last === 0) return [notBegun]
  return [
    notBegun,
    ...matchNumbers("added_by"),
    { bool: { filter: [{ range: { replaced_by: { lte: last } } }], must_not: matchNumbers("replaced_by") } }
  ]
}

/** Reads the doc values of a document. */
export const strictLoadsOf = (docValues: unknown) => {
  const { added_by = [], replaced_by = [] } = decodeDocValues(docValues)
  return { added_by: added_by[0], replaced_by: replaced_by[0] }
}

const decodeDocValues = Schema.decodeUnknownSync(
  Schema.Struct({
    added_by: Schema.optional(Schema.Array(Schema.Int)),
    replaced_by: Schema.optional(Schema.Array(Schema.Int))
  })
)

/** The id of the copy of a document that a strict load replaces. */
export const copyId = (number: number, id: string): string => `${number}/${id}`

/** The ids under which a reader may find a document. */
export const idsOf = (loads: StrictLoads | undefined, id: string): ReadonlyArray<string> =>
  loads?.pending == null ? [id] : [id, copyId(loads.pending.number, id)]
