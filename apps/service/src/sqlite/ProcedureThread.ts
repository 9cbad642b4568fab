/** The inside of a database thread: one connection, one procedure at a time, in the order they were asked for. */
import { parentPort, workerData } from "node:worker_threads"
import * as Schema from "effect/Schema"
import { Connection } from "./Connection.ts"
import type { ThreadFailure } from "./Database.ts"
import { openVault } from "./DatabaseKey.ts"
import type { Procedure } from "./Procedure.ts"

/** For a worker thread that `Database.layer` started: runs these procedures until it is told to close. */
export const serveProcedures = (procedures: ReadonlyArray<Procedure<unknown, unknown>>): void => {
  const { file, keyFile, writes } = decodeStart(workerData)
  // A strict load holds the write lock from beginning to end; waiting for it here holds up no reader.
  const connection = new Connection(file, { readOnly: !writes, patience: 60_000 })
  const database = { connection, vault: openVault(connection, keyFile) }
  const byName = new Map(procedures.map((procedure) => [procedure.name, procedure]))

  parentPort?.on("message", (request) => {
    if (request === "close") {
      connection[Symbol.dispose]()
      parentPort?.close()
      return
    }
    const { id, input, name } = request
    try {
      const procedure = byName.get(name)
      if (procedure === undefined) throw new Error(`${name} is not in src/sqliteThread.ts`)
      const run = () => procedure.run(database, input)
      const output = writes ? connection.transaction(run) : connection.snapshot(run)
      parentPort?.postMessage(
        { id, output },
        output instanceof Uint8Array && ownsItsBuffer(output) ? [output.buffer] : []
      )
    } catch (cause) {
      parentPort?.postMessage({ id, failure: failureOf(cause) }, [])
    }
  })
}

const decodeStart = Schema.decodeUnknownSync(
  Schema.Struct({ file: Schema.String, keyFile: Schema.String, writes: Schema.Boolean })
)

/** An error that crosses threads would leave its code behind. */
const failureOf = (cause: unknown): ThreadFailure =>
  cause instanceof Error
    ? { message: cause.message, code: "code" in cause ? cause.code : undefined }
    : { message: String(cause), code: undefined }

const ownsItsBuffer = (bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
