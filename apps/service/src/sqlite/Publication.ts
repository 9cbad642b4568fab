import * as Effect from "effect/Effect"
import { lockPollInterval } from "./database/Connection.ts"
import type { Database } from "./database/Database.ts"
import {
  beginGeneration,
  type DataSet,
  hasLeftovers,
  PublicationLock,
  publicationLock,
  publicationLockPath,
  publishGeneration
} from "./database/Generations.ts"
import { requireKey } from "../requests/StoreUnavailable.ts"
import { runAtOnce, runInSlices, type Steps } from "./database/Steps.ts"
import type { Publisher, WriteCounts } from "../load/LoadTarget.ts"
import type { LeftoversAfter, OpenLoad, RecordLoader, RecordStore, RecordWriter } from "./RecordLoader.ts"

/** The loader of records that become visible when they are published. */
export const publishedLoader = <Batch>(store: RecordStore<Batch>, loader: Omit<RecordLoader<Batch>, "publisher">) => ({
  ...loader,
  store,
  publisher: (load: OpenLoad) => makePublisher(store, load)
})

/** Holds the publication lock until the scope closes. The next publication removes what is unpublished by then. */
export const makePublisher = Effect.fnUntraced(function* <Batch>(
  store: RecordStore<Batch>,
  { database, file, keep, now }: OpenLoad
) {
  const { connection } = database
  const { dataSet } = store
  yield* publicationLock(file, dataSet)
  yield* removeAll((after) => runAtOnce(connection, file, () => store.removeLeftovers.run(database, after)))
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
export const recoverPublication = <Batch>(
  { files, lookUp, write }: Pick<Database["Service"], "files" | "lookUp" | "write">,
  { dataSet, removeLeftovers }: RecordStore<Batch>
) =>
  Effect.flatMap(
    lookUp(({ connection }) => hasLeftovers(connection, dataSet)),
    (isInterrupted) =>
      isInterrupted
        ? unlessLoading(
            files.file,
            [dataSet],
            removeAll((after) => Effect.uninterruptible(write(removeLeftovers, after)))
          )
        : Effect.void
  )

/**
 * Runs `work` with the publication locks of the data sets; undefined if another process holds one. A write must be
 * uninterruptible, because its transaction continues and needs the locks.
 */
export const unlessLoading = <A>(file: string, locked: ReadonlyArray<DataSet>, work: Effect.Effect<A>) =>
  Effect.scoped(
    Effect.flatMap(
      Effect.forEach(locked, (dataSet) =>
        Effect.acquireDisposable(Effect.sync(() => new PublicationLock(publicationLockPath(file, dataSet))))
      ),
      (locks): Effect.Effect<A | undefined> => (locks.every((lock) => lock.take()) ? work : Effect.succeed(undefined))
    )
  )

const removeAll = Effect.fnUntraced(function* (
  remove: (after: LeftoversAfter) => Effect.Effect<LeftoversAfter | undefined>
) {
  let after: LeftoversAfter | undefined = {}
  while ((after = yield* remove(after)) !== undefined) yield* Effect.sleep(lockPollInterval * 3)
})
