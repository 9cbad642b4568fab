import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Connection } from "./database/Connection.ts"
import { Database } from "./database/Database.ts"
import { KeyedConnection } from "./database/DatabaseKey.ts"
import { dataSets, publicationLock } from "./database/Generations.ts"
import { LoadTargets, type OpenTarget } from "../load/LoadTarget.ts"
import { credentialLoader, mergeNext } from "./credentials/CredentialLoader.ts"
import { eventLoader } from "./events/EventLoader.ts"
import { recoverPublication, unlessLoading } from "./Publication.ts"
import { recommendationLoader } from "./RecommendationLoader.ts"
import type { RecordLoader } from "./RecordLoader.ts"

export const LoadTargetsSqlite = Layer.effect(
  LoadTargets,
  Effect.map(Database, (database) => {
    const { files, write } = database
    return LoadTargets.of({
      credentials: openTarget(database, credentialLoader),
      events: openTarget(database, eventLoader),
      recommendations: (tenantId) => openTarget(database, recommendationLoader(tenantId)),
      recover: Effect.andThen(
        recoverPublication(database, credentialLoader.store),
        recoverPublication(database, eventLoader.store)
      ),
      mergeIndex: Effect.map(
        unlessLoading(files.file, dataSets, Effect.uninterruptible(write(mergeNext, undefined))),
        (isMore) => isMore === true
      ),
      alone: publicationLock(files.file, "credentials")
    })
  })
)

/** Writes on a separate connection. Chunks are prepared in reader threads. */
const openTarget =
  <Batch>({ ask, files, foreign }: Database["Service"], loader: RecordLoader<Batch>): OpenTarget<Batch> =>
  ({ keep, now }) => {
    const { file, keyFile } = files
    const { csvColumns, prepare, publishedTogether } = loader
    return Effect.map(
      Effect.acquireDisposable(Effect.sync(() => tuneForLoading(new Connection(file, { foreign })))),
      (connection) => ({
        csvColumns,
        publishedTogether,
        // Preparing credentials is slower than writing them: they only wait while the terms of a group are inserted.
        preparedAhead: publishedTogether / 6,
        stagedBeside: file,
        prepare: (chunk) => ask(prepare, chunk),
        publisher: loader.publisher({ database: new KeyedConnection(connection, keyFile), file, keep, now }),
        groupSize: () => Math.min(publishedTogether, Math.max(minGroupSize, countStored(connection)))
      })
    )
  }

const tuneForLoading = (connection: Connection): Connection => {
  // A group of records changes the pages of a run in their order, so a larger cache or a mapped file would only use
  // memory. With a rare checkpoint, pages that change with every group are seldom copied from the log to the database.
  connection.exec("PRAGMA cache_size = -4096; PRAGMA mmap_size = 0; PRAGMA wal_autocheckpoint = 32768")
  return connection
}

/**
 * An estimate: four per page. Each record touches pages all over the indexes, so a publication has about as many
 * records as are stored. The index of credentials stops growing at the size of a run.
 */
const countStored = (connection: Connection): number =>
  4 * Number(connection.prepare("PRAGMA page_count").get()?.["page_count"])

/** Minimum records per publication, which itself takes some hundredths of a second. */
const minGroupSize = 5_000
