/** Writes that are too long for one transaction: they say where a transaction may end. */
import * as Effect from "effect/Effect"
import { type Connection, type Durability, lockPollInterval } from "./Connection.ts"
import { retryWhileLocked } from "./Database.ts"
import { monotonicNow } from "../../MonotonicTime.ts"

/** Suspends wherever another transaction may come between. It always runs within a transaction. */
export type Steps<A> = Generator<void, A, void>

/** In one transaction, as soon as the write lock is free. */
export const runAtOnce = <A>(
  connection: Connection,
  file: string,
  body: () => A,
  durability: Durability = "immediate"
): Effect.Effect<A> =>
  retryWhileLocked(file, () => connection.transaction(body, 0, durability)).pipe(
    Effect.catch(({ cause }) => Effect.die(cause))
  )

/**
 * In short transactions, with a pause after each that is long enough for others to take the write lock. What was written
 * before a failure or an interruption stays. `check` runs at the beginning of each transaction.
 */
export const runInSlices = Effect.fnUntraced(function* <A>(
  connection: Connection,
  file: string,
  steps: Steps<A>,
  { check = () => {}, durability }: { readonly check?: () => void; readonly durability?: Durability } = {}
) {
  for (;;) {
    const runChecked = () => {
      check()
      return slice(steps)
    }
    const step = yield* runAtOnce(connection, file, runChecked, durability)
    if (step.done === true) return step.value
    yield* Effect.sleep(lockPollInterval * 3)
  }
})

const slice = <A>(steps: Steps<A>): IteratorResult<void, A> => {
  const end = monotonicNow() + maxSlice
  for (;;) {
    const step = steps.next()
    if (step.done === true || monotonicNow() >= end) return step
  }
}

/** Milliseconds. In the pauses, a load also receives what its threads prepared and gives them more. */
const maxSlice = 30
