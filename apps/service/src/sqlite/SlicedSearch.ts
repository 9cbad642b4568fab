/**
 * Searches that may take long run in slices: a procedure works for some milliseconds and returns its progress, and is asked
 * again with it. Between slices the thread serves other requests in turn, so that a slow search holds up no other; a
 * search that reaches its time limit is not asked again.
 */
import * as Schema from "effect/Schema"
import type { Procedure } from "./Procedure.ts"

export type Slice<Progress, Output> =
  | { readonly isDone: true; readonly output: Output }
  | { readonly isDone: false; readonly progress: Progress }

export interface SliceInput<Input, Progress> {
  readonly input: Input
  /** Undefined for the first slice. */
  readonly progress: Progress | undefined
  /** Milliseconds after which the slice should end. */
  readonly time: number
}

export type SlicedProcedure<Input, Progress, Output> = Procedure<SliceInput<Input, Progress>, Slice<Progress, Output>>

/** The search was stopped at its time limit, in milliseconds. Repeating it cannot help, narrowing it can. */
export class SearchTimedOut extends Schema.TaggedError<SearchTimedOut>()("SearchTimedOut", { limit: Schema.Finite }) {
  override get message() {
    return `The search was stopped after ${this.limit / 1_000} seconds: narrow it, by a longer phrase, a rarer word or a time filter`
  }
}

/** Rejects with {@link SearchTimedOut}, or as `ask` does. */
export const searchInSlices = async <Input, Progress, Output>(
  database: {
    ask(
      procedure: SlicedProcedure<Input, Progress, Output>,
      input: SliceInput<Input, Progress>
    ): Promise<Slice<Progress, Output>>
  },
  procedure: SlicedProcedure<Input, Progress, Output>,
  input: Input,
  limit: number
): Promise<Output> => {
  const end = performance.now() + limit
  let progress: Progress | undefined
  do {
    const slice = await database.ask(procedure, { input, progress, time: sliceTime })
    if (slice.isDone) return slice.output
    ;({ progress } = slice)
  } while (performance.now() < end)
  throw new SearchTimedOut({ limit })
}

const sliceTime = 40
