import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type NotFound, type ValidationFailed } from "@threat-exposure/core/domain/Failures"
import type { Page } from "@threat-exposure/core/domain/Page"
import type { NewReport, Report, ReportFormat, ReportList } from "@threat-exposure/core/domain/Report"
import { toDateTime } from "@threat-exposure/core/domain/Timestamp"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import { type CursorInvalid, cursors } from "../crypto/Cursor.ts"
import { makeValidationFailed } from "../ExpectedFailure.ts"
import { EventStore } from "../events/EventStore.ts"
import { orNotFound } from "../requests/NotFound.ts"
import type { Answer } from "../requests/ServedRequest.ts"
import { reportCsv } from "./ReportCsv.ts"
import { eventsBetween } from "./ReportEvents.ts"
import { periodOf, reportPdf } from "./ReportPdf.ts"

/** Reports that tenants ordered. Their content is the state of the events at the time of the download. */
export class Reports extends Context.Service<
  Reports,
  {
    /** See docs/api.md#create-a-report. */
    create(tenantId: number, report: NewReport): Effect.Effect<void>
    /** See docs/api.md#list-reports. */
    list(tenantId: number, list: ReportList): Effect.Effect<Page<Report>, CursorInvalid>
    get(tenantId: number, id: string): Effect.Effect<Report, NotFound>
    /** See docs/api.md#download-a-report. */
    download(tenantId: number, id: string, format: ReportFormat): Effect.Effect<Answer, NotFound | ValidationFailed>
  }
>()("@threat-exposure/service/reports/Reports") {
  static readonly layer = Layer.effect(
    Reports,
    Effect.gen(function* () {
      const store = yield* ReportStore
      const events = yield* EventStore
      const current = yield* CurrentVault
      const find = (tenantId: number, id: string) => orNotFound(store.find(tenantId, id))
      return Reports.of({
        create: Effect.fn("Reports.create")(function* (tenantId, report) {
          yield* store.insert({ tenantId, report, createdAt: DateTime.formatIso(yield* DateTime.now) })
        }),

        list: Effect.fn("Reports.list")(function* (
          tenantId,
          { from, include_archived, order_by = "created_at", order_type = "desc", size = 20 }
        ) {
          const listing = ["reports", tenantId, order_by, order_type, include_archived ?? null]
          const { after, page } = yield* listCursors.open(current.vault, listing, from)
          const direction = order_type === "asc" ? 1 : -1
          const rest = (yield* store.list(tenantId))
            .map((stored) => ({ report: reportOf(stored), key: keyOf(order_by, reportOf(stored)) }))
            .toSorted((a, b) => direction * compareKeys(a.key, b.key))
            .filter(({ key }) => after === undefined || direction * compareKeys(key, after) > 0)
          const { items, next } = page(rest, size, ({ key }) => key)
          return { items: items.map(({ report }) => report), next }
        }),

        get: Effect.fn("Reports.get")((tenantId, id) => Effect.map(find(tenantId, id), reportOf)),

        download: Effect.fn("Reports.download")(function* (tenantId, id, format) {
          if (format !== "csv" && format !== "pdf") return yield* Effect.fail(makeValidationFailed([unsupported]))
          const stored = yield* find(tenantId, id)
          const created = Option.getOrElse(toDateTime(stored.createdAt), () => DateTime.makeUnsafe(0))
          const period = periodOf(stored.report, created)
          const found = eventsBetween(events, current, tenantId, period)
          const name = `attachment; filename="report-${id.replaceAll(/[^\w-]/gu, "_")}.${format}"`
          const headers = { "Content-Disposition": name }
          return format === "csv"
            ? { status: 200, headers, contentType: "text/csv; charset=utf-8", body: reportCsv(found) }
            : {
                status: 200,
                headers,
                contentType: "application/pdf",
                body: yield* reportPdf(stored.report, period, found)
              }
        })
      })
    })
  )
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

/** The value by which a listing is ordered, and the id. */
type ReportKey = readonly [text: string, id: string]

const keyOf = (orderBy: NonNullable<ReportList["order_by"]>, report: Report): ReportKey => [
  orderBy === "id" ? "" : (report[orderBy] ?? ""),
  String(report.id)
]

/** Compares keys; numeric ids are compared as numbers. */
const compareKeys = ([text, id]: ReportKey, [other, otherId]: ReportKey): number => {
  if (text !== other) return text < other ? -1 : 1
  return id.length === otherId.length || !/^\d+$/u.test(id + otherId)
    ? id < otherId
      ? -1
      : Number(id > otherId)
    : id.length - otherId.length
}

const listCursors = cursors(Schema.Tuple([Schema.String, Schema.String]))

/** Stores reports. Each engine implements it. */
export class ReportStore extends Context.Service<
  ReportStore,
  {
    insert(report: OrderedReport): Effect.Effect<void>
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
