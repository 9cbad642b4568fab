import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { TenantDeletion } from "../tenants/TenantDeletion.ts"
import { type Connection, query } from "./database/Connection.ts"
import { procedure } from "./database/Procedure.ts"
import { storeLayer } from "./database/StoreMethods.ts"

export const TenantDeletionSqlite = storeLayer(TenantDeletion)(({ read }, calls) => ({
  count: read("count", ({ connection }, tenantId) =>
    tenantTables(connection)
      .map(({ table }) => ({ table, rows: connection.count(`FROM ${table} WHERE tenant_id = ?`, tenantId) }))
      .filter(({ rows }) => rows > 0)
  ),
  delete: Effect.fnUntraced(function* (tenantId) {
    while (yield* calls.write(deleteSome, tenantId)) yield* Effect.sleep(pause)
  })
}))

const deleteSome = procedure("TenantDeletion.deleteSome", ({ connection }, tenantId: number): boolean => {
  const matches = connection.run(
    `DELETE FROM identifier_events WHERE (identifier_id, event_id) IN (
       SELECT m.identifier_id, m.event_id FROM identifiers i JOIN identifier_events m ON m.identifier_id = i.id
       WHERE i.tenant_id = ? LIMIT ${rowsAtOnce})`,
    tenantId
  )
  if (matches.changes > 0) return true
  return tenantTables(connection).some(({ key, table }) => {
    const some = `SELECT ${key} FROM ${table} WHERE tenant_id = ? LIMIT ${rowsAtOnce}`
    return connection.run(`DELETE FROM ${table} WHERE (${key}) IN (${some})`, tenantId).changes > 0
  })
})

const rowsAtOnce = 1_000

/** Milliseconds between transactions, in which others can take the write lock. */
const pause = 20

const tenantTables = (connection: Connection) =>
  connection.all(tablesOfTenants).toSorted((a, b) => Number(b.table === "keys") - Number(a.table === "keys"))

const tablesOfTenants = query(
  Schema.Struct({ table: Schema.String, key: Schema.String }),
  `SELECT t.name AS "table", (SELECT group_concat(name) FROM pragma_table_info(t.name) WHERE pk > 0) AS key
   FROM pragma_table_list t JOIN pragma_table_info(t.name) c ON c.name = 'tenant_id'
   WHERE t.schema = 'main' AND t.type = 'table' ORDER BY t.name`
)
