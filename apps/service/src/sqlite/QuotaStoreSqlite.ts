import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { column } from "./database/Connection.ts"
import { storeLayer } from "./database/StoreMethods.ts"
import { QuotaStore } from "../limits/Quota.ts"

export const QuotaStoreSqlite = storeLayer(QuotaStore)(({ lookUp, write }) => ({
  used: lookUp(({ connection }, tenantId, month) => ({
    units: connection.first(unitsUsed, tenantId, month) ?? 0
  })),
  // The number of the batch is not needed: a failed transaction has changed nothing.
  add: write("add", ({ connection }, { uses }) => {
    for (const { month, tenantId, units } of uses) {
      connection.run(
        `INSERT INTO quota_use (tenant_id, month, units)
         SELECT ?, ?, ? WHERE EXISTS (SELECT 1 FROM keys WHERE tenant_id = ?)
         ON CONFLICT DO UPDATE SET units = units + excluded.units`,
        tenantId,
        month,
        units,
        tenantId
      )
    }
  }),
  exchangePaid: () => Effect.succeed(new Map())
}))

const unitsUsed = column(Schema.Int, "SELECT units FROM quota_use WHERE tenant_id = ? AND month = ?")
