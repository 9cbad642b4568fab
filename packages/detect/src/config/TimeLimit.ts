/** Stops work that takes too long: an expression that a repository brings may never end on a text that it brings. */
import { Context } from "effect"

/** Does the work, and gives the milliseconds that it took; undefined where it was stopped after as many as it may take. */
export type Timed = (milliseconds: number, work: () => void) => number | undefined

/** Where nothing can stop a thread from within, work takes the time it takes. */
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
