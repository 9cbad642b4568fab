/**
 * One thread's connection to the database: prepared statements are kept, rows are decoded, and everything is
 * synchronous, so a transaction is a plain function that nothing can interleave with.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import * as Schema from "effect/Schema"

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

export class Connection implements Disposable {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  /** Creates the file where it is missing. Waits `patience` milliseconds for another process's write to end. */
  constructor(
    file: string,
    { patience = 5_000, readOnly = false }: { readonly readOnly?: boolean; readonly patience?: number } = {}
  ) {
    this.#database = new DatabaseSync(file, { timeout: patience, readOnly })
    if (!readOnly) this.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    // As much of the file is mapped as SQLite maps at most.
    this.exec("PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 2147418112")
  }

  /** Statements without parameters or rows: pragmas and schema changes. */
  exec(sql: string): void {
    this.#database.exec(sql)
  }

  /** The kept prepared statement itself, for hot paths that read columns without decoding rows. */
  prepare(sql: string): StatementSync {
    const kept = this.#statements.get(sql)
    if (kept !== undefined) return kept
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
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
    const { changes, lastInsertRowid } = this.prepare(sql).run(...parameters)
    return { changes: Number(changes), id: Number(lastInsertRowid) }
  }

  /** All of `body` or nothing of it. Takes the write lock at once, so it never fails half way for being late. */
  transaction<A>(body: () => A): A {
    return this.#within("BEGIN IMMEDIATE", body)
  }

  /** A transaction that spans waiting, on a connection that nobody else uses. */
  async holding<A>(body: () => Promise<A>): Promise<A> {
    this.prepare("BEGIN IMMEDIATE").run()
    try {
      const result = await body()
      this.prepare("COMMIT").run()
      return result
    } catch (cause) {
      this.#rollBack()
      throw cause
    }
  }

  /** Every read of `body` sees the same moment. */
  snapshot<A>(body: () => A): A {
    return this.#within("BEGIN", body)
  }

  [Symbol.dispose](): void {
    this.#statements.clear()
    if (this.#database.isOpen) this.#database.close()
  }

  #within<A>(begin: string, body: () => A): A {
    this.prepare(begin).run()
    try {
      const result = body()
      this.prepare("COMMIT").run()
      return result
    } catch (cause) {
      this.#rollBack()
      throw cause
    }
  }

  #rollBack(): void {
    // Some failures (a full disk) have rolled back already.
    if (this.#database.isTransaction) this.prepare("ROLLBACK").run()
  }
}
