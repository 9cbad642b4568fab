import * as Predicate from "effect/Predicate"

export interface PageSize {
  /** Returns the request body with the current page size. */
  readonly applyTo: (body: unknown) => unknown
  /** Halves the size; returns false if it is already 1. */
  readonly halve: () => boolean
  readonly recordSuccess: () => void
}

/**
 * Halves the size when a page fails, and doubles it, up to the requested size, after two pages that succeed. Each time
 * the first page of a doubled size fails, twice as many pages must succeed before the next attempt, because a failing
 * page can take a whole timeout.
 */
export const makePageSize = (requested: number): PageSize => {
  let size = requested
  let successes = 0
  let successesToGrow = 2
  let hasJustGrown = false
  return {
    applyTo: (body) => (size === requested || !Predicate.isObject(body) ? body : { ...body, size }),
    halve: () => {
      if (size <= 1) return false
      size = Math.floor(size / 2)
      successes = 0
      if (hasJustGrown) successesToGrow *= 2
      hasJustGrown = false
      return true
    },
    recordSuccess: () => {
      hasJustGrown = false
      successes++
      if (size === requested || successes < successesToGrow) return
      size = Math.min(requested, size * 2)
      successes = 0
      hasJustGrown = true
    }
  }
}
