import * as Effect from "effect/Effect"

export interface SelectedRecords {
  readonly count: number
  /** Returns the number of deleted records. An interrupted deletion can be repeated with the same selection. */
  readonly delete: Effect.Effect<number>
}

export const inShortTransactions = <Id>(
  ids: ReadonlyArray<Id>,
  remove: (ids: ReadonlyArray<Id>) => Effect.Effect<number>
): SelectedRecords => ({
  count: ids.length,
  delete: Effect.gen(function* () {
    let deleted = 0
    for (let from = 0; from < ids.length; from += rowsAtOnce) {
      deleted += yield* remove(ids.slice(from, from + rowsAtOnce))
      yield* Effect.sleep(pause)
    }
    return deleted
  })
})

const rowsAtOnce = 500

const pause = 20
