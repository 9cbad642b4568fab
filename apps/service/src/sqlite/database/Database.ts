/**
 * The embedded database as the service uses it.
 *
 * - `lookUp`: a point look-up, which runs on the caller's thread and cannot write.
 * - `read`: a procedure that may take more than a millisecond (a listing, a full-text search), which runs in a reader
 *   thread, in one snapshot.
 * - `write`: every write runs in the single writer thread, in one transaction, so that waiting for another process (a
 *   load) never delays the reads.
 *
 * Commands other than `serve` have no threads: `layerSameThread` runs the same procedures on the caller's thread.
 */
import { accessSync, constants, existsSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { availableParallelism } from "node:os"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { fileFailure } from "../../FileFailure.ts"
import { DatabaseMissing, StoreUnusable } from "../../StoreUnusable.ts"
import { KeyFileUnusable, requireKeyFile } from "../../crypto/KeyFile.ts"
import type { Vault } from "../../crypto/Vault.ts"
import { CurrentTenant } from "../../requests/CurrentTenant.ts"
import type { ForeignRecords } from "../../requests/ForeignRecords.ts"
import { readyWithin, repeatedEachSecond } from "../../requests/Readiness.ts"
import { StoreRefusal, StoreUnavailable } from "../../requests/StoreUnavailable.ts"
import { Connection, lockPollInterval } from "./Connection.ts"
import { KeyedConnection, upgradeFormat } from "./DatabaseKey.ts"
import { isBusy, translate } from "./DriverError.ts"
import { schemaFault } from "./ExpectedSchema.ts"
import { contentOf, migrate, findMissing } from "./Migration.ts"
import { migrations } from "./migrations.ts"
import type { KeyedTable } from "./KeyedTable.ts"
import { makePrivate } from "./PrivateFile.ts"
import { checkReading, checkWriting, type OpenDatabase, type Procedure } from "./Procedure.ts"
import { requireRows } from "./RequiredRows.ts"
import { type JobOptions, WorkerPool } from "./WorkerPool.ts"

export class Database extends Context.Service<
  Database,
  {
    readonly files: DatabaseFiles
    readonly connection: Connection
    /**
     * The vault as of at most a millisecond ago. Check data that was prepared with it where the data is used: see
     * `requireKey`.
     */
    readonly vault: Vault
    /** The rows that another program wrote, of all connections of this program. */
    readonly foreign: ForeignRecords
    lookUp<Output>(run: (database: OpenDatabase) => Output): Effect.Effect<Output>
    read<Input, Output>(procedure: Procedure<Input, Output>, input: Input): Effect.Effect<Output>
    /** Completes when a reader thread has run a job. On a busy machine, the first thread takes seconds to start. */
    readonly started: Effect.Effect<void>
    /** `read` for a load: no client waits for the result, and several of these jobs are queued in a reader thread. */
    ask<Input, Output>(procedure: Procedure<Input, Output>, input: Input): Promise<Output>
    /** Dies with {@link StoreUnavailable} if the write lock cannot be taken in time. */
    write<Input, Output>(procedure: Procedure<Input, Output>, input: Input): Effect.Effect<Output>
    waiting(): { readonly reads: number; readonly writes: number }
    /** The size of the file in bytes, without its write-ahead log. */
    bytes(): number
    /** Really reads and writes, at most once a second. Fails if a request would fail. */
    readonly ready: Effect.Effect<void, StoreUnavailable>
  }
>()("@threat-exposure/service/sqlite/database/Database") {
  /** For `serve`: reader threads and one writer thread, which run a module that calls `serveProcedures`. */
  static readonly layer = (
    files: DatabaseFiles,
    thread: URL,
    keyedTables: ReadonlyArray<KeyedTable>,
    { readers: readerThreads = Math.min(4, Math.max(2, availableParallelism() - 1)), wait }: ThreadOptions = {}
  ) =>
    Layer.effect(
      Database,
      Effect.gen(function* () {
        const open = yield* prepareDatabase(files, keyedTables)
        const { connection } = open
        const { foreign } = connection
        connection.exec("PRAGMA query_only = ON")
        const pool = (size: number, writes: boolean) =>
          Effect.acquireRelease(
            Effect.sync(
              () =>
                new WorkerPool({
                  size,
                  attempts: writes ? 1 : 2,
                  onForeign: (names) => foreign.add(names),
                  start: () => new Worker(thread, { workerData: { ...files, writes } })
                })
            ),
            (pool) => Effect.promise(() => pool.close())
          )
        const writer = yield* pool(1, true)
        const readers = yield* pool(readerThreads, false)
        const check = async () => {
          // Runs on this thread, because all readers may be busy, each within its limits.
          connection.snapshot(() => checkReading.run(open, undefined))
          await writer.run(checkWriting, undefined, { wait: readyWithin })
        }
        let first: Promise<void> | undefined
        let hasStarted = false
        const noteStart = () => {
          hasStarted = true
        }
        return makeDatabase(files, open, {
          started: Effect.suspend(() =>
            hasStarted
              ? Effect.void
              : // The search itself reports why no thread runs.
                Effect.promise(() => (first ??= readers.run(checkReading, undefined).then(noteStart, noteStart)))
          ),
          ask: (procedure, input) => readers.run(procedure, input, { wait: maxLoadTime, jobsAThread: askedAhead }),
          read: (procedure, input) =>
            awaitThread(foreign, (options) => readers.run(procedure, input, { ...options, wait })),
          write: (procedure, input) =>
            awaitThread(foreign, ({ owner }) => writer.run(procedure, input, { owner, wait })),
          waiting: () => ({ reads: readers.waiting, writes: writer.waiting }),
          ready: yield* repeatedEachSecond(readiness(check))
        })
      })
    )

  /** For commands and tests: runs procedures on the caller's thread, and waits for the write lock without a limit. */
  static readonly layerSameThread = (files: DatabaseFiles, keyedTables: ReadonlyArray<KeyedTable>) =>
    Layer.effect(
      Database,
      Effect.map(prepareDatabase(files, keyedTables), (open) => {
        const { connection } = open
        const { foreign } = connection
        const read = <Input, Output>(procedure: Procedure<Input, Output>, input: Input) =>
          connection.snapshot(() => procedure.run(open, input))
        const write = <Input, Output>(procedure: Procedure<Input, Output>, input: Input) =>
          connection.transaction(() => procedure.run(open, input), 0)
        return makeDatabase(files, open, {
          started: Effect.void,
          ask: async (procedure, input) => read(procedure, input),
          read: (procedure, input) => Effect.suspend(() => attemptNow(connection, () => read(procedure, input))),
          write: (procedure, input) =>
            retryWhileLocked(files.file, () => write(procedure, input)).pipe(
              Effect.catch(({ cause }) => Effect.die(translate(cause))),
              Effect.ensuring(foreign.log)
            ),
          waiting: () => ({ reads: 0, writes: 0 }),
          ready: readiness(async () => {
            read(checkReading, undefined)
            write(checkWriting, undefined)
          })
        })
      })
    )
}

/** `procedures` says where procedures run. */
const makeDatabase = (
  files: DatabaseFiles,
  open: KeyedConnection,
  procedures: Pick<Database["Service"], "ask" | "read" | "ready" | "started" | "waiting" | "write">
): Database["Service"] => {
  const { connection } = open
  return {
    ...procedures,
    files,
    connection,
    foreign: connection.foreign,
    get vault() {
      return open.vault
    },
    lookUp: (run) => attemptNow(connection, () => connection.snapshot(() => run(open))),
    bytes: () => connection.bytes()
  }
}

/** Turns failures into defects: {@link StoreUnavailable} if a later attempt may succeed. */
const attemptNow = <A>({ foreign }: Connection, run: () => A): Effect.Effect<A> => {
  try {
    const result = run()
    return foreign.hasNew ? Effect.as(foreign.log, result) : Effect.succeed(result)
  } catch (cause) {
    return Effect.andThen(foreign.log, Effect.die(translate(cause)))
  }
}

const awaitThread = <A>(foreign: ForeignRecords, run: (options: JobOptions) => Promise<A>): Effect.Effect<A> =>
  Effect.flatMap(CurrentTenant, (owner) =>
    Effect.promise((signal) =>
      run({ owner, signal }).catch((cause: unknown) => {
        throw translate(cause)
      })
    ).pipe(Effect.ensuring(foreign.log))
  )

/** Runs `attempt` until no other process holds the write lock. Reports a long wait on standard error. */
export const retryWhileLocked = <A>(file: string, attempt: () => A): Effect.Effect<A, AttemptFailed> =>
  Effect.gen(function* () {
    for (let waited = 0; ; waited += lockPollInterval) {
      const result = yield* Effect.result(Effect.try({ try: attempt, catch: (cause) => new AttemptFailed({ cause }) }))
      if (Result.isSuccess(result)) return result.success
      if (!isBusy(result.failure.cause)) return yield* result.failure
      if (waited === quietWait) yield* Console.error(`waiting for another process that is writing to ${file} …`)
      yield* Effect.sleep(lockPollInterval)
    }
  })

export class AttemptFailed extends Data.TaggedError("AttemptFailed")<{ readonly cause: unknown }> {
  override get message() {
    return fileFailure(this.cause)
  }
}

/** Milliseconds before the wait is reported; a multiple of the poll interval. */
const quietWait = 1_000

const maxLoadTime = 24 * 60 * 60 * 1_000

/** A load passes jobs to its thread only between two write transactions, so the thread needs enough for one of them. */
const askedAhead = 4

const readiness = (check: () => Promise<void>): Effect.Effect<void, StoreUnavailable> =>
  Effect.tryPromise({
    try: check,
    catch: (cause) => {
      const failure = translate(cause)
      return failure instanceof StoreUnavailable
        ? failure
        : new StoreUnavailable({ reason: failure instanceof Error ? failure.message : String(failure) })
    }
  })

export interface ThreadOptions {
  readonly readers?: number | undefined
  /** Milliseconds that a job may wait for its turn and for the write lock. */
  readonly wait?: number | undefined
}

export interface DatabaseFiles {
  readonly file: string
  /** Holds the key of the data, which is never stored in the database. */
  readonly keyFile: string
}

const databaseUnusable = (file: string, reason: string) => new StoreUnusable({ store: `The database ${file}`, reason })

/** For commands that only read: opening a database would create the file. */
export const requireDatabase = ({ file }: Pick<DatabaseFiles, "file">): Effect.Effect<void, DatabaseMissing> =>
  Effect.suspend(() => (existsSync(file) ? Effect.void : Effect.fail(new DatabaseMissing({ file }))))

export const databaseFiles = (file: string, keyFile = `${file}.key`): DatabaseFiles => ({ file, keyFile })

const reasonOf = (file: string, cause: unknown): string => {
  if (!existsSync(dirname(file))) return "its folder does not exist. Create it, or name a file in another folder"
  if (existsSync(file) && !isWritable(file)) return "it is read-only. Change its permissions, or name another file"
  return cause instanceof StoreRefusal ? cause.reason : fileFailure(cause)
}

/** Throws if the file is not a database of this service, or no key file could be created. Changes nothing. */
const requireUsable = ({ file, keyFile }: DatabaseFiles): void => {
  if (!existsSync(file)) {
    accessSync(dirname(file), constants.W_OK)
    return requireKeyFile(keyFile)
  }
  // Not a `Connection`: the write-ahead log that it turns on would leave files behind.
  const database = new DatabaseSync(file)
  try {
    if (contentOf(database) === "other data") throw new Error("it is a database of another program. Name another file")
  } finally {
    database.close()
  }
}

/** Returns the names of the changed files. Files of another user may be shared, so they are left unchanged. */
const makeFilesPrivate = ({ file, keyFile }: DatabaseFiles): ReadonlyArray<string> => {
  try {
    // SQLite creates these files with the mode of the database.
    makePrivate([`${file}-wal`, `${file}-shm`])
    return makePrivate([file, keyFile])
  } catch {
    return []
  }
}

const isWritable = (file: string): boolean => {
  try {
    accessSync(file, constants.W_OK)
    return true
  } catch {
    return false
  }
}

const prepareDatabase = Effect.fnUntraced(function* (
  { file, keyFile }: DatabaseFiles,
  keyedTables: ReadonlyArray<KeyedTable>
) {
  const now = DateTime.formatIso(yield* DateTime.now)
  const unusable = (cause: unknown) =>
    cause instanceof KeyFileUnusable ? cause : databaseUnusable(file, reasonOf(file, cause))
  const withLock = <A>(body: () => A) => Effect.mapError(retryWhileLocked(file, body), ({ cause }) => unusable(cause))
  yield* withLock(() => requireUsable({ file, keyFile }))
  const connection = yield* Effect.acquireDisposable(Effect.try({ try: () => new Connection(file), catch: unusable }))
  yield* withLock(() => {
    // SQLite opens a file without write access, and fails only at the first write.
    accessSync(file, constants.W_OK)
  })
  const missing = yield* withLock(() => findMissing(connection, migrations))
  const isUpgrade = missing.length > 0 && missing.length < migrations.length
  if (isUpgrade) {
    yield* Console.error(
      `upgrading the tables of ${file}: this takes minutes for a large database, and no other program can write meanwhile; stopping it changes nothing …`
    )
  }
  yield* withLock(() => migrate(connection, migrations, now))
  if (isUpgrade) yield* Console.error(`the tables of ${file} are upgraded`)
  yield* withLock(() =>
    upgradeFormat(connection, keyFile, (database, format) =>
      keyedTables.forEach((table) => table.upgradeRows?.(database, format))
    )
  )
  const fault = yield* withLock(() => schemaFault(connection, migrations, keyedTables))
  if (fault !== undefined) return yield* databaseUnusable(file, `${fault}. Restore a backup that you trust`)
  const open = yield* withLock(() => new KeyedConnection(connection, keyFile))
  yield* withLock(() => requireRows(connection))
  for (const path of makeFilesPrivate({ file, keyFile })) {
    yield* Console.error(`${path} was readable by other users; its mode is 0600 now`)
  }
  return open
})
