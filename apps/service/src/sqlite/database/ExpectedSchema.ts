/** Refuses a changed schema: a planted trigger or view would run with the rights of the service. */
import * as Schema from "effect/Schema"
import { Connection, query } from "./Connection.ts"
import type { KeyedTable } from "./KeyedTable.ts"
import { rotationSchema } from "./KeyRotation.ts"
import { migrate, type Migration } from "./Migration.ts"

/** The first difference from the schema of the migrations, as the end of a sentence. */
export const schemaFault = (
  connection: Connection,
  migrations: ReadonlyArray<Migration>,
  keyedTables: ReadonlyArray<KeyedTable>
): string | undefined => {
  using reference = new Connection(":memory:")
  migrate(reference, migrations, "")
  const expected = new Map(reference.all(schema).map(({ name, sql, type }) => [`${type} ${name}`, normalize(sql)]))
  const stored = connection.all(schema)
  const there = new Set(stored.map(({ name, type }) => `${type} ${name}`))
  const missing = [...expected.keys()].find((part) => !there.has(part))
  if (missing !== undefined) return `it lacks the ${missing}`
  // A key rotation, which adds to the schema, may be running.
  for (const table of keyedTables) {
    for (const { name, sql, type } of rotationSchema(reference, table)) expected.set(`${type} ${name}`, normalize(sql))
  }
  const foreign = stored.find(({ name, sql, type }) => expected.get(`${type} ${name}`) !== normalize(sql))
  return foreign === undefined
    ? undefined
    : `it has a ${foreign.type} ${JSON.stringify(foreign.name)} that this program did not create`
}

/** Removes quotes: SQLite quotes the name of a renamed table, in two ways. */
const normalize = (sql: string): string =>
  sql
    .replaceAll('"', "")
    .replace(/^CREATE TABLE '(\w+)'/u, "CREATE TABLE $1")
    .replaceAll(/\s+/gu, " ")
    .trim()

const schema = query(
  Schema.Struct({ type: Schema.String, name: Schema.String, sql: Schema.String }),
  "SELECT type, name, coalesce(sql, '') AS sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
)
