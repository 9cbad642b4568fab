import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { NewReport } from "@threat-exposure/core/domain/Report"
import { Database } from "../sqlite/Database.ts"
import { procedure } from "../sqlite/Procedure.ts"

/** Reports that tenants ordered. They are stored; no operation retrieves one. */
export class Reports extends Context.Service<
  Reports,
  {
    /** See docs/api.md#create-a-report. */
    create(tenantId: number, report: NewReport): Effect.Effect<void>
  }
>()("@threat-exposure/service/reports/Reports") {
  static readonly layer = Layer.effect(
    Reports,
    Effect.gen(function* () {
      const store = yield* ReportStore
      return Reports.of({
        create: Effect.fn("Reports.create")(function* (tenantId, report) {
          yield* store.insert({ tenantId, report, createdAt: DateTime.formatIso(yield* DateTime.now) })
        })
      })
    })
  )
}

/** Where reports are stored. Each engine has a layer of it. */
export class ReportStore extends Context.Service<
  ReportStore,
  {
    insert(report: StoredReport): Effect.Effect<void>
  }
>()("@threat-exposure/service/reports/Reports/ReportStore") {
  static readonly layerSqlite = Layer.effect(
    ReportStore,
    Effect.map(Database, ({ write }) => ReportStore.of({ insert: (report) => write(insert, report) }))
  )
}

interface StoredReport {
  readonly tenantId: number
  readonly report: NewReport
  /** ISO 8601. */
  readonly createdAt: string
}

const insert = procedure(
  "ReportStore.insert",
  ({ connection }, { createdAt, report, tenantId }: StoredReport): void => {
    connection.run(
      "INSERT INTO reports (tenant_id, report, created_at) VALUES (?, ?, ?)",
      tenantId,
      JSON.stringify(report),
      createdAt
    )
  }
)

export const reportProcedures = [insert]
