/** Waits until an ordered report is finished, and saves reports as files. */
import { Reports } from "@threat-exposure/core/client/Reports"
import type { Report, ReportFormat } from "@threat-exposure/core/domain/Report"
import { Effect, Option } from "effect"
import { type BoundConnection, Connections } from "../connection/Connections.ts"
import { type Cancelled, Editor } from "../editor/Editor.ts"
import { type Failure, NotPossible, problemOf } from "../editor/Problem.ts"
import { fileName } from "../editor/Uri.ts"
import { firstPage } from "../listing/Listing.ts"
import { localTime } from "../words/Dates.ts"
import { capitalized, t } from "../words/Localisation.ts"
import { follow } from "./Polling.ts"

/** Formats that all services support. */
const formats = ["pdf", "csv"] as const satisfies ReadonlyArray<ReportFormat>

const latest = Effect.flatMap(Reports, (service) =>
  firstPage(service.pages({ size: 100, order_by: "created_at", order_type: "desc" }))
).pipe(Effect.map(({ items }) => items))

/** Ids of existing reports; undefined if the service or the key cannot list them. */
export const reportIds = ({ ask }: BoundConnection) =>
  ask(latest).pipe(
    Effect.map((reports) => new Set(reports.map(({ id }) => String(id)))),
    Effect.catchTags({
      NotFound: () => Effect.succeed(undefined),
      Forbidden: () => Effect.succeed(undefined)
    })
  )

/**
 * Notifies the person when the report with this title, whose id is not among the `known` ones, is finished, and offers
 * to save it.
 */
export const followReport = Effect.fnUntraced(function* (
  connection: BoundConnection,
  title: string,
  known: ReadonlySet<string>
) {
  const editor = yield* Editor
  const finished = yield* follow(
    "reports",
    connection
      .work(latest)
      .pipe(Effect.map((reports) => reports.find((report) => report.title === title && !known.has(String(report.id))))),
    (report) => report?.status === "completed",
    (reason) => t("The report “{0}” is no longer followed: {1}", title, reason)
  )
  if (finished === undefined) return
  const answer = yield* editor.notify("info", t("The report “{0}” is ready.", title), t("Save…"))
  if (Option.isNone(answer)) return
  yield* saveReport(connection, finished).pipe(
    Effect.catchTag("Cancelled", () => Effect.void),
    Effect.catch((failure) => Effect.asVoid(editor.notify("error", problemOf(failure).message)))
  )
})

const saveReport = Effect.fnUntraced(function* (
  { ask }: BoundConnection,
  { id, title }: Report
): Effect.fn.Return<void, Failure | Cancelled, Editor> {
  const editor = yield* Editor
  const format = yield* editor.pick(
    formats.map((each) => ({ label: each.toUpperCase(), value: each })),
    { title: t("Save Report") }
  )
  const uri = yield* editor.whereToSave(`report-${id}.${format}`, format.toUpperCase(), format)
  const bytes = yield* editor.progress(t("Downloading the report"), () =>
    ask(Effect.flatMap(Reports, (service) => service.download(String(id), format)))
  )
  yield* editor.write(uri, bytes)
  yield* Effect.forkDetach(
    editor.notify("info", t("The report “{0}” was saved to {1}.", title ?? String(id), fileName(uri)))
  )
})

/** Shows the latest reports with their states, and saves the chosen one. */
export const openReports = Effect.gen(function* () {
  const editor = yield* Editor
  const connection = yield* (yield* Connections).asNow
  const reports = yield* editor.progress(t("Loading reports"), () => connection.ask(latest))
  if (reports.length === 0) return yield* new NotPossible({ message: t("There are no reports yet.") })
  const report = yield* editor.pick(
    reports.map((each) => ({
      label: each.title ?? String(each.id),
      description: each.status === null ? "" : t(each.status),
      detail: [each.author, each.created_at === null ? null : localTime(each.created_at)]
        .filter((part) => part !== null && part !== "")
        .join(" · "),
      icon: each.status === "completed" ? "file" : "sync",
      value: each
    })),
    { title: t("Reports"), placeholder: t("Choose a report to save it") }
  )
  if (report.status !== "completed") {
    return yield* new NotPossible({
      message: t("The report is not finished. Its state: {0}.", capitalized(t(report.status ?? "unknown")))
    })
  }
  yield* saveReport(connection, report)
})
