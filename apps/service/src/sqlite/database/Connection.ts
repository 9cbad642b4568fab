/** Everything is synchronous, so a transaction is a plain function that nothing can interleave with. */
import { backup, DatabaseSync, type SQLOutputValue, type StatementSync } from "node:sqlite"
import { identity } from "effect/Function"
import * as Schema from "effect/Schema"
import { ValueForeign } from "../../crypto/Vault.ts"
import { ForeignRecords, maxForeign, RecordForeign, refuseListing } from "../../requests/ForeignRecords.ts"
import { isBusy, isOfDriver } from "./DriverError.ts"
import { createPrivate } from "./PrivateFile.ts"
import { keyIn, type Parameter, readAll, readFirst, StatementCache, tableOf, withNumbers } from "./Statements.ts"
import { StoreUnavailable } from "../../requests/StoreUnavailable.ts"
import { monotonicNow } from "../../MonotonicTime.ts"

/** A statement that returns rows, and the decoder of its rows. Create it once per module, with `query`. */
export interface Query<Row> {
  readonly sql: string
  readonly decode: (rows: ReadonlyArray<object>) => ReadonlyArray<Row>
}

/** The columns of `row` must be those of the statement. Integers are read as numbers, blobs as `Uint8Array`. */
export const query = <Row>(row: Schema.Decoder<Row>, sql: string): Query<Row> => ({
  sql,
  decode: Schema.decodeUnknownSync(Schema.Array(row))
})

/** The query of a single column. */
export const column = <A>(value: Schema.Decoder<A>, sql: string): Query<A> => {
  const decode = Schema.decodeUnknownSync(Schema.Array(value))
  return { sql, decode: (rows) => decode(rows.flatMap(Object.values)) }
}

type RowOfFields<Row> = Schema.Decoder<Row> & { readonly fields: object }

/** The query that selects the columns of a row; `rest` is the statement after them. */
export const select = <Row>(row: RowOfFields<Row>, rest: string): Query<Row> =>
  query(row, `SELECT ${columnsOf(row)} ${rest}`)

/** A field in camel case has a column in snake case, unless `expressions` has an SQL expression for it. */
export const columnsOf = (
  { fields }: { readonly fields: object },
  expressions: Readonly<Record<string, string>> = {}
): string =>
  Object.keys(fields)
    .map((field) => {
      const column = expressions[field] ?? field.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)
      return column === field ? field : `${column} AS ${field}`
    })
    .join(", ")

/**
 * When a transaction is safe from a power failure: at its end, or at the end of the next immediate one. A power failure
 * loses only the latest transactions, so none that an immediate one confirmed, and the file is never damaged
 * (https://sqlite.org/pragma.html#pragma_synchronous). A deferred transaction is shorter, because it does not wait for
 * the disk.
 */
export type Durability = "immediate" | "deferred"

type Row = Readonly<Record<string, Parameter>>

const into = (table: string, row: Row): string => {
  const columns = Object.keys(row)
  return `${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`
}

export class Connection implements Disposable {
  readonly #database: DatabaseSync
  readonly #statements = new StatementCache((sql) => this.#compile(sql))
  readonly #tupleStatements = new StatementCache((sql) => this.#compile(sql, "setReturnArrays"))
  // Since Node 26.8, `run` throws after the write if the last rowid is not a safe integer.
  readonly #writes = new StatementCache((sql) => this.#compile(sql, "setReadBigInts"))
  #rollbacks = 0
  #transactions = 0
  #isWithin = false
  /** The rows read so far that another program wrote. Shared by the connections of one program. */
  readonly foreign: ForeignRecords

  /** Creates a missing file with access for its owner only. */
  constructor(
    file: string,
    {
      foreign = new ForeignRecords(),
      readOnly = false
    }: { readonly foreign?: ForeignRecords; readonly readOnly?: boolean } = {}
  ) {
    this.foreign = foreign
    if (!readOnly && file !== ":memory:") createPrivate(file)
    this.#database = new DatabaseSync(file, { timeout: defaultBusyTimeout, readOnly })
    if (!readOnly) this.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    // The maximum that SQLite maps of a file.
    this.exec("PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 2147418112")
  }

  /** The number of transactions that were rolled back. Data that was read in one of them may be invalid. */
  get rollbacks(): number {
    return this.#rollbacks
  }

  /** The number of the current transaction or snapshot, whose reads all see the same state. Undefined outside one. */
  get transactionNumber(): number | undefined {
    return this.#isWithin ? this.#transactions : undefined
  }

  /** For pragmas and schema changes. */
  exec(sql: string): void {
    this.#database.exec(sql)
  }

  /** For reads that no other method offers. */
  prepare(sql: string): StatementSync {
    return this.#statements.get(sql)
  }

  /** For calling `run` in a loop. */
  prepareWrite(sql: string): StatementSync {
    return this.#writes.get(sql)
  }

  define(name: string, run: (...values: ReadonlyArray<SQLOutputValue>) => number): void {
    this.#database.function(name, { varargs: true }, run)
  }

  #compile(sql: string, option?: "setReadBigInts" | "setReturnArrays"): StatementSync {
    // Since version 24, Node binds numbered parameters by their position; before, the statement fails with "column
    // index out of range".
    if (/\?\d/u.test(sql))
      throw new TypeError(`A statement has a numbered parameter, which Node 22 cannot bind: ${sql}`)
    const statement = this.#database.prepare(sql)
    if (option !== undefined) statement[option](true)
    return statement
  }

  /**
   * All rows as undecoded columns, for hot paths: creating and reading an object per row takes longer than the query.
   */
  tuples(sql: string, ...parameters: ReadonlyArray<Parameter>): ReadonlyArray<Tuple> {
    const rows = readAll(this.#tupleStatements.get(sql), parameters)
    if (!areTuples(rows)) throw new TypeError("The statement returned objects")
    return rows
  }

  /** Whether the statement after the columns finds a row. */
  has(rest: string, ...parameters: ReadonlyArray<Parameter>): boolean {
    return this.tuples(`SELECT 1 ${rest} LIMIT 1`, ...parameters).length > 0
  }

  /** The number of rows that the statement after the columns finds. */
  count(rest: string, ...parameters: ReadonlyArray<Parameter>): number {
    return Number(this.tuples(`SELECT count(*) ${rest}`, ...parameters)[0]?.[0])
  }

  /** A value that changes when another connection commits a transaction. */
  get dataVersion(): unknown {
    return this.tuples("PRAGMA data_version")[0]?.[0]
  }

  /** All rows. Throws a failure that names the first row which this program did not write. */
  all<Row>(query: Query<Row>, ...parameters: ReadonlyArray<Parameter>): ReadonlyArray<Row> {
    return this.#decodeAll(query, readAll(this.prepare(query.sql), parameters))
  }

  /** Like `all`, one row at a time, for tables of any size. */
  *each<Row>(query: Query<Row>): Generator<Row> {
    const statement = this.#compile(query.sql, "setReadBigInts")
    for (const row of statement.iterate()) yield this.#decode(query, [withNumbers(row)])
  }

  /** The first row; undefined if there is none. Throws like `all`. */
  first<Row>(query: Query<Row>, ...parameters: ReadonlyArray<Parameter>): Row | undefined {
    const row = readFirst(this.prepare(query.sql), parameters)
    return row === undefined ? undefined : this.#decode(query, [row])
  }

  /**
   * The rows of a listing, each converted by `open`. Rows that cannot be decoded or opened were not written by this
   * program: they are left out, and their names are recorded. `open` may then be called twice for other rows. With
   * `size`, which is the last parameter of the statement, further rows are read instead of those.
   */
  own<Row>(query: Query<Row>, parameters: ReadonlyArray<Parameter>): ReadonlyArray<Row>
  own<Row, A>(
    query: Query<Row>,
    parameters: ReadonlyArray<Parameter>,
    open: (row: Row) => A,
    size?: number
  ): ReadonlyArray<A>
  own<Row>(
    query: Query<Row>,
    parameters: ReadonlyArray<Parameter>,
    open: (row: Row) => unknown = identity,
    size = Number.POSITIVE_INFINITY
  ): ReadonlyArray<unknown> {
    const isLimited = Number.isFinite(size)
    for (let limit = size; ;) {
      const rows = readAll(this.prepare(query.sql), isLimited ? [...parameters, limit] : parameters)
      const own = this.#openAll(query, rows, open)
      if (own.length === rows.length) return own
      const left = rows.length - own.length
      if (left > maxForeign) throw refuseListing(tableOf(query.sql))
      if (own.length >= size || rows.length < limit || !isLimited) return own.slice(0, size)
      limit = size + left
    }
  }

  /** Records the row's name and returns an empty list if `read` throws because this program did not write the row. */
  readOwn<A>(read: () => A, rowOf: () => readonly [table: string, id: string]): readonly [A] | readonly [] {
    try {
      return [read()]
    } catch (cause) {
      if (isOfDriver(cause) || cause instanceof StoreUnavailable) throw cause
      // The failure may concern another row, which this one refers to.
      const [table, id] = isForeign(cause) ? [cause.table, cause.id] : rowOf()
      this.foreign.note(table, [id])
      return []
    }
  }

  #openAll<Row, A>(query: Query<Row>, rows: ReadonlyArray<object>, open: (row: Row) => A): ReadonlyArray<A> {
    try {
      const decoded = decodeWhole(query, rows)
      if (decoded !== undefined) return decoded.map(open)
    } catch {
      // One of the rows has failed: read them one by one.
    }
    return rows.flatMap((row) =>
      this.readOwn(
        () => open(this.#decode(query, [row])),
        () => this.#nameOf(query.sql, row)
      )
    )
  }

  #decodeAll<Row>(query: Query<Row>, rows: ReadonlyArray<object>): ReadonlyArray<Row> {
    return decodeWhole(query, rows) ?? rows.map((row) => this.#decode(query, [row]))
  }

  #decode<Row>(query: Query<Row>, row: readonly [object]): Row {
    const [decoded] = decodeWhole(query, row) ?? []
    if (decoded !== undefined) return decoded
    throw new RecordForeign(...this.#nameOf(query.sql, row[0]))
  }

  /** The table of a row, and the values of the primary key that are in it. */
  #nameOf(sql: string, row: object): readonly [table: string, id: string] {
    const table = tableOf(sql)
    const columns = this.tuples("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", table)
    return [table, keyIn(row, columns.flat().map(String))]
  }

  /** Runs a statement that writes. `id` is the rowid of the last insert. */
  run(sql: string, ...parameters: ReadonlyArray<Parameter>): { readonly changes: number; readonly id: number } {
    const { changes, lastInsertRowid } = this.prepareWrite(sql).run(...parameters)
    return { changes: Number(changes), id: Number(lastInsertRowid) }
  }

  /** Returns the rowid. */
  insert(table: string, row: Row): number {
    return this.run(`INSERT INTO ${into(table, row)}`, ...Object.values(row)).id
  }

  /** Throws if the assigned number is not a safe integer. */
  insertNumbered(table: string, row: Row): number {
    const id = this.insert(table, row)
    if (Number.isSafeInteger(id)) return id
    throw new RecordForeign(table, "a row with a larger number")
  }

  replace(table: string, row: Row): void {
    this.run(`INSERT OR REPLACE INTO ${into(table, row)}`, ...Object.values(row))
  }

  /**
   * Runs `body` atomically. Takes the write lock at the beginning, so that `body` cannot fail halfway for lack of it.
   * Blocks the thread for at most `busyTimeout` milliseconds while another connection holds the lock, then throws
   * SQLITE_BUSY; 0 throws at once.
   */
  transaction<A>(body: () => A, busyTimeout: number = defaultBusyTimeout, durability: Durability = "immediate"): A {
    if (durability === "immediate") return this.#within(() => this.#lock(busyTimeout), body)
    this.exec("PRAGMA synchronous = NORMAL")
    try {
      return this.#within(() => this.#lock(busyTimeout), body)
    } finally {
      this.exec("PRAGMA synchronous = FULL")
    }
  }

  /** The size of the database file in bytes, without its write-ahead log. */
  bytes(): number {
    const pages = this.prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()")
    return Number(pages.get()?.["bytes"])
  }

  /** All reads in `body` see the same state. */
  snapshot<A>(body: () => A): A {
    return this.#within(() => this.#execute("BEGIN"), body)
  }

  /**
   * Copies the whole database as of now to `target`, in one transaction there: programs that use `target` see either
   * the old or the new content. Fails if another connection holds a lock on `target`.
   */
  async copyTo(target: string): Promise<void> {
    // Without a snapshot, each commit of another process would restart the copy.
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

  /** SQLite's own busy handler sleeps up to 100 ms and misses the short pauses of a load, so this polls more often. */
  #lock(busyTimeout: number): void {
    const end = monotonicNow() + busyTimeout
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
      this.exec(`PRAGMA busy_timeout = ${defaultBusyTimeout}`)
    }
  }

  /** Hot path: `run` would read the last rowid, and `exec` would compile the statement. */
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
      if (isForeign(cause)) this.foreign.note(cause.table, [cause.id])
      throw cause
    } finally {
      this.#isWithin = false
    }
  }

  #rollBack(): void {
    this.#rollbacks += 1
    // Some failures, such as a full disk, have already rolled back.
    if (this.#database.isTransaction) this.#execute("ROLLBACK")
  }
}

const isForeign = (cause: unknown): cause is RecordForeign | ValueForeign =>
  cause instanceof RecordForeign || cause instanceof ValueForeign

export type Tuple = ReadonlyArray<unknown>

/** `node:sqlite` declares rows as objects even if the statement returns arrays. */
const areTuples = (rows: ReadonlyArray<unknown>): rows is ReadonlyArray<Tuple> =>
  rows.length === 0 || Array.isArray(rows[0])

/** The decoded rows; undefined if a row does not have the shape of the query. */
const decodeWhole = <Row>({ decode }: Query<Row>, rows: ReadonlyArray<object>): ReadonlyArray<Row> | undefined => {
  try {
    return decode(rows)
  } catch (cause) {
    if (isOfDriver(cause)) throw cause
    return undefined
  }
}

/** Some megabytes, which are copied without interruption. */
const pagesAtOnce = 2_000

/** Milliseconds. */
const defaultBusyTimeout = 5_000

/** Milliseconds: shorter than the pauses between the transactions of a bulk writer. */
export const lockPollInterval = 2

const sleeper = new Int32Array(new SharedArrayBuffer(4))
