import { isMarkedAsUntransferable } from "node:worker_threads"

/** The buffers to transfer with a result. Empty for few bytes, which are in Node's pool of small buffers. */
export const buffersOf = (bytes: string | Uint8Array): Array<ArrayBuffer> =>
  typeof bytes !== "string" && bytes.buffer instanceof ArrayBuffer && !isMarkedAsUntransferable(bytes.buffer)
    ? [bytes.buffer]
    : []
