/** Work that takes many transactions: it is stored before the first one, so that any service can complete it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { attemptAll, repeatRecovery } from "../requests/Recovery.ts"
import type { Connection } from "./database/Connection.ts"
import { Database } from "./database/Database.ts"
import type { Procedure } from "./database/Procedure.ts"

/** Does the next part of the work on the row with this id. Returns true when no work is left. */
export type Step = Procedure<number, boolean>

export const complete = Effect.fnUntraced(function* (write: Database["Service"]["write"], step: Step, id: number) {
  while (!(yield* write(step, id))) yield* Effect.yieldNow
})

/** Completes what `find` returns, at the start and every five seconds. */
export const recoveryLayer = (find: (connection: Connection) => ReadonlyArray<readonly [step: Step, id: number]>) =>
  Layer.effectDiscard(
    Effect.flatMap(Database, ({ lookUp, write }) =>
      repeatRecovery(
        Effect.flatMap(
          lookUp(({ connection }) => find(connection)),
          (begun) => attemptAll(begun, ([step, id]) => complete(write, step, id))
        )
      )
    )
  )
