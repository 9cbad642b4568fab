import * as Schema from "effect/Schema"
import { column, type Connection } from "./Connection.ts"

export interface Migration {
  readonly name: string
  readonly sql: string
}

/**
 * Takes the write lock only if a migration is missing. Throws SQLITE_BUSY, or if a later version changed the schema.
 */
export const migrate = (connection: Connection, migrations: ReadonlyArray<Migration>, now: string): void => {
  requireKnown(connection, migrations)
  if (findMissing(connection, migrations).length === 0) return
  connection.transaction(() => {
    requireKnown(connection, migrations)
    connection.exec("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT")
    for (const { name, sql } of findMissing(connection, migrations)) {
      connection.exec(sql)
      connection.insert("migrations", { name, applied_at: now })
    }
  }, 0)
}

/** Throws if the schema is of a later version, whose tables this version would misread, or too old to be migrated. */
const requireKnown = (connection: Connection, migrations: ReadonlyArray<Migration>): void => {
  if (appliedTo(connection) === undefined) return
  const [later] = laterMigrations(connection, migrations)
  if (later !== undefined) {
    throw new Error(`a later version of this program upgraded it (${later}). Run that version, or restore a backup`)
  }
  if (findMissing(connection, migrations).length < migrations.length) return
  throw new Error("an early version of this program wrote it. Load its data into a new database")
}

export const findMissing = (connection: Connection, migrations: ReadonlyArray<Migration>): ReadonlyArray<Migration> => {
  const applied = new Set(appliedTo(connection))
  return migrations.filter(({ name }) => !applied.has(name))
}

/** Migrations of a version later than this program. The first migration includes those with lower numbers. */
export const laterMigrations = (
  connection: Connection,
  migrations: ReadonlyArray<Migration>
): ReadonlyArray<string> => {
  const first = migrations[0]?.name ?? ""
  const known = new Set(migrations.map(({ name }) => name))
  return (appliedTo(connection) ?? []).filter((applied) => applied > first && !known.has(applied))
}

/** The names of the applied migrations; undefined for a database without a schema. */
const appliedTo = (connection: Connection): ReadonlyArray<string> | undefined =>
  connection.has("FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'")
    ? connection.all(appliedNames)
    : undefined

/** Other programs have a table `migrations`, too. */
export const contentOf = (database: Pick<Connection, "prepare">): "nothing" | "our data" | "other data" => {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  const names = new Set(tables.map(({ name }) => name))
  if (names.size === 0) return "nothing"
  return names.has("migrations") && names.has("vault") ? "our data" : "other data"
}

const appliedNames = column(Schema.String, "SELECT name FROM migrations")
