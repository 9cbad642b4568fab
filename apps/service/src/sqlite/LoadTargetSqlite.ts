import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Connection } from "./database/Connection.ts"
import { Database } from "./database/Database.ts"
import { KeyedConnection } from "./database/DatabaseKey.ts"
import { LoadTargets, type OpenTarget } from "../load/LoadTarget.ts"
import { credentialLoader } from "./credentials/CredentialLoader.ts"
import { eventLoader } from "./events/EventLoader.ts"
import { recoverPublication } from "./Publication.ts"
import { recommendationLoader } from "./RecommendationLoader.ts"
import type { RecordLoader } from "./RecordLoader.ts"

export const LoadTargetsSqlite = Layer.effect(
  LoadTargets,
  Effect.map(Database, (database) => {
    const opened =
      <Batch>(loader: RecordLoader<Batch>): OpenTarget<unknown> =>
      (options) =>
        Effect.provideService(sqliteTarget(loader)(options), Database, database)
    return LoadTargets.of({
      credentials: opened(credentialLoader),
      events: opened(eventLoader),
      recommendations: (tenantId) => opened(recommendationLoader(tenantId)),
      recover: Effect.andThen(recoverPublication(credentialLoader.store), recoverPublication(eventLoader.store)).pipe(
        Effect.provideService(Database, database)
      )
    })
  })
)

/** The write transactions are of a connection of its own; chunks are prepared in reader threads. */
export const sqliteTarget =
  <Batch>(loader: RecordLoader<Batch>): OpenTarget<Batch, Database> =>
  ({ keep, now }) =>
    Effect.gen(function* () {
      const { ask, files, foreign } = yield* Database
      const { file, keyFile } = files
      const connection = yield* Effect.acquireDisposable(
        Effect.sync(() => tuneForLoading(new Connection(file, { foreign })))
      )
      const { csvColumns, prepare, publishedTogether } = loader
      return {
        csvColumns,
        publishedTogether,
        // Credentials are prepared slower than they are written: only while a group's terms are inserted do they wait.
        preparedAhead: publishedTogether / 6,
        stagedBeside: file,
        prepare: (chunk) => ask(prepare, chunk),
        publisher: loader.publisher({ database: new KeyedConnection(connection, keyFile), file, keep, now }),
        groupSize: () => Math.min(publishedTogether, Math.max(fewest, countStored(connection)))
      }
    })

const tuneForLoading = (connection: Connection): Connection => {
  // A group of records changes pages of a run in their order, so a larger cache, or a mapped file, would only take memory.
  // Pages that change with every group are rarely copied from the log to the database.
  connection.exec("PRAGMA cache_size = -4096; PRAGMA mmap_size = 0; PRAGMA wal_autocheckpoint = 32768")
  return connection
}

/**
 * About as many records are published together as are stored, of which a page has four. Each record touches pages all over
 * the indexes, so the larger those are, the more records there must be for a page to be written once for many of them. The
 * index of credentials stops growing at the size of a run.
 */
const countStored = (connection: Connection): number =>
  4 * Number(connection.prepare("PRAGMA page_count").get()?.["page_count"])

/** A publication takes some hundredths of a second for itself. */
const fewest = 5_000
