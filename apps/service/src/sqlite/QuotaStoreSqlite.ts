import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { select } from "./database/Connection.ts"
import { Database } from "./database/Database.ts"
import { procedure } from "./database/Procedure.ts"
import { QuotaStore } from "../limits/Quota.ts"
import type { QuotaUse } from "../limits/SearchQuota.ts"

export const QuotaStoreSqlite = Layer.effect(
  QuotaStore,
  Effect.map(Database, ({ lookUp, write }) =>
    QuotaStore.of({
      used: (tenantId, month) =>
        lookUp(({ connection }) => ({ units: connection.first(unitsUsed, tenantId, month)?.units ?? 0 })),
      // The number of the batch is not needed: a failed transaction has changed nothing.
      add: ({ uses }) => write(add, uses),
      exchangePaid: () => Effect.succeed(new Map())
    })
  )
)

const unitsUsed = select(Schema.Struct({ units: Schema.Int }), "FROM quota_use WHERE tenant_id = ? AND month = ?")

const add = procedure("QuotaStore.add", ({ connection }, uses: ReadonlyArray<QuotaUse>): void => {
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
})
