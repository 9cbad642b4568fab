/**
 * One thread's connection to the database: prepared statements are kept, rows are decoded, and everything is
 * synchronous, so a transaction is a plain function that nothing can interleave with.
 */
import { backup, DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite"
import * as Schema from "effect/Schema"
import { isBusy } from "./DriverError.ts"
import { createPrivate } from "./PrivateFile.ts"
import { monotonicNow } from "../../MonotonicTime.ts"

export type Parameter = SQLInputValue

/** A statement that gives rows, and what a row of it looks like. Make it once per module, with `query`. */
export interface Query<Row> {
  readonly sql: string
  readonly decode: (rows: unknown) => ReadonlyArray<Row>
}

/** The columns of `row` must be those of the statement; integers come as numbers, blobs as `Uint8Array`. */
export const query = <Row>(row: Schema.Decoder<Row>, sql: string): Query<Row> => ({
  sql,
  decode: Schema.decodeUnknownSync(Schema.Array(row))
})

type RowOfFields<Row> = Schema.Decoder<Row> & { readonly fields: object }

/** The query of the columns of a row; `rest` is the statement after them. See {@link columnsOf}. */
export const select = <Row>(row: RowOfFields<Row>, rest: string): Query<Row> =>
  query(row, `SELECT ${columnsOf(row)} ${rest}`)

/** The columns of a row, as after SELECT. A field in camel case has a column in snake case. */
export const columnsOf = ({ fields }: { readonly fields: object }): string =>
  Object.keys(fields)
    .map((field) => {
      const column = field.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)
      return column === field ? field : `${column} AS ${field}`
    })
    .join(", ")

/**
 * When a transaction is safe from a power failure: at its end, or at the end of the next immediate one. Transactions are lost
 * from the last one backwards, so nothing is lost that an immediate one confirmed, and the file is never damaged
 * (https://sqlite.org/pragma.html#pragma_synchronous). Without the wait for the disk, a transaction is shorter.
 */
export type Durability = "immediate" | "deferred"

type Row = Readonly<Record<string, Parameter>>

const into = (table: string, row: Row): string => {
  const columns = Object.keys(row)
  return `${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`
}

export class Connection implements Disposable {
  readonly #database: DatabaseSync
  readonly #statements: StatementCache
  readonly #tupleStatements: StatementCache
  readonly #writes: StatementCache
  #rollbacks = 0
  #transactions = 0
  #isWithin = false

  /** Creates the file where it is missing, for its owner alone. */
  constructor(file: string, { readOnly = false }: { readonly readOnly?: boolean } = {}) {
    if (!readOnly && file !== ":memory:") createPrivate(file)
    this.#database = new DatabaseSync(file, { timeout: defaultPatience, readOnly })
    this.#statements = new StatementCache((sql) => this.#compile(sql))
    this.#tupleStatements = new StatementCache((sql) => {
      const statement = this.#compile(sql)
      statement.setReturnArrays(true)
      return statement
    })
    this.#writes = new StatementCache((sql) => {
      const statement = this.#compile(sql)
      // Since Node 26.8, `run` throws after it wrote if the last rowid does not fit a number.
      statement.setReadBigInts(true)
      return statement
    })
    if (!readOnly) this.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    // SQLite maps at most this much of a file.
    this.exec("PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 2147418112")
  }

  /** How many transactions were rolled back: what was read in one of them may never have happened. */
  get rollbacks(): number {
    return this.#rollbacks
  }

  /** The number of the transaction or snapshot that is open: all its reads see the same moment. Undefined outside of one. */
  get transactionNumber(): number | undefined {
    return this.#isWithin ? this.#transactions : undefined
  }

  /** Statements without parameters or rows: pragmas and schema changes. */
  exec(sql: string): void {
    this.#database.exec(sql)
  }

  /** The cached prepared statement of a read, for what the other methods do not offer. */
  prepare(sql: string): StatementSync {
    return this.#statements.get(sql)
  }

  /** The cached prepared statement of a write, for a loop over `run`. */
  prepareWrite(sql: string): StatementSync {
    return this.#writes.get(sql)
  }

  /** Adds a function to the SQL of this connection. */
  define(name: string, run: (...values: ReadonlyArray<SQLOutputValue>) => number): void {
    this.#database.function(name, { varargs: true }, run)
  }

  #compile(sql: string): StatementSync {
    // Node binds them by their position from 24 on; before, the statement fails: "column index out of range".
    if (/\?\d/u.test(sql))
      throw new TypeError(`A statement has a numbered parameter, which Node 22 cannot bind: ${sql}`)
    return this.#database.prepare(sql)
  }

  /** All rows, as undecoded columns, for hot paths: to build and to read an object for each row takes longer than the query. */
  tuples(sql: string, ...parameters: ReadonlyArray<Parameter>): ReadonlyArray<Tuple> {
    const rows = this.#tupleStatements.get(sql).all(...parameters)
    if (!areTuples(rows)) throw new TypeError("The statement returned objects")
    return rows
  }

  /** It changes when another connection has committed something. */
  get dataVersion(): unknown {
    return this.tuples("PRAGMA data_version")[0]?.[0]
  }

  all<Row>({ decode, sql }: Query<Row>, ...parameters: ReadonlyArray<Parameter>): ReadonlyArray<Row> {
    return decode(this.prepare(sql).all(...parameters))
  }

  /** The first row, or undefined where there is none. */
  first<Row>({ decode, sql }: Query<Row>, ...parameters: ReadonlyArray<Parameter>): Row | undefined {
    const row = this.prepare(sql).get(...parameters)
    return row === undefined ? undefined : decode([row])[0]
  }

  /** A statement that writes. `id` is the rowid of the last insert. */
  run(sql: string, ...parameters: ReadonlyArray<Parameter>): { readonly changes: number; readonly id: number } {
    const { changes, lastInsertRowid } = this.prepareWrite(sql).run(...parameters)
    return { changes: Number(changes), id: Number(lastInsertRowid) }
  }

  /** Adds a row, given by its columns. Returns its rowid. */
  insert(table: string, row: Row): number {
    return this.run(`INSERT INTO ${into(table, row)}`, ...Object.values(row)).id
  }

  /** The same, in place of a row with the same key. */
  replace(table: string, row: Row): void {
    this.run(`INSERT OR REPLACE INTO ${into(table, row)}`, ...Object.values(row))
  }

  /**
   * Runs all of `body` or nothing of it. Takes the write lock first, so that `body` never fails half way for being late.
   * Blocks the thread for at most `patience` milliseconds while another connection holds the lock, then throws
   * SQLITE_BUSY; 0 throws at once.
   */
  transaction<A>(body: () => A, patience: number = defaultPatience, durability: Durability = "immediate"): A {
    if (durability === "immediate") return this.#within(() => this.#lock(patience), body)
    this.exec("PRAGMA synchronous = NORMAL")
    try {
      return this.#within(() => this.#lock(patience), body)
    } finally {
      this.exec("PRAGMA synchronous = FULL")
    }
  }

  /** Size of the database file, without its write-ahead log. */
  bytes(): number {
    const pages = this.prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()")
    return Number(pages.get()?.["bytes"])
  }

  /** Every read of `body` sees the same moment. */
  snapshot<A>(body: () => A): A {
    return this.#within(() => this.#execute("BEGIN"), body)
  }

  /**
   * Copies the whole database as of now over `target`, in one transaction there: programs that use `target` see the old
   * content or the new one. Fails if somebody holds a lock on `target`.
   */
  async copyTo(target: string): Promise<void> {
    // Without a snapshot, each commit of another process would make the copy begin again.
    this.#execute("BEGIN")
    try {
      this.prepare("SELECT 1 FROM sqlite_schema").get()
      await backup(this.#database, target, { rate: pagesAtOnce })
    } finally {
      this.#execute("ROLLBACK")
    }
  }

  [Symbol.dispose](): void {
    this.#statements.clear()
    this.#tupleStatements.clear()
    this.#writes.clear()
    if (this.#database.isOpen) this.#database.close()
  }

  /**
   * SQLite's own busy handler sleeps up to 100 ms between attempts and misses the short pauses of a load, so this polls
   * more often.
   */
  #lock(patience: number): void {
    const end = monotonicNow() + patience
    this.exec("PRAGMA busy_timeout = 0")
    try {
      for (;;) {
        try {
          this.#execute("BEGIN IMMEDIATE")
          return
        } catch (cause) {
          if (!isBusy(cause) || monotonicNow() >= end) throw cause
          Atomics.wait(sleeper, 0, 0, lockPollInterval)
        }
      }
    } finally {
      this.exec(`PRAGMA busy_timeout = ${defaultPatience}`)
    }
  }

  /** For each transaction, so it must be fast: `run` would read the last rowid, and `exec` would compile the statement. */
  #execute(sql: "BEGIN" | "BEGIN IMMEDIATE" | "COMMIT" | "ROLLBACK"): void {
    this.prepare(sql).get()
  }

  #within<A>(begin: () => void, body: () => A): A {
    begin()
    this.#transactions += 1
    this.#isWithin = true
    try {
      const result = body()
      this.#execute("COMMIT")
      return result
    } catch (cause) {
      this.#rollBack()
      throw cause
    } finally {
      this.#isWithin = false
    }
  }

  #rollBack(): void {
    this.#rollbacks += 1
    // Some failures (a full disk) have rolled back already.
    if (this.#database.isTransaction) this.#execute("ROLLBACK")
  }
}

/** The columns of a row. */
export type Tuple = ReadonlyArray<unknown>

/** `node:sqlite` declares rows as objects even if the statement returns arrays. */
const areTuples = (rows: ReadonlyArray<unknown>): rows is ReadonlyArray<Tuple> =>
  rows.length === 0 || Array.isArray(rows[0])

/** Keeps prepared statements. Filters combine to thousands of them: the oldest goes first. */
class StatementCache {
  readonly #prepare: (sql: string) => StatementSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(prepare: (sql: string) => StatementSync) {
    this.#prepare = prepare
  }

  get(sql: string): StatementSync {
    const cached = this.#statements.get(sql)
    if (cached !== undefined) return cached
    const statement = this.#prepare(sql)
    const oldest = this.#statements.size < maxStatements ? undefined : this.#statements.keys().next().value
    if (oldest !== undefined) this.#statements.delete(oldest)
    this.#statements.set(sql, statement)
    return statement
  }

  clear(): void {
    this.#statements.clear()
  }
}

/** Some megabytes: copied without a look at anything else. */
const pagesAtOnce = 2_000

/** Milliseconds. */
const defaultPatience = 5_000

/** Milliseconds between two attempts to take the write lock. A program that writes for long pauses for longer than this. */
export const lockPollInterval = 2

const sleeper = new Int32Array(new SharedArrayBuffer(4))

/** Prepared statements in a cache. */
const maxStatements = 1_000
