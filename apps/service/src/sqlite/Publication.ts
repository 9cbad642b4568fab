import * as Effect from "effect/Effect"
import { Connection } from "./database/Connection.ts"
import type { DatabaseFiles } from "./database/Database.ts"
import {
  abandonGeneration,
  beginGeneration,
  type DataSet,
  generationsOf,
  PublicationLock,
  publicationLock,
  publicationLockPath,
  publishGeneration
} from "./database/Generations.ts"
import { KeyedConnection } from "./database/DatabaseKey.ts"
import { requireKey } from "../requests/StoreUnavailable.ts"
import type { OpenDatabase } from "./database/Procedure.ts"
import { runAtOnce, runInSlices, type Steps } from "./database/Steps.ts"
import type { Publisher, WriteCounts } from "../load/LoadTarget.ts"
import type { OpenLoad, RecordLoader, RecordStore, RecordWriter } from "./RecordLoader.ts"

/** The loader of records that become visible when they are published. */
export const publishedLoader = <Batch>(store: RecordStore<Batch>, loader: Omit<RecordLoader<Batch>, "publisher">) => ({
  ...loader,
  store,
  publisher: (load: OpenLoad) => makePublisher({ ...load, store })
})

export interface Publication<Batch> extends OpenLoad {
  readonly store: RecordStore<Batch>
}

/** Holds the publication lock until the scope closes. The next publication removes what is unpublished by then. */
export const makePublisher = Effect.fnUntraced(function* <Batch>({
  database,
  file,
  keep,
  now,
  store
}: Publication<Batch>) {
  const { connection } = database
  const { dataSet } = store
  yield* publicationLock(file, dataSet)
  yield* removeLeftovers(database, file, store)
  store.warmUp?.(database)
  let present: { readonly writer: RecordWriter<Batch>; readonly keyId: number } | undefined
  const inSlices = (steps: Steps<void>, keyId: number) =>
    runInSlices(connection, file, steps, {
      check: () => requireKey(database, keyId),
      // The commit that publishes the generation also makes its records durable.
      durability: "deferred"
    })
  const flush = Effect.suspend(() =>
    present === undefined ? Effect.void : inSlices(present.writer.flush(), present.keyId)
  )
  const publisher: Publisher<Batch> = {
    counts: () => present?.writer.counts ?? noCounts,
    write: Effect.fnUntraced(function* ({ batch, keyId }) {
      if (present === undefined) {
        if (store.compact !== undefined) {
          yield* runInSlices(connection, file, store.compact(database), { durability: "deferred" })
        }
        const generation = yield* runAtOnce(connection, file, () => beginGeneration(connection, dataSet))
        present = { writer: store.writer(database, { generation, keep, now }), keyId }
      }
      yield* inSlices(present.writer.write(batch), keyId)
    }),
    flush,
    publish: Effect.gen(function* () {
      yield* flush
      present = undefined
      // Interrupted after the publication, the records would wrongly be reported as unpublished.
      yield* Effect.uninterruptible(
        Effect.gen(function* () {
          yield* runAtOnce(connection, file, () => publishGeneration(connection, dataSet))
          yield* runInSlices(connection, file, store.deleteRemoved(database))
        })
      )
      return Effect.void
    })
  }
  return publisher
})

const noCounts: Readonly<WriteCounts> = { added: 0, replaced: 0, unchanged: 0 }

/** Removes the rows of an interrupted publication, unless another one is running. */
export const recoverPublication = <Batch>({ file, keyFile }: DatabaseFiles, store: RecordStore<Batch>) =>
  Effect.gen(function* () {
    const connection = yield* Effect.acquireDisposable(Effect.sync(() => new Connection(file)))
    const { dataSet } = store
    if (!hasLeftovers(connection, dataSet)) return
    const path = publicationLockPath(file, dataSet)
    const lock = yield* Effect.acquireDisposable(Effect.sync(() => new PublicationLock(path)))
    if (lock.take()) yield* removeLeftovers(new KeyedConnection(connection, keyFile), file, store)
  }).pipe(Effect.scoped)

const removeLeftovers = Effect.fnUntraced(function* <Batch>(
  database: OpenDatabase,
  file: string,
  { dataSet, deleteRemoved, discardUnpublished }: RecordStore<Batch>
) {
  const { connection } = database
  if (hasLeftovers(connection, dataSet)) {
    yield* runInSlices(connection, file, discardUnpublished(database))
    yield* runAtOnce(connection, file, () => abandonGeneration(connection, dataSet))
  }
  yield* runInSlices(connection, file, deleteRemoved(database))
})

const hasLeftovers = (connection: Connection, dataSet: DataSet): boolean => {
  const { begun, published } = generationsOf(connection, dataSet)
  return begun !== published
}
