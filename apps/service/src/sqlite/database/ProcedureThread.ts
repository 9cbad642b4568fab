import { workerData } from "node:worker_threads"
import * as Schema from "effect/Schema"
import { serveJobs } from "../../threads/serveJobs.ts"
import { Connection } from "./Connection.ts"
import { KeyedConnection } from "./DatabaseKey.ts"
import { translate } from "./DriverError.ts"
import { procedures } from "./Procedure.ts"

/** Runs the procedures of all loaded modules in a worker thread of `Database.layer`, until the thread is closed. */
export const serveProcedures = (): void => {
  const { file, keyFile, writes } = decodeStart(workerData)
  const connection = new Connection(file, { readOnly: !writes })
  const database = new KeyedConnection(connection, keyFile)

  serveJobs({
    run: ({ busyTimeout, input, name }) => {
      const procedure = procedures.get(name)
      if (procedure === undefined) throw new Error(`src/sqlite/Sqlite.ts does not import the module of ${name}`)
      const run = () => procedure.run(database, input)
      try {
        const output = writes ? connection.transaction(run, busyTimeout) : connection.snapshot(run)
        return { output, moved: procedure.moved(output) }
      } catch (cause) {
        throw translate(cause)
      }
    },
    foreign: connection.foreign,
    close: () => connection[Symbol.dispose]()
  })
}

const decodeStart = Schema.decodeUnknownSync(
  Schema.Struct({ file: Schema.String, keyFile: Schema.String, writes: Schema.Boolean })
)
