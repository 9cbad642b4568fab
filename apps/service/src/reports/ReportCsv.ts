/** The columns are those of an export of events. */
import { toUtc } from "@threat-exposure/core/domain/Timestamp"
import { csvCell } from "@threat-exposure/leak-check/report/Escape"
import { stringify } from "csv-stringify/sync"
import * as Stream from "effect/Stream"
import { type ReportEvent, severityOf } from "./ReportEvents.ts"

export const reportCsv = (events: Stream.Stream<ReportEvent>): Stream.Stream<Uint8Array> =>
  Stream.concat(
    Stream.make(columns),
    Stream.map(events, (event) => {
      const { estimated_created_at, matched_at, svc_url, title, type, uid } = event.metadata
      return [
        uid,
        type,
        severityOf(event),
        toUtc(estimated_created_at),
        toUtc(matched_at ?? ""),
        uid.split("/")[1] ?? "",
        title ?? "",
        svc_url ?? "",
        (event.identifiers ?? []).map(({ id }) => id).join(" ")
      ]
    })
  ).pipe(
    Stream.grouped(rowsAtOnce),
    Stream.map((rows) => encoder.encode(stringify(rows.map((row) => row.map(csvCell)))))
  )

const columns = [
  "uid",
  "type",
  "severity",
  "estimated_created_at",
  "matched_at",
  "source",
  "title",
  "url",
  "identifiers"
]

const rowsAtOnce = 100

const encoder = new TextEncoder()
