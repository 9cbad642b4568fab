/** A database thread: one connection, one job at a time, in the order they came. */
// Before any schema is used: lines and rows are decoded several times faster.
import "effect/schema/SchemaJITCompiler/enable"
import { parentPort, workerData } from "node:worker_threads"
import * as Schema from "effect/Schema"
import { jobs } from "../jobs.ts"
import { Connection } from "./Connection.ts"
import { openVault } from "./DatabaseKey.ts"
import type { ThreadFailure } from "./Database.ts"
import type { Job } from "./Job.ts"

const { file, keyFile, writes } = Schema.decodeUnknownSync(
  Schema.Struct({ file: Schema.String, keyFile: Schema.String, writes: Schema.Boolean })
)(workerData)

// A strict load holds the write lock from beginning to end; waiting for it here holds up no reader.
const connection = new Connection(file, { readOnly: !writes, patience: 60_000 })
const room = { connection, vault: openVault(connection, keyFile) }
const byName = new Map<string, Job<unknown, unknown>>(jobs.map((job) => [job.name, job]))

parentPort?.on("message", (request) => {
  if (request === "close") {
    connection[Symbol.dispose]()
    parentPort?.close()
    return
  }
  const { id, input, name } = request
  try {
    const job = byName.get(name)
    if (job === undefined) throw new Error(`${name} is not in src/jobs.ts`)
    const work = () => job.run(room, input)
    const output = writes ? connection.transaction(work) : connection.snapshot(work)
    parentPort?.postMessage(
      { id, output },
      output instanceof Uint8Array && ownsItsBuffer(output) ? [output.buffer] : []
    )
  } catch (cause) {
    parentPort?.postMessage({ id, failure: failureOf(cause) }, [])
  }
})

/** An error that crosses threads would leave its code behind. */
const failureOf = (cause: unknown): ThreadFailure =>
  cause instanceof Error
    ? { message: cause.message, code: "code" in cause ? cause.code : undefined }
    : { message: String(cause), code: undefined }

const ownsItsBuffer = (bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
