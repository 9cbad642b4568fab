/** The strict loads that a cluster knows, and which of their documents readers see. */
import * as Schema from "effect/Schema"

export const StrictLoads = Schema.Struct({
  /** The number of the latest load. */
  last: Schema.Int,
  /**
   * At most one load is running. The process that writes or undoes it increases `beat` as long as it lives. A load that
   * `isLock` writes nothing, and only makes others wait.
   */
  pending: Schema.NullOr(
    Schema.Struct({ number: Schema.Int, beat: Schema.Int, isLock: Schema.optionalKey(Schema.Boolean) })
  ),
  /**
   * The numbers of loads that failed or were killed. A process that wrongly counts as killed may still write under its
   * number.
   */
  undone: Schema.Array(Schema.Int)
})
export interface StrictLoads extends Schema.Schema.Type<typeof StrictLoads> {}

/** Whether there may be documents that readers do not see yet. */
export const isWriting = ({ pending }: StrictLoads): boolean => pending !== null && pending.isLock !== true

export const noStrictLoads: StrictLoads = { last: 0, pending: null, undone: [] }

/**
 * Conditions that exclude a document from the results of readers. A request that read the state before a load began
 * does not see the load's documents either, because their number is above `last`.
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

/** The ids under which readers may find a document. */
export const idsOf = (loads: StrictLoads | undefined, id: string): ReadonlyArray<string> =>
  loads?.pending == null ? [id] : [id, copyId(loads.pending.number, id)]
