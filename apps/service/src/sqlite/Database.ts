/**
 * The embedded database as the service uses it.
 *
 * - `connection`: a point look-up may run where it arrives, on the caller's thread. It cannot write.
 * - `read`: a procedure that may take more than a millisecond (a listing, a full-text search) runs in a reader thread, in one
 *   snapshot.
 * - `write`: every write runs in the one writer thread, in one transaction, so that waiting for another process (a load)
 *   never holds up the others.
 *
 * Commands other than `serve` have no threads: `layerSameThread` runs the same procedures on the caller's thread.
 */
import { accessSync, constants, existsSync } from "node:fs"
import { dirname } from "node:path"
import { Worker } from "node:worker_threads"
import { availableParallelism } from "node:os"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { KeyFileUnusable } from "../crypto/KeyFile.ts"
import type { Vault } from "../crypto/Vault.ts"
import { Connection } from "./Connection.ts"
import { openVault } from "./DatabaseKey.ts"
import type { OpenDatabase, Procedure } from "./Procedure.ts"
import { migrate } from "./Migration.ts"
import { migrations } from "./migrations.ts"

export class Database extends Context.Service<
  Database,
  {
    readonly connection: Connection
    readonly vault: Vault
    read<Input, Output>(procedure: Procedure<Input, Output>, input: Input): Effect.Effect<Output>
    /** `read` for what is not an effect. */
    ask<Input, Output>(procedure: Procedure<Input, Output>, input: Input): Promise<Output>
    write<Input, Output>(procedure: Procedure<Input, Output>, input: Input): Effect.Effect<Output>
  }
>()("@threat-exposure/service/sqlite/Database") {
  /** For `serve`: reader threads and one writer thread. `thread` is a module that calls `serveProcedures`. */
  static readonly layer = (files: DatabaseFiles, thread: URL) =>
    Layer.effect(
      Database,
      Effect.gen(function* () {
        const { connection, vault } = yield* prepared(files)
        connection.exec("PRAGMA query_only = ON")
        const start = (writes: boolean) =>
          Effect.acquireRelease(
            Effect.sync(() => new Thread(thread, files, writes)),
            (thread) => Effect.promise(() => thread.close())
          )
        const writer = yield* start(true)
        const readers = yield* Effect.replicateEffect(
          start(false),
          Math.min(4, Math.max(2, availableParallelism() - 1))
        )
        const ask = <Input, Output>(procedure: Procedure<Input, Output>, input: Input): Promise<Output> =>
          readers.reduce((idlest, reader) => (reader.waiting < idlest.waiting ? reader : idlest)).ask(procedure, input)
        return Database.of({
          connection,
          vault,
          ask,
          read: (procedure, input) => Effect.promise(() => ask(procedure, input)),
          write: (procedure, input) => Effect.promise(() => writer.ask(procedure, input))
        })
      })
    )

  /** For commands and tests: the same procedures, run on the caller's thread. */
  static readonly layerSameThread = (files: DatabaseFiles) =>
    Layer.effect(
      Database,
      Effect.map(prepared(files), ({ connection, vault }) => {
        const open: OpenDatabase = { connection, vault }
        return Database.of({
          connection,
          vault,
          ask: async (procedure, input) => connection.snapshot(() => procedure.run(open, input)),
          read: (procedure, input) => Effect.sync(() => connection.snapshot(() => procedure.run(open, input))),
          write: (procedure, input) => Effect.sync(() => connection.transaction(() => procedure.run(open, input)))
        })
      })
    )
}

export interface DatabaseFiles {
  readonly file: string
  /** Where the key that seals stored passwords lives: never inside the database. */
  readonly keyFile: string
}

/** The file cannot be opened, or is no database of this service. Name another one, or see to its permissions. */
export class DatabaseUnusable extends Schema.TaggedError<DatabaseUnusable>()("DatabaseUnusable", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The database ${this.file} cannot be used: ${this.reason}`
  }
}

/** The key file that belongs to a database when no other is named. */
export const databaseFiles = (file: string, keyFile = `${file}.key`): DatabaseFiles => ({ file, keyFile })

const reasonOf = (file: string, cause: unknown): string => {
  if (!existsSync(dirname(file))) return "its folder is not there. Create it, or name a file in another"
  if (existsSync(file) && !isWritable(file)) return "it may only be read. See to its permissions, or name another file"
  return cause instanceof Error ? cause.message : String(cause)
}

const isWritable = (file: string): boolean => {
  try {
    accessSync(file, constants.W_OK)
    return true
  } catch {
    return false
  }
}

const prepared = Effect.fnUntraced(function* ({ file, keyFile }: DatabaseFiles) {
  const now = DateTime.formatIso(yield* DateTime.now)
  const unusable = (cause: unknown) =>
    cause instanceof KeyFileUnusable ? cause : new DatabaseUnusable({ file, reason: reasonOf(file, cause) })
  const connection = yield* Effect.acquireDisposable(Effect.try({ try: () => new Connection(file), catch: unusable }))
  const vault = yield* Effect.try({
    try: () => {
      // SQLite opens what it may only read, and fails at the first write.
      accessSync(file, constants.W_OK)
      migrate(connection, migrations, now)
      return openVault(connection, keyFile)
    },
    catch: unusable
  })
  return { connection, vault }
})

/** Why a procedure failed in a thread. */
export interface ThreadFailure {
  readonly message: string
  readonly code: unknown
}

const errorOf = ({ code, message }: ThreadFailure): Error => Object.assign(new Error(message), { code })

interface Waiter {
  // A method, so that one map can hold waiters for outputs of every kind.
  resolve(output: unknown): void
  readonly reject: (cause: Error) => void
}

class Thread {
  readonly #worker: Worker
  readonly #waiters = new Map<number, Waiter>()
  readonly #ended: Promise<void>
  #asked = 0
  #broken: Error | undefined

  /** `module` calls `serveProcedures`. */
  constructor(module: URL, { file, keyFile }: DatabaseFiles, writes: boolean) {
    this.#worker = new Worker(module, { workerData: { file, keyFile, writes } })
    this.#worker.on("message", ({ failure, id, output }) => {
      const waiter = this.#waiters.get(id)
      this.#waiters.delete(id)
      if (failure === undefined) waiter?.resolve(output)
      else waiter?.reject(errorOf(failure))
    })
    this.#worker.on("error", (cause) => this.#fail(cause instanceof Error ? cause : new Error(String(cause))))
    this.#ended = new Promise((resolve) => {
      this.#worker.on("exit", () => {
        this.#fail(new Error("The database thread has stopped"))
        resolve()
      })
    })
  }

  /** Calls not yet answered. */
  get waiting(): number {
    return this.#waiters.size
  }

  ask<Input, Output>({ name }: Procedure<Input, Output>, input: Input): Promise<Output> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken)
    const id = this.#asked++
    return new Promise<Output>((resolve, reject) => {
      this.#waiters.set(id, { resolve, reject })
      this.#worker.postMessage({ id, name, input }, [])
    })
  }

  /** Lets the calls already made finish. */
  close(): Promise<void> {
    this.#worker.postMessage("close", [])
    return this.#ended
  }

  #fail(cause: Error): void {
    this.#broken ??= cause
    for (const waiter of this.#waiters.values()) waiter.reject(cause)
    this.#waiters.clear()
  }
}
