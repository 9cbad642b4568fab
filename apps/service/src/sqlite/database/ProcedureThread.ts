import { parentPort, workerData } from "node:worker_threads"
import * as Schema from "effect/Schema"
import { Connection } from "./Connection.ts"
import { KeyedConnection } from "./DatabaseKey.ts"
import { translate } from "./DriverError.ts"
import { procedures } from "./Procedure.ts"
import { failureOf } from "../../threads/WorkerFailure.ts"
import type { WorkerRequest } from "./WorkerPool.ts"

/** Runs the procedures of all loaded modules in a worker thread of `Database.layer`, until the thread is closed. */
export const serveProcedures = (): void => {
  const { file, keyFile, writes } = decodeStart(workerData)
  const connection = new Connection(file, { readOnly: !writes })
  const database = new KeyedConnection(connection, keyFile)

  parentPort?.on("message", (request: WorkerRequest | "close") => {
    if (request === "close") {
      connection[Symbol.dispose]()
      parentPort?.close()
      return
    }
    const { input, name, busyTimeout } = request
    try {
      const procedure = procedures.get(name)
      if (procedure === undefined) throw new Error(`src/sqlite/sqliteThread.ts does not import the module of ${name}`)
      const run = () => procedure.run(database, input)
      const output = writes ? connection.transaction(run, busyTimeout) : connection.snapshot(run)
      const foreign = connection.foreign.takeNew()
      parentPort?.postMessage(foreign.length === 0 ? { output } : { output, foreign }, procedure.moved(output))
    } catch (cause) {
      parentPort?.postMessage({ failure: failureOf(translate(cause)), foreign: connection.foreign.takeNew() }, [])
    }
  })
}

const decodeStart = Schema.decodeUnknownSync(
  Schema.Struct({ file: Schema.String, keyFile: Schema.String, writes: Schema.Boolean })
)
