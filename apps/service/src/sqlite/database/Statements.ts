import type { SQLInputValue, StatementSync } from "node:sqlite"
import { isOutOfRange } from "./DriverError.ts"

export type Parameter = SQLInputValue

/** A cache of prepared statements. Filters combine to thousands of them; the oldest is evicted first. */
export class StatementCache {
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

const maxStatements = 1_000

/** The statement refuses unsafe integers, so these are read as `bigint`, which no column decodes. */
export const readAll = (statement: StatementSync, parameters: ReadonlyArray<Parameter>): ReadonlyArray<object> => {
  try {
    return statement.all(...parameters)
  } catch (cause) {
    if (!isOutOfRange(cause)) throw cause
    return withBigInts(statement, () => statement.all(...parameters)).map(withNumbers)
  }
}

export const readFirst = (statement: StatementSync, parameters: ReadonlyArray<Parameter>): object | undefined => {
  try {
    return statement.get(...parameters)
  } catch (cause) {
    if (!isOutOfRange(cause)) throw cause
    return withNumbers(withBigInts(statement, () => statement.get(...parameters)) ?? {})
  }
}

const withBigInts = <A>(statement: StatementSync, read: () => A): A => {
  statement.setReadBigInts(true)
  try {
    return read()
  } finally {
    statement.setReadBigInts(false)
  }
}

/** An array stays an array. */
export const withNumbers = (row: object): object =>
  Array.isArray(row)
    ? row.map(numberOf)
    : Object.fromEntries(Object.entries(row).map(([name, value]) => [name, numberOf(value)]))

const numberOf = (value: unknown): unknown =>
  typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value

/** The first table of a statement, for messages. */
export const tableOf = (sql: string): string => {
  let outer = sql
  for (let inner = ""; inner !== outer;) {
    inner = outer
    outer = inner.replaceAll(/\([^()]*\)/gu, "")
  }
  return /\bFROM\s+(\w+)/u.exec(outer)?.[1] ?? "a table"
}

/** The values of these columns in the row, whose fields may be in camel case. */
export const keyIn = (row: object, columns: ReadonlyArray<string>): string => {
  const values = new Map<string, unknown>(Object.entries(row))
  const key = columns.flatMap((name) => {
    const value = values.get(name) ?? values.get(name.replaceAll(/_[a-z]/gu, (letter) => letter.slice(1).toUpperCase()))
    return value == null ? [] : [String(value)]
  })
  return key.length === 0 ? "row" : key.join(":")
}
