import * as Effect from "effect/Effect"
import { type Connection, type Durability, lockPollInterval } from "./Connection.ts"
import { retryWhileLocked } from "./Database.ts"
import { monotonicNow } from "../../MonotonicTime.ts"

/** Yields wherever the transaction may end and another one may come in between. Each step runs in a transaction. */
export type Steps<A> = Generator<void, A, void>

export const runAtOnce = <A>(
  connection: Connection,
  file: string,
  body: () => A,
  durability: Durability = "immediate"
): Effect.Effect<A> =>
  retryWhileLocked(file, () => connection.transaction(body, 0, durability)).pipe(
    Effect.catch(({ cause }) => Effect.die(cause))
  )

/** Pauses after each transaction. Completed ones persist after a failure. `check` runs at the beginning of each. */
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

/** Runs steps for some milliseconds, in a transaction of the caller. */
export const slice = <Position, A>(steps: Generator<Position, A, void>): IteratorResult<Position, A> => {
  const end = monotonicNow() + maxSlice
  for (;;) {
    const step = steps.next()
    if (step.done === true || monotonicNow() >= end) return step
  }
}

/** Milliseconds per transaction. In the pauses, a load also exchanges chunks with its threads. */
const maxSlice = 30
