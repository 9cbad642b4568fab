/**
 * Brings a database to the present schema.
 *
 * To change the schema, add a file to `migrations/` and its entry to the end of the list in `migrations.ts`. An entry
 * that has been released is never edited.
 */
import * as Schema from "effect/Schema"
import { type Connection, query } from "./Connection.ts"

export interface Migration {
  readonly name: string
  readonly sql: string
}

/** Safe while other processes do the same: the write lock lets one of them through at a time. */
export const migrate = (connection: Connection, migrations: ReadonlyArray<Migration>, now: string): void => {
  connection.transaction(() => {
    connection.exec("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT")
    const applied = new Set(connection.all(appliedNames).map(({ name }) => name))
    for (const { name, sql } of migrations) {
      if (applied.has(name)) continue
      connection.exec(sql)
      connection.run("INSERT INTO migrations (name, applied_at) VALUES (?, ?)", name, now)
    }
  })
}

const appliedNames = query(Schema.Struct({ name: Schema.String }), "SELECT name FROM migrations")
