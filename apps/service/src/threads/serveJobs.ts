import { parentPort } from "node:worker_threads"
import type { ForeignRecords } from "../requests/ForeignRecords.ts"
import { failureOf } from "./WorkerFailure.ts"
import type { WorkerRequest } from "./WorkerPool.ts"

export interface ServedThread {
  /** Runs a job. `moved` are the buffers of its output that are transferred instead of being copied. */
  readonly run: (request: WorkerRequest) => JobOutput | Promise<JobOutput>
  /** The records that jobs left out. */
  readonly foreign: ForeignRecords
  readonly close: () => void | Promise<void>
}

interface JobOutput {
  readonly output: unknown
  readonly moved: Array<ArrayBuffer>
}

/** Runs the jobs of a `WorkerPool` in a worker thread, until the pool closes the thread. */
export const serveJobs = ({ close, foreign, run }: ServedThread): void => {
  const answer = async (request: WorkerRequest) => {
    try {
      const { moved, output } = await run(request)
      const names = foreign.takeNew()
      parentPort?.postMessage(names.length === 0 ? { output } : { output, foreign: names }, moved)
    } catch (cause) {
      parentPort?.postMessage({ failure: failureOf(cause), foreign: foreign.takeNew() }, [])
    }
  }
  parentPort?.on("message", async (request: WorkerRequest | "close") => {
    if (request !== "close") return answer(request)
    await close()
    parentPort?.close()
  })
}
