import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { NewReport, Report } from "@threat-exposure/core/domain/Report"
import { toDateTime } from "@threat-exposure/core/domain/Timestamp"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import { cursors } from "../crypto/Cursor.ts"
import { makeValidationFailed } from "../ExpectedFailure.ts"
import { EventStore } from "../events/EventStore.ts"
import { orNotFound } from "../requests/NotFound.ts"
import { EncodedAnswer, type OperationHandlers } from "../requests/OperationHandlers.ts"
import { pageOf, type Position } from "../requests/Positions.ts"
import { reportCsv } from "./ReportCsv.ts"
import { eventsBetween } from "./ReportEvents.ts"
import { periodOf, reportPdf } from "./ReportPdf.ts"

/** Reports that tenants ordered. Their content is the state of the events at the time of the download. */
export const reportHandlers = Effect.gen(function* () {
  const store = yield* ReportStore
  const events = yield* EventStore
  const current = yield* CurrentVault
  const find = (tenantId: number, id: number | string) => orNotFound(store.find(tenantId, String(id)))
  return {
    create: Effect.fn("Reports.create")(function* ({ payload: report }, { tenantId }) {
      const createdAt = DateTime.formatIso(yield* DateTime.now)
      const isTooLong = JSON.stringify(report).length > maxReportLength
      const isStored = isTooLong
        ? (yield* store.count(tenantId)) < maxReports
        : yield* store.insert({ tenantId, report, createdAt })
      const refusals = [...(isTooLong ? [tooLong] : []), ...(isStored ? [] : [tooMany])]
      if (refusals.length > 0) return yield* Effect.fail(makeValidationFailed(refusals))
    }),

    list: Effect.fn("Reports.list")(function* (
      { query: { from, include_archived, order_by = "created_at", order_type = "desc", size = 20 } },
      { tenantId }
    ) {
      const listing = ["reports", tenantId, order_by, order_type, include_archived ?? null]
      const { after, page } = yield* listCursors.open(current.vault, listing, from)
      const reports = (yield* store.list(tenantId)).map(reportOf).map((report) => {
        const key = [order_by === "id" ? "" : (report[order_by] ?? ""), String(report.id)] as const
        return { report, key, position: positionOf(key) }
      })
      const rest = pageOf(reports, { after: after && positionOf(after), order: order_type, size: size + 1 })
      const { items, next } = page(rest, size, ({ key }) => key)
      return { items: items.map(({ report }) => report), next }
    }),

    get: Effect.fn("Reports.get")(({ params }, { tenantId }) => Effect.map(find(tenantId, params.report_id), reportOf)),

    download: Effect.fn("Reports.download")(function* ({ params: { report_id }, query: { format } }, { tenantId }) {
      if (format !== "csv" && format !== "pdf") return yield* Effect.fail(makeValidationFailed([unsupported]))
      const stored = yield* find(tenantId, report_id)
      const created = Option.getOrElse(toDateTime(stored.createdAt), () => DateTime.makeUnsafe(0))
      const period = periodOf(stored.report, created)
      const found = eventsBetween(events, current, tenantId, period)
      const name = `attachment; filename="report-${String(stored.id).replaceAll(/[^\w-]/gu, "_")}.${format}"`
      const headers = { "Content-Disposition": name }
      return new EncodedAnswer(
        format === "csv"
          ? { status: 200, headers, contentType: "text/csv; charset=utf-8", body: reportCsv(found) }
          : {
              status: 200,
              headers,
              contentType: "application/pdf",
              body: yield* reportPdf(stored.report, period, found)
            }
      )
    })
  } satisfies OperationHandlers["reports"]
})

/** A listing reads all reports of the tenant. */
export const maxReports = 1_000

/** UTF-16 code units of the report as JSON. */
const maxReportLength = 10_000

const tooMany = { loc: ["body"], msg: `A tenant should have at most ${maxReports} reports`, type: "too_long" }

const tooLong = {
  loc: ["body"],
  msg: `A report should have at most ${maxReportLength} characters as JSON`,
  type: "too_long"
}

const unsupported = {
  loc: ["query", "format"],
  msg: "Input should be 'csv' or 'pdf': this service has no other formats",
  type: "literal_error",
  ctx: { expected: "'csv' or 'pdf'" }
}

const reportOf = ({ createdAt, id, report: { audience, author, title }, tenantId }: StoredReport): Report => ({
  id,
  title: title ?? null,
  author: author ?? null,
  tenant_id: tenantId,
  report_type: audience ?? null,
  status: "completed",
  created_at: createdAt,
  updated_at: createdAt,
  is_archived: false
})

/** Numeric ids are compared as numbers. */
const positionOf = ([text, id]: readonly [text: string, id: string]): Position<string> => [text, id.padStart(16, "0")]

/** The value by which a listing is ordered, and the id. */
const listCursors = cursors(Schema.Tuple([Schema.String, Schema.String]))

/** Stores reports. Each engine implements it. */
export class ReportStore extends Context.Service<
  ReportStore,
  {
    /** Returns false, and stores nothing, if the tenant has {@link maxReports}. */
    insert(report: OrderedReport): Effect.Effect<boolean>
    count(tenantId: number): Effect.Effect<number>
    list(tenantId: number): Effect.Effect<ReadonlyArray<StoredReport>>
    /** Undefined if the tenant has no such report. */
    find(tenantId: number, id: string): Effect.Effect<StoredReport | undefined>
  }
>()("@threat-exposure/service/reports/Reports/ReportStore") {}

export interface OrderedReport {
  readonly tenantId: number
  readonly report: NewReport
  /** ISO 8601. */
  readonly createdAt: string
}

export interface StoredReport extends OrderedReport {
  readonly id: number | string
}
