import { isMarkedAsUntransferable } from "node:worker_threads"

/** A function that the threads of a pool run. Its input and output are sent by structured clone. */
export interface ThreadJob<Context, Input, Output> {
  readonly name: string
  // Declared as a method, whose parameters are bivariant, so that a list can hold jobs with any input.
  run(context: Context, input: Input): Output | PromiseLike<Output>
}

/** The buffers to transfer with a result. Empty for few bytes, which are in Node's pool of small buffers. */
export const buffersOf = (bytes: string | Uint8Array): Array<ArrayBuffer> =>
  typeof bytes !== "string" && bytes.buffer instanceof ArrayBuffer && !isMarkedAsUntransferable(bytes.buffer)
    ? [bytes.buffer]
    : []
