/** Publishes batches of records, so that readers see all of them or none: see `sqlite/Generations.ts`. */
import * as Effect from "effect/Effect"
import { Connection } from "../sqlite/Connection.ts"
import { Database } from "../sqlite/Database.ts"
import {
  abandonGeneration,
  beginGeneration,
  type DataSet,
  generationsOf,
  PublicationLock,
  publicationLock,
  publicationLockPath,
  publishGeneration
} from "../sqlite/Generations.ts"
import { KeyedConnection } from "../sqlite/DatabaseKey.ts"
import { requireKey, StoreUnavailable } from "../requests/StoreUnavailable.ts"
import type { OpenDatabase } from "../sqlite/Procedure.ts"
import { runAtOnce, runInSlices, runWhole } from "../sqlite/Steps.ts"
import type { Prepared, RecordStore, WriteCounts } from "./RecordLoader.ts"

export interface Publication<Batch> {
  readonly database: OpenDatabase
  readonly file: string
  readonly store: RecordStore<Batch>
  readonly keep: boolean
  readonly now: string
}

/**
 * In short transactions, one group after the other. An interruption before the end publishes nothing; what was written is
 * removed by the next publication.
 */
export const publish = <Batch>(
  { database, file, keep, now, store }: Publication<Batch>,
  groups: Iterable<ReadonlyArray<Prepared<Batch>>>,
  onGroup: (counts: WriteCounts) => void = () => {}
) =>
  Effect.gen(function* () {
    const { connection } = database
    const { dataSet } = store
    const total = { added: 0, replaced: 0, unchanged: 0 }
    if (dataSet !== undefined) {
      yield* publicationLock(file, dataSet)
      yield* removeLeftovers(database, file, dataSet, store)
    }
    store.warmUp?.(database)
    const generation =
      dataSet === undefined ? 0 : yield* runAtOnce(connection, file, () => beginGeneration(connection, dataSet))
    for (const group of groups) {
      const batches = group.map(({ batch }) => batch)
      const steps = store.insert(database, batches, { generation, keep, now })
      const counts = yield* runInSlices(connection, file, steps, () => {
        for (const { keyId } of group) requireKey(database, keyId)
      })
      for (const outcome of outcomes) total[outcome] += counts[outcome]
      onGroup(total)
    }
    // An interruption after the records are published would say that they are not.
    yield* Effect.uninterruptible(
      Effect.gen(function* () {
        if (dataSet !== undefined) {
          yield* runAtOnce(connection, file, () => publishGeneration(connection, dataSet))
        }
        if (store.deleteRemoved !== undefined) yield* runInSlices(connection, file, store.deleteRemoved(database))
      })
    )
    return total
  }).pipe(Effect.scoped)

/** In the transaction of a procedure, for few records. Throws while another publication goes on. */
export const publishWhole = <Batch>(
  database: OpenDatabase,
  store: RecordStore<Batch>,
  batches: ReadonlyArray<Batch>,
  now: string
): WriteCounts => {
  const { connection } = database
  const { dataSet } = store
  if (dataSet === undefined) return runWhole(store.insert(database, batches, { generation: 0, keep: false, now }))
  const { begun, published } = generationsOf(connection, dataSet)
  if (begun !== published) throw new StoreUnavailable({ reason: `a load of ${dataSet} goes on` })
  const generation = beginGeneration(connection, dataSet)
  const counts = runWhole(store.insert(database, batches, { generation, keep: false, now }))
  publishGeneration(connection, dataSet)
  if (store.deleteRemoved !== undefined) runWhole(store.deleteRemoved(database))
  return counts
}

/** Removes what a publication left that ended early, unless one goes on. */
export const recoverPublication = <Batch>(store: RecordStore<Batch>) =>
  Effect.gen(function* () {
    const { file, keyFile } = (yield* Database).files
    const connection = yield* Effect.acquireDisposable(Effect.sync(() => new Connection(file)))
    const { dataSet } = store
    if (dataSet === undefined || !hasLeftovers(connection, dataSet)) return
    const path = publicationLockPath(file, dataSet)
    const lock = yield* Effect.acquireDisposable(Effect.sync(() => new PublicationLock(path)))
    if (lock.take()) yield* removeLeftovers(new KeyedConnection(connection, keyFile), file, dataSet, store)
  }).pipe(Effect.scoped)

const removeLeftovers = Effect.fnUntraced(function* <Batch>(
  database: OpenDatabase,
  file: string,
  dataSet: DataSet,
  { deleteRemoved, discardUnpublished }: RecordStore<Batch>
) {
  const { connection } = database
  if (hasLeftovers(connection, dataSet)) {
    if (discardUnpublished !== undefined) yield* runInSlices(connection, file, discardUnpublished(database))
    yield* runAtOnce(connection, file, () => abandonGeneration(connection, dataSet))
  }
  if (deleteRemoved !== undefined) yield* runInSlices(connection, file, deleteRemoved(database))
})

const hasLeftovers = (connection: Connection, dataSet: DataSet): boolean => {
  const { begun, published } = generationsOf(connection, dataSet)
  return begun !== published
}

const outcomes = ["added", "replaced", "unchanged"] as const
