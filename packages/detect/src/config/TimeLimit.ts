/** Stops work that takes too long: an expression from a repository may never end on a text from the same repository. */
import { Context } from "effect"

/** Runs the work and returns the milliseconds that it took; undefined if it reached the limit and was stopped. */
export type Timed = (milliseconds: number, work: () => void) => number | undefined

/** For platforms that cannot stop synchronous work: no limit. */
export const untimed: Timed = (_milliseconds, work) => {
  work()
  return 0
}

export const TimeLimit: Context.Reference<Timed> = Context.Reference<Timed>(
  "@threat-exposure/detect/config/TimeLimit",
  {
    defaultValue: () => untimed
  }
)
