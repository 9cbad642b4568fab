import { spawnSync } from "node:child_process"
import type { Worker } from "node:worker_threads"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { prepareCredentials } from "@threat-exposure/service/sqlite/credentials/CredentialLoader"
import { KeyRing, newToken } from "@threat-exposure/service/keys/ApiKeys"
import { KeyStore, type NewKey } from "@threat-exposure/service/keys/KeyStore"
import { Connection } from "@threat-exposure/service/sqlite/database/Connection"
import { sqlite, sqliteSameThread } from "@threat-exposure/service/sqlite/Sqlite"
import { StoreUnusable } from "@threat-exposure/service/StoreUnusable"
import { Database, type DatabaseFiles, databaseFiles } from "@threat-exposure/service/sqlite/database/Database"
import { builtThread } from "@threat-exposure/service/testing/TestService"
import { StoreUnavailable } from "@threat-exposure/service/requests/StoreUnavailable"
import { procedure } from "@threat-exposure/service/sqlite/database/Procedure"
import { migrate } from "@threat-exposure/service/sqlite/database/Migration"
import { Effect, Fiber, Layer } from "effect"
import { vi } from "vitest"

const file = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "threat-exposure-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ),
  (folder) => join(folder, "test.sqlite")
)

/** The engine with threads, which several tests replace. */
const withThreads = (files: DatabaseFiles, wait?: number) => sqlite(files, { thread: builtThread, wait })

const permissions = ["Read Tenant"] as const
const key = () => ({ token: newToken(), tenantId: 7, permissions, createdAt: "2026-01-01" })

const createKey = (key: NewKey) => Effect.flatMap(KeyStore, (keys) => keys.create(key))
const revokeKey = (id: number, at: string) => Effect.flatMap(KeyStore, (keys) => keys.revoke(id, at))
const listKeys = Effect.flatMap(KeyStore, (keys) => keys.list)

describe("Connection", () => {
  const table = Effect.map(Effect.acquireDisposable(Effect.sync(() => new Connection(":memory:"))), (connection) => {
    connection.exec("CREATE TABLE numbers (number INTEGER PRIMARY KEY) STRICT")
    return connection
  })
  const count = (connection: Connection) => connection.prepare("SELECT count(*) AS count FROM numbers").get()?.["count"]

  it.effect("undoes a transaction whose body fails", () =>
    Effect.gen(function* () {
      const connection = yield* table
      assert.throws(() =>
        connection.transaction(() => {
          connection.run("INSERT INTO numbers VALUES (1)")
          connection.run("INSERT INTO numbers VALUES (1)")
        })
      )
      assert.strictEqual(count(connection), 0)
      connection.transaction(() => connection.run("INSERT INTO numbers VALUES (1)"))
      assert.strictEqual(count(connection), 1)
    }).pipe(Effect.scoped)
  )
})

describe("Migration", () => {
  it.effect("applies each entry once, in order, and all entries of a start or none", () =>
    Effect.gen(function* () {
      const connection = yield* Effect.acquireDisposable(Effect.sync(() => new Connection(":memory:")))
      const first = { name: "1", sql: "CREATE TABLE a (x) " }
      const second = { name: "2", sql: "CREATE TABLE b AS SELECT * FROM a" }
      migrate(connection, [first], "now")
      migrate(connection, [first, second], "now")
      migrate(connection, [first, second], "now")
      assert.throws(() =>
        migrate(connection, [first, second, { name: "3", sql: "CREATE TABLE c (x); nonsense" }], "now")
      )
      const tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all()
      assert.deepEqual(
        tables.map(({ name }) => name),
        ["a", "b", "migrations"]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("refuses a database of a later version, and writes nothing to it", () =>
    Effect.gen(function* () {
      const connection = yield* Effect.acquireDisposable(Effect.sync(() => new Connection(":memory:")))
      const entry = (name: string) => ({ name, sql: `CREATE TABLE table_${name} (x)` })
      migrate(connection, [entry("1"), entry("3")], "now")
      assert.throws(
        () => migrate(connection, [entry("1"), entry("2")], "now"),
        "a later version of this program upgraded it (3). Run that version, or restore a backup"
      )
      const tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all()
      assert.deepEqual(
        tables.map(({ name }) => name),
        ["migrations", "table_1", "table_3"]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("takes the first entry for all with lower numbers, and refuses a database that has only some of them", () =>
    Effect.gen(function* () {
      const connection = yield* Effect.acquireDisposable(Effect.sync(() => new Connection(":memory:")))
      const entry = (name: string) => ({ name, sql: `CREATE TABLE table_${name} (x)` })
      migrate(connection, [entry("1"), entry("2")], "now")
      assert.throws(
        () => migrate(connection, [entry("3"), entry("4")], "now"),
        "an early version of this program wrote it. Load its data into a new database"
      )
      migrate(connection, [entry("2"), entry("3")], "now")
      const applied = connection.prepare("SELECT name FROM migrations ORDER BY name").all()
      assert.deepEqual(
        applied.map(({ name }) => name),
        ["1", "2", "3"]
      )
    }).pipe(Effect.scoped)
  )
})

describe("Database", () => {
  const threads = Layer.unwrap(Effect.map(file, (file) => withThreads(databaseFiles(file))))

  it.live("runs procedures in threads, which see each other's writes", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const ring = new KeyRing(yield* KeyStore, database)
      const made = key()
      assert.isUndefined(yield* ring.find(made.token, 1))
      const id = yield* createKey(made)
      assert.deepEqual((yield* ring.find(made.token, 2))?.key, {
        keyId: String(id),
        tenantId: 7,
        permissions: new Set(permissions)
      })
      assert.isTrue(yield* revokeKey(id, "2026-01-02"))
      assert.isUndefined(yield* ring.find(made.token, 3))
      assert.isFalse(yield* revokeKey(99, "2026-01-02"))
      assert.deepEqual(
        (yield* listKeys).map(({ revokedAt }) => revokedAt),
        ["2026-01-02"]
      )
      assert.throws(() => database.connection.run("DELETE FROM keys"))
    }).pipe(Effect.provide(threads))
  )

  it.live("turns an error of a procedure into a defect, and continues", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const unknown = procedure("no.such.procedure", () => 1)
      const exit = yield* Effect.exit(database.read(unknown, undefined))
      assert.strictEqual(exit._tag, "Failure")
      const twice = key()
      yield* createKey(twice)
      const defect = yield* Effect.flip(Effect.catchDefect(createKey(twice), Effect.fail))
      assert.propertyVal(defect, "code", "ERR_SQLITE_ERROR")
      assert.propertyVal(defect, "message", "UNIQUE constraint failed: keys.token_hash")
      yield* createKey(key())
      assert.strictEqual((yield* listKeys).length, 2)
    }).pipe(Effect.provide(threads))
  )

  it.live("starts and reads while another process holds the write lock", () =>
    Effect.gen(function* () {
      const files = databaseFiles(yield* file)
      const opened = Effect.map(listKeys, (keys) => keys.length)
      yield* Effect.provide(opened, sqliteSameThread(files))
      using other = new Connection(files.file)
      other.prepare("BEGIN IMMEDIATE").run()
      for (const layer of [sqliteSameThread, sqlite]) {
        assert.strictEqual(yield* Effect.provide(opened, layer(files)), 0)
      }
    }).pipe(Effect.scoped)
  )

  it.live("fails a write as unavailable if it cannot get the lock in time, and is not ready meanwhile", () =>
    Effect.gen(function* () {
      const files = databaseFiles(yield* file)
      yield* Effect.gen(function* () {
        const database = yield* Database
        yield* database.ready
        const other = new Connection(files.file)
        other.prepare("BEGIN IMMEDIATE").run()
        const writes = Effect.all([createKey(key()), createKey(key())], {
          concurrency: 2
        })
        const defect = yield* Effect.flip(Effect.catchDefect(writes, Effect.fail))
        assert.instanceOf(defect, StoreUnavailable)
        assert.include((yield* Effect.flip(database.ready)).message, "another process is writing")
        other[Symbol.dispose]()
        yield* createKey(key())
        assert.strictEqual((yield* listKeys).length, 1)
      }).pipe(Effect.provide(withThreads(files)))
    }).pipe(Effect.scoped)
  )

  /** The threads that `effect` starts, in their order. */
  const threadsStarted = Effect.acquireRelease(
    Effect.sync(() => {
      const workers: Array<Worker> = []
      const note = (worker: Worker) => void workers.push(worker)
      process.on("worker", note)
      return { workers, note }
    }),
    ({ note }) => Effect.sync(() => process.off("worker", note))
  )

  const line = JSON.stringify({ id: 1, identity_name: "a@example.com", imported_at: "2026-01-01T00:00:00Z" })
  const chunk = () => ({
    text: Buffer.from(`${line}\n`.repeat(5_000)),
    firstNumber: 1,
    format: { type: "lines" } as const
  })

  it.live.each([
    ["reads", ({ read }: Database["Service"]) => read(prepareCredentials, chunk())],
    [
      "reads of a load, which wait in the threads,",
      ({ ask }: Database["Service"]) => Effect.promise(() => ask(prepareCredentials, chunk()))
    ]
  ] as const)("replaces threads that die, and repeats the %s that died with them", ([, prepared]) =>
    Effect.gen(function* () {
      const { workers } = yield* threadsStarted
      yield* Effect.gen(function* () {
        const database = yield* Database
        yield* database.ready
        const started = workers.length
        const counts = yield* Effect.forkScoped(
          Effect.all(
            Array.from({ length: 12 }, () => prepared(database)),
            { concurrency: "unbounded" }
          )
        )
        yield* Effect.sleep("20 millis")
        // Every thread dies, with a running job or idle.
        yield* Effect.promise(() => Promise.all(workers.slice(0, started).map((worker) => worker.terminate())))
        assert.deepEqual(
          (yield* Fiber.join(counts)).map(({ count }) => count),
          Array.from({ length: 12 }, () => 5_000)
        )
        yield* createKey(key())
        while (workers.length <= started) yield* Effect.sleep("20 millis")
        yield* database.ready
        // On a busy machine, new threads take seconds to start.
      }).pipe(Effect.provide(withThreads(databaseFiles(yield* file), 600_000)))
    }).pipe(Effect.scoped)
  )

  it.live("fails the write whose thread died, and does the next one", () =>
    Effect.gen(function* () {
      const { workers } = yield* threadsStarted
      const files = databaseFiles(yield* file)
      yield* Effect.gen(function* () {
        const database = yield* Database
        yield* database.ready
        // The reader thread is started first, by its check.
        const writer = workers.at(-1)
        assert(writer !== undefined)
        const messages = vi.spyOn(writer, "postMessage")
        const other = new Connection(files.file)
        other.prepare("BEGIN IMMEDIATE").run()
        // The job is waiting for the lock when its thread dies.
        const failure = yield* Effect.forkScoped(Effect.flip(Effect.catchDefect(createKey(key()), Effect.fail)))
        while (messages.mock.calls.length === 0) yield* Effect.sleep("10 millis")
        yield* Effect.promise(() => writer.terminate())
        other[Symbol.dispose]()
        assert.instanceOf(yield* Fiber.join(failure), StoreUnavailable)
        yield* createKey(key())
        assert.strictEqual((yield* listKeys).length, 1)
      }).pipe(Effect.provide(withThreads(files)))
    }).pipe(Effect.scoped)
  )

  it.effect("reports what is wrong with a file that is not a database", () =>
    Effect.gen(function* () {
      const missing = join(yield* file, "no-folder", "x.sqlite")
      const failure = yield* Effect.flip(Effect.provide(Effect.asVoid(Database), sqlite(databaseFiles(missing))))
      assert.instanceOf(failure, StoreUnusable)
      assert.strictEqual(
        failure.message,
        `The database ${missing} cannot be used: its folder does not exist. Create it, or name a file in another folder`
      )
    }).pipe(Effect.scoped)
  )

  it.effect("changes and creates nothing before it knows that the files are its own", () =>
    Effect.gen(function* () {
      const here = dirname(yield* file)
      const write = (name: string, content: string) => writeFileSync(join(here, name), content, { mode: 0o644 })
      write(
        "notes.txt",
        "Not a database: it has more than a hundred characters, as the header of a database has. ".repeat(2)
      )
      write("wrong.key", "no key")
      // Some other programs have a table of this name.
      for (const [name, journal] of [
        ["other.sqlite", "DELETE"],
        ["logged.sqlite", "WAL"]
      ] as const) {
        const other = new DatabaseSync(join(here, name))
        other.exec(
          `PRAGMA journal_mode = ${journal}; CREATE TABLE migrations (name TEXT); CREATE TABLE notes (text TEXT)`
        )
        other.close()
        chmodSync(join(here, name), 0o644)
      }
      yield* Effect.provide(Effect.asVoid(Database), sqliteSameThread(databaseFiles(join(here, "own.sqlite"))))
      chmodSync(join(here, "own.sqlite"), 0o644)
      const content = () =>
        readdirSync(here)
          .toSorted()
          .map((name) => [name, statSync(join(here, name)).mode & 0o777, readFileSync(join(here, name), "hex")])
      const before = content()
      for (const [name, keyFile, reason] of [
        ["notes.txt", "notes.key", "file is not a database"],
        ["other.sqlite", "other.key", "it is a database of another program. Name another file"],
        ["logged.sqlite", "other.key", "it is a database of another program. Name another file"],
        ["own.sqlite", "wrong.key", "it does not consist of 64 hexadecimal digits"],
        ["new.sqlite", "wrong.key", "it does not consist of 64 hexadecimal digits"],
        ["new.sqlite", "no-folder/new.key", "it cannot be created: no such file or directory. Check its folder"]
      ] as const) {
        const files = databaseFiles(join(here, name), join(here, keyFile))
        const failure = yield* Effect.flip(Effect.provide(Effect.asVoid(Database), sqliteSameThread(files)))
        assert.include(failure.message, reason)
        assert.deepEqual(content(), before, name)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("refuses a read-only file before it answers any request", () =>
    Effect.gen(function* () {
      const database = yield* file
      yield* Effect.provide(Effect.asVoid(Database), sqliteSameThread(databaseFiles(database)))
      chmodSync(database, 0o444)
      // A process with all rights drops them, after all modules of the program have been loaded.
      const program = `
        import * as Effect from "effect/Effect"
        import { Database, databaseFiles } from "@threat-exposure/service/sqlite/database/Database"
        import { sqliteSameThread } from "@threat-exposure/service/sqlite/Sqlite"
        if (process.getuid() === 0) process.setuid(65534)
        const use = Effect.provide(Effect.asVoid(Database), sqliteSameThread(databaseFiles(process.argv[1])))
        console.log(await Effect.runPromise(Effect.map(Effect.flip(use), ({ message }) => message)))`
      for (const folderMode of [0o755, 0o777]) {
        chmodSync(dirname(database), folderMode)
        const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program, database], {
          cwd: import.meta.dirname,
          encoding: "utf8"
        })
        assert.strictEqual(
          stdout.trim(),
          `The database ${database} cannot be used: it is read-only. Change its permissions, or name another file`
        )
      }
    }).pipe(Effect.scoped)
  )
})
