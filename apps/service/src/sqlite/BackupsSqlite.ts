import { randomBytes, randomInt } from "node:crypto"
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync
} from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { KeyFileUnusable, syncPath } from "../crypto/KeyFile.ts"
import { fileFailure } from "../FileFailure.ts"
import { StoreUnusable } from "../StoreUnusable.ts"
import { column, Connection, query } from "./database/Connection.ts"
import { Database, type DatabaseFiles, requireDatabase, retryWhileLocked } from "./database/Database.ts"
import { dataSets, publicationLock, publicationLockPath } from "./database/Generations.ts"
import type { KeyedTable } from "./database/KeyedTable.ts"
import { contentOf, laterMigrations } from "./database/Migration.ts"
import { migrations } from "./database/migrations.ts"
import { lastNumbers, passNumbers } from "./database/Numbers.ts"
import { createPrivate } from "./database/PrivateFile.ts"
import { BackupFailed, Backups, type Confirm, underAnotherKey } from "../backup/Backups.ts"

export const backupsSqlite = ({ file, keyFile }: DatabaseFiles, keyedTables: ReadonlyArray<KeyedTable>) =>
  Layer.succeed(
    Backups,
    Backups.of({
      write: Effect.fnUntraced(
        function* <E, R>(target: string, confirm: Confirm<E, R>) {
          const { connection } = yield* Database
          yield* removeAbandonedDrafts(file)
          yield* refuseIf(target, targetFault(target, { file, keyFile }))
          if (existsSync(target)) yield* confirm(`This replaces ${target} by a backup of ${file}.`)
          yield* writeBackup(connection, target)
        },
        Effect.provide(Database.layerSameThread({ file, keyFile }, keyedTables)),
        (work) => Effect.andThen(requireDatabase({ file }), work)
      ),
      restore: Effect.fnUntraced(function* <E, R>(source: string, confirm: Confirm<E, R>) {
        yield* refuseIf(source, sourceFault(source, { file, keyFile }))
        yield* withBackupCopy({ backup: source, database: file }, (copy) =>
          Effect.gen(function* () {
            const { connection } = yield* Database
            const found = connection.first(counts)
            const plan = `This restores ${source} (${found?.credentials ?? 0} credentials, ${found?.events ?? 0} events) to ${file}.`
            if (holdsData(file)) {
              yield* confirm(
                `${plan} Everything in it is replaced: what was written since the backup is lost, and API keys that were revoked since are valid again.`
              )
            }
            yield* replaceDatabase(connection, file)
          }).pipe(
            Effect.provide(Database.layerSameThread({ file: copy, keyFile }, keyedTables)),
            Effect.mapError((failure) => {
              if (failure instanceof KeyFileUnusable) return underAnotherKey(source, failure)
              return failure instanceof StoreUnusable
                ? new BackupFailed({ file: source, reason: `cannot be used: ${failure.reason}` })
                : failure
            })
          )
        )
      })
    })
  )

const counts = query(
  Schema.Struct({ credentials: Schema.Int, events: Schema.Int }),
  "SELECT (SELECT count(*) FROM credentials) AS credentials, (SELECT count(*) FROM events) AS events"
)

const holdsData = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0

const refuseIf = (file: string, reason: string | undefined): Effect.Effect<void, BackupFailed> =>
  reason === undefined ? Effect.void : Effect.fail(new BackupFailed({ file, reason }))

/** Why the backup cannot be written to this file, as the end of a sentence. Only another backup is replaced. */
const targetFault = (target: string, files: DatabaseFiles): string | undefined => {
  if (belongsTo(files, target)) return "would replace a file of the database itself. Name another file"
  const found = statSync(target, { throwIfNoEntry: false })
  if (found === undefined || (found.isFile() && found.size === 0)) return undefined
  return found.isFile() && isSqlite(target)
    ? undefined
    : "would replace something that is not a backup. Name another file, or remove that one first"
}

/** A database in use is only consistent together with its write-ahead log. */
const sourceFault = (source: string, files: DatabaseFiles): string | undefined => {
  if (belongsTo(files, source)) return "is a file of the database itself. Name a file that backup wrote"
  return holdsData(`${source}-wal`)
    ? `is a database in use: parts of it are in ${source}-wal. Name a file that backup wrote`
    : undefined
}

const belongsTo = ({ file, keyFile }: DatabaseFiles, path: string): boolean => {
  const own = ["", "-wal", "-shm"].map((suffix) => `${file}${suffix}`)
  const locks = dataSets.map((dataSet) => publicationLockPath(file, dataSet))
  return [...own, ...locks, keyFile].map(identityOf).includes(identityOf(path))
}

/** Identifies a file by device and inode, so that all of its names are equal, including hard links. */
const identityOf = (path: string): string => {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (found !== undefined) return `${found.dev} ${found.ino}`
  const folder = dirname(path)
  return existsSync(folder) ? join(realpathSync(folder), basename(path)) : path
}

const isSqlite = (file: string): boolean => {
  const opened = openSync(file, "r")
  try {
    const header = Buffer.alloc(sqliteHeader.length)
    readSync(opened, header)
    return header.toString("latin1") === sqliteHeader
  } finally {
    closeSync(opened)
  }
}

const sqliteHeader = "SQLite format 3\0"

const writeBackup = (connection: Connection, target: string): Effect.Effect<void, BackupFailed> =>
  withDraft(target, (draft) =>
    Effect.tryPromise({
      try: async () => {
        createPrivate(draft)
        await connection.copyTo(draft)
        syncPath(draft, "r+")
        renameSync(draft, target)
        syncPath(dirname(target))
      },
      catch: (cause) => new BackupFailed({ file: target, reason: `cannot be written: ${fileFailure(cause)}` })
    })
  )

/** Copies the backup beside the database and checks the copy, which `use` may change. */
const withBackupCopy = <A, E, R>(
  { backup, database }: { readonly backup: string; readonly database: string },
  use: (copy: string) => Effect.Effect<A, E, R>
) =>
  withDraft(database, (copy) =>
    Effect.try({
      try: () => {
        createPrivate(copy)
        copyFileSync(backup, copy)
        const fault = faultOf(copy)
        if (fault !== undefined) throw new BackupFailed({ file: backup, reason: fault })
      },
      catch: (cause) =>
        cause instanceof BackupFailed
          ? cause
          : new BackupFailed({ file: backup, reason: `cannot be read: ${fileFailure(cause)}` })
    }).pipe(Effect.andThen(use(copy)))
  )

const replaceDatabase = Effect.fnUntraced(function* (copy: Connection, database: string) {
  // A running load relies on what it has already written.
  for (const dataSet of dataSets) yield* publicationLock(database, dataSet)
  copy.run("UPDATE vault SET restored = ?", randomInt(1, 2 ** 47))
  const live = yield* Effect.acquireDisposable(Effect.sync(() => new Connection(database)))
  const keepNumbers = () => live.transaction(() => passNumbers(copy, assignedNumbers(live)), 0)
  // The copy fails immediately if another process holds the lock, so it starts as soon as the lock is free.
  yield* retryWhileLocked(database, keepNumbers).pipe(
    Effect.catch(({ cause }) => Effect.die(cause)),
    Effect.andThen(
      Effect.tryPromise({
        try: () => copy.copyTo(database),
        catch: (cause) => new BackupFailed({ file: database, reason: `cannot be restored: ${fileFailure(cause)}` })
      })
    ),
    Effect.retry({ times: maxRetries, schedule: Schedule.spaced("20 millis") })
  )
}, Effect.scoped)

const assignedNumbers = (live: Connection): ReturnType<typeof lastNumbers> => {
  try {
    return lastNumbers(live)
  } catch {
    return []
  }
}

const maxRetries = 500

const faultOf = (file: string): string | undefined => {
  using connection = new Connection(file)
  if (contentOf(connection) !== "our data") return "is a database of another program"
  if (connection.first(integrity) !== "ok") return "is damaged: SQLite's integrity check fails"
  return laterMigrations(connection, migrations).length > 0 ? "was made by a later version of this program" : undefined
}

const integrity = column(Schema.String, "PRAGMA integrity_check(1)")

const withDraft = <A, E, R>(beside: string, use: (draft: string) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.as(removeAbandonedDrafts(beside), `${beside}${draftInfix}${randomBytes(6).toString("hex")}`),
    use,
    (draft) =>
      Effect.sync(() => {
        for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(`${draft}${suffix}`, { force: true })
      })
  )

/** Removes the drafts that killed commands left behind, each a copy of a whole database. */
const removeAbandonedDrafts = (beside: string): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.ignore(
      Effect.try(() => {
        const folder = dirname(beside)
        for (const name of readdirSync(folder)) {
          if (!name.startsWith(`${basename(beside)}${draftInfix}`)) continue
          const path = join(folder, name)
          if (now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) > maxUse) rmSync(path)
        }
      })
    )
  )

const draftInfix = ".draft-"

/** Milliseconds: no command works on a draft for longer, even if it waits for confirmation. */
const maxUse = 24 * 60 * 60 * 1_000
