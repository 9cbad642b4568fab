import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { NewReport } from "@threat-exposure/core/domain/Report"

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

/** Where reports are stored. Each engine implements it. */
export class ReportStore extends Context.Service<
  ReportStore,
  {
    insert(report: OrderedReport): Effect.Effect<void>
  }
>()("@threat-exposure/service/reports/Reports/ReportStore") {}

export interface OrderedReport {
  readonly tenantId: number
  readonly report: NewReport
  /** ISO 8601. */
  readonly createdAt: string
}
