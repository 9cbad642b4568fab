/** Adapts the page size of a listing when the service cannot serve a large page in time. */
import * as Predicate from "effect/Predicate"

export interface PageSize {
  /** The request for a page of the current size. */
  readonly applied: (body: unknown) => unknown
  /** Halves the size; false if it is 1. */
  readonly halve: () => boolean
  /** Records a page that succeeded. */
  readonly succeeded: () => void
}

/**
 * Halved when a page fails, and doubled again, up to what was asked for, after two pages that succeed. Each time the
 * first page of a doubled size fails, twice as many must succeed before the next attempt: a page that fails can take as
 * long as a whole timeout.
 */
export const makePageSize = (asked: number): PageSize => {
  let size = asked
  let successes = 0
  let successesToGrow = 2
  let hasJustGrown = false
  return {
    applied: (body) => (size === asked || !Predicate.isObject(body) ? body : { ...body, size }),
    halve: () => {
      if (size <= 1) return false
      size = Math.floor(size / 2)
      successes = 0
      if (hasJustGrown) successesToGrow *= 2
      hasJustGrown = false
      return true
    },
    succeeded: () => {
      hasJustGrown = false
      successes++
      if (size === asked || successes < successesToGrow) return
      size = Math.min(asked, size * 2)
      successes = 0
      hasJustGrown = true
    }
  }
}
