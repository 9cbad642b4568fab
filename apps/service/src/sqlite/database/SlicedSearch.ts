/**
 * Runs long searches in slices: a procedure works for some milliseconds and returns its progress, with which it is
 * called again. Between slices the thread serves other requests, so that a slow search does not delay them. A search
 * fails at its time limit, which includes the wait for a thread, but not the start of the first thread. It is not
 * retried.
 */
import * as Effect from "effect/Effect"
import { SearchTimedOut } from "../../requests/StoreUnavailable.ts"
import type { Database } from "./Database.ts"
import type { Procedure } from "./Procedure.ts"
import { monotonicNow } from "../../MonotonicTime.ts"

export type Slice<Progress, Output> =
  | { readonly isDone: true; readonly output: Output }
  | { readonly isDone: false; readonly progress: Progress }

export interface SliceInput<Input, Progress> {
  readonly input: Input
  readonly progress: Progress | undefined
  /** Milliseconds after which the slice should end. */
  readonly time: number
}

export type SlicedProcedure<Input, Progress, Output> = Procedure<SliceInput<Input, Progress>, Slice<Progress, Output>>

/** Dies with {@link SearchTimedOut}, which a caller can only pass on. */
export const searchInSlices = <Input, Progress, Output>(
  database: Pick<Database["Service"], "read" | "started">,
  procedure: SlicedProcedure<Input, Progress, Output>,
  input: Input,
  limit: number
): Effect.Effect<Output> => {
  const search = Effect.gen(function* () {
    const end = monotonicNow() + limit
    let progress: Progress | undefined
    do {
      const slice = yield* database.read(procedure, { input, progress, time: Math.min(sliceTime, limit) })
      if (slice.isDone) return slice.output
      ;({ progress } = slice)
    } while (monotonicNow() < end)
    return yield* timeOut(limit)
  })
  return Effect.andThen(
    database.started,
    Effect.timeoutOrElse(search, { duration: limit, orElse: () => timeOut(limit) })
  )
}

const timeOut = (limit: number) => Effect.die(new SearchTimedOut({ limit }))

const sliceTime = 40
