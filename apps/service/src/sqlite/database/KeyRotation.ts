/**
 * Encrypts all data of a database with a new key, while other processes read and write it with the current one.
 *
 * Encrypted columns are updated in place, in chunks, so both keys are needed in the meantime. An index cannot use two
 * keys, so new ones are built beside the current ones. Triggers record the rows that others change meanwhile. The last
 * transaction processes these rows and replaces the indexes; until then, every search uses the current key. A killed
 * process leaves a consistent database, and the next attempt continues after the last chunk.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { RowProgress } from "../../RowProgress.ts"
import { column, type Connection, lockPollInterval } from "./Connection.ts"
import type { Vault } from "../../crypto/Vault.ts"
import { type KeyedTable, nextIndex, type ReencryptedRows } from "./KeyedTable.ts"

/** A new key, and the last step of its rotation, which is part of the last transaction. */
export interface KeyChange {
  /** The vault encrypts with the new key, and also decrypts with the current one. */
  readonly vault: Vault
  /** False after another process has finished the rotation. */
  readonly isPending: () => boolean
  readonly finish: () => void
}

export interface KeyRotation<E> extends KeyChange {
  readonly connection: Connection
  readonly tables: ReadonlyArray<KeyedTable>
  withLock<A>(body: () => A): Effect.Effect<A, E>
  readonly progress: RowProgress
  readonly chunkLength?: number
}

/** Safe while another process runs the same rotation: each chunk is stored once, and one process finishes. */
export const rotateKeys = Effect.fn("rotateKeys")(function* <E>(run: KeyRotation<E>) {
  const { chunkLength = 5_000, connection, progress, tables } = run
  const withLock = <A>(body: () => A) => Effect.tap(run.withLock(body), () => Effect.sleep(pause))
  yield* withLock(() => {
    if (run.isPending()) for (const table of tables) prepareTable(connection, table)
  })
  const rows = (left: (table: KeyedTable) => number) => tables.reduce((sum, table) => sum + left(table), 0)
  const total = rows((table) => rowsAfter(connection, table, null))
  let done = total - rows((table) => rowsAfter(connection, table, positionOf(connection, table)))
  for (const table of tables) {
    while (isRunning(connection)) {
      yield* progress({ done, total })
      const position = positionOf(connection, table)
      const chunk = chunkAfter(connection, table, position, chunkLength)
      if (chunk.length === 0) break
      const prepared = table.reencrypt(run.vault, chunk)
      yield* withLock(() => storeChunk(run, table, { position, chunk, prepared }))
      done += chunk.length
    }
  }
  // Processes most of the changed rows in advance, so that the last transaction is short.
  for (const table of tables) while ((yield* withLock(() => applyChanges(run, table))) > 0);
  yield* withLock(() => {
    if (!isRunning(connection)) return
    for (const table of tables) {
      while (applyChanges(run, table) > 0);
      replaceIndexes(connection, table)
    }
    connection.exec("DELETE FROM rekeying")
    run.finish()
  })
})

/** Milliseconds between two transactions, in which others can take the write lock. */
const pause = 5 * lockPollInterval

const changesOf = ({ name }: KeyedTable): string => `rekeying_changes_of_${name}`

interface SchemaPart {
  readonly type: "table" | "trigger"
  readonly name: string
  readonly sql: string
}

/** Parts of the schema until the rotation ends. */
export const rotationSchema = (connection: Connection, table: KeyedTable): ReadonlyArray<SchemaPart> => [
  ...table.indexes.map((index): SchemaPart => ({
    type: "table",
    name: nextIndex(index),
    sql: emptyCopyOf(connection, index)
  })),
  ...changeRecords(table)
]

/** Triggers keep the first values of changed rows, which may be indexed. */
const changeRecords = (table: KeyedTable): ReadonlyArray<SchemaPart> => {
  const { columns, key, name } = table
  const changes = changesOf(table)
  const old = [key.column, ...columns].map((column) => `OLD.${column}`).join(", ")
  const trigger = (event: "insert" | "update" | "delete", statement: string): SchemaPart => ({
    type: "trigger",
    name: `${changes}_${event}`,
    sql: `CREATE TRIGGER ${changes}_${event} AFTER ${event.toUpperCase()} ON ${name} BEGIN ${statement}; END`
  })
  const keepOld = `INSERT OR IGNORE INTO ${changes} (key, ${columns.join(", ")}, was_there) VALUES (${old}, 1)`
  return [
    {
      type: "table",
      name: changes,
      sql: `CREATE TABLE ${changes} (key ${key.type} PRIMARY KEY, was_there INTEGER NOT NULL, ${columns.join(", ")})`
    },
    trigger("insert", `INSERT OR IGNORE INTO ${changes} (key, was_there) VALUES (NEW.${key.column}, 0)`),
    trigger("update", keepOld),
    trigger("delete", keepOld)
  ]
}

/** Keeps what an interrupted rotation has prepared, unless a migration has rebuilt the table or an index since. */
const prepareTable = (connection: Connection, table: KeyedTable): void => {
  const parts = rotationSchema(connection, table)
  const isPrepared =
    connection.has("FROM rekeying WHERE table_name = ?", table.name) &&
    parts.every(({ name, sql }) => connection.first(schemaOf, name) === sql)
  if (isPrepared) return
  dropParts(connection, parts)
  for (const { sql } of parts) connection.exec(sql)
  connection.replace("rekeying", { table_name: table.name })
}

const dropParts = (connection: Connection, parts: ReadonlyArray<SchemaPart>): void => {
  for (const { name, type } of parts) connection.exec(`DROP ${type} IF EXISTS ${name}`)
}

/** The statement that creates the next index, derived from that of `index`. */
const emptyCopyOf = (connection: Connection, index: string): string => {
  const sql = connection.first(schemaOf, index)
  if (sql === undefined) throw new Error(`${index} is not a table`)
  return sql.replace(index, nextIndex(index))
}

const replaceIndexes = (connection: Connection, table: KeyedTable): void => {
  dropParts(connection, changeRecords(table))
  for (const index of table.indexes) {
    connection.exec(`DROP TABLE ${index}; ALTER TABLE ${nextIndex(index)} RENAME TO ${index}`)
  }
  table.indexesReplaced?.(connection)
}

interface PreparedChunk {
  /** The position after which the chunk was read. */
  readonly position: string | null
  readonly chunk: ReadonlyArray<KeyedRow>
  readonly prepared: ReencryptedRows
}

/** Stores a chunk, except for rows that were changed since they were read: `applyChanges` processes these. */
const storeChunk = (
  run: KeyRotation<unknown>,
  table: KeyedTable,
  { chunk, position, prepared }: PreparedChunk
): void => {
  const { connection } = run
  if (!isRunning(connection) || positionOf(connection, table) !== position) return
  const keys = JSON.stringify(chunk.map(({ key }) => key))
  const among = `WHERE key IN (SELECT CAST(value AS ${table.key.type}) FROM json_each(?))`
  const changed = new Set(
    connection.tuples(`SELECT CAST(key AS TEXT) FROM ${changesOf(table)} ${among}`, keys).map(([key]) => key)
  )
  const own = chunk.filter(({ key }) => !changed.has(key))
  const rows = changed.size === 0 ? prepared : table.reencrypt(run.vault, own)
  rows.store(connection)
  connection.run(`DELETE FROM ${changesOf(table)} ${among}`, JSON.stringify(own.map(({ key }) => key)))
  connection.run("UPDATE rekeying SET position = ? WHERE table_name = ?", chunk.at(-1)?.key ?? null, table.name)
}

const changesAtOnce = 5_000

/** Returns the number of processed rows, at most `changesAtOnce`. */
const applyChanges = (run: KeyRotation<unknown>, table: KeyedTable): number => {
  const { connection } = run
  if (!isRunning(connection)) return 0
  const { columns, key, name } = table
  const selected = `CAST(key AS TEXT) AS key, ${columns.join(", ")}`
  const changed = connection.tuples(`SELECT CAST(key AS TEXT) FROM ${changesOf(table)} LIMIT ${changesAtOnce}`)
  const keys = JSON.stringify(changed.flat())
  const among = (column: string) => `${column} IN (SELECT CAST(value AS ${key.type}) FROM json_each(?))`
  const before = connection
    .prepare(`SELECT ${selected} FROM ${changesOf(table)} WHERE was_there = 1 AND ${among("key")}`)
    .all(keys)
  table.reencrypt(run.vault, before).unindex(connection)
  const now = connection
    .prepare(
      `SELECT ${selected} FROM (SELECT ${key.column} AS key, ${columns.join(", ")} FROM ${name} WHERE ${among(key.column)})`
    )
    .all(keys)
  table.reencrypt(run.vault, now).store(connection)
  connection.run(`DELETE FROM ${changesOf(table)} WHERE ${among("key")}`, keys)
  return changed.length
}

const chunkAfter = (
  connection: Connection,
  table: KeyedTable,
  position: string | null,
  length: number
): ReadonlyArray<KeyedRow> => {
  const { columns, key, name } = table
  const sql = `SELECT CAST(${key.column} AS TEXT) AS key, ${columns.join(", ")} FROM ${name}
    ${whereAfter(table, position)} ORDER BY ${key.column} LIMIT ${length}`
  return decodeKeys(connection.prepare(sql).all(...(position === null ? [] : [position])))
}

const rowsAfter = (connection: Connection, table: KeyedTable, position: string | null): number =>
  connection.count(`FROM ${table.name} ${whereAfter(table, position)}`, ...(position === null ? [] : [position]))

const whereAfter = ({ key }: KeyedTable, position: string | null): string =>
  position === null ? "" : `WHERE ${key.column} > CAST(? AS ${key.type})`

/** False after this or another process has finished the rotation. */
const isRunning = (connection: Connection): boolean => connection.has("FROM rekeying")

const positionOf = (connection: Connection, { name }: KeyedTable): string | null =>
  connection.first(startedTable, name) ?? null

const KeyedRow = Schema.StructWithRest(Schema.Struct({ key: Schema.String }), [
  Schema.Record(Schema.String, Schema.Unknown)
])
type KeyedRow = typeof KeyedRow.Type
const decodeKeys = Schema.decodeUnknownSync(Schema.Array(KeyedRow))

const startedTable = column(Schema.NullOr(Schema.String), "SELECT position FROM rekeying WHERE table_name = ?")

const schemaOf = column(Schema.String, "SELECT sql FROM sqlite_schema WHERE name = ?")
