/** Reports of a tenant. See docs/api.md#create-a-report. */
import * as Schema from "effect/Schema"
import { listQuery, Order, page } from "./Page.ts"
import { flagParameter, oneOf } from "./schema/RequestField.ts"
import { open, orElse, orNull } from "./schema/Tolerant.ts"
import { struct } from "./schema/Struct.ts"

/** Which fields a service requires, and the format of `time_interval`, are not specified. */
export class ReportElement extends struct<ReportElement>("ReportElement")({
  id: Schema.optionalKey(Schema.Int),
  position: Schema.optionalKey(Schema.Int),
  enabled: Schema.optionalKey(Schema.Boolean),
  sort_by: Schema.optionalKey(open(["custom"])),
  time_interval: Schema.optionalKey(Schema.String)
}) {}

export class NewReport extends struct<NewReport>("NewReport")({
  title: Schema.optionalKey(Schema.String),
  author: Schema.optionalKey(Schema.String),
  elements: Schema.optionalKey(Schema.Array(ReportElement)),
  audience: Schema.optionalKey(open(["technical"]))
}) {}

/** A number or a text, as the service chooses. In a path both are written alike. */
export const ReportId = Schema.Union([Schema.String, Schema.Int])

export class Report extends struct<Report>("Report")({
  id: orElse(ReportId, 0),
  title: orNull(Schema.String),
  author: orNull(Schema.String),
  tenant_id: orNull(Schema.Int),
  report_type: orNull(Schema.String),
  status: orNull(open(["draft", "processing", "completed", "scheduled", "paused"])),
  created_at: orNull(Schema.String),
  updated_at: orNull(Schema.String),
  is_archived: orElse(Schema.Boolean, false)
}) {}

export const ReportPage = page("ReportPage", Report)

/** Query parameters of the listing of reports. */
export class ReportList extends listQuery<ReportList>()(100, {
  order_type: Schema.optionalKey(Order),
  order_by: Schema.optionalKey(Schema.Literals(["id", "title", "author", "created_at", "updated_at", "status"])),
  include_archived: Schema.optionalKey(flagParameter)
}) {}

/** The file format of a report. A service need not support all of them. */
export const ReportFormat = oneOf("ReportFormat", ["pdf", "docx", "csv", "zip"])
export type ReportFormat = typeof ReportFormat.Type

/** The bytes of a report. Declared without the encodings of `Schema.Uint8Array`, which would add to bundles. */
export const ReportFile = Schema.declare((given: unknown): given is Uint8Array => given instanceof Uint8Array)
