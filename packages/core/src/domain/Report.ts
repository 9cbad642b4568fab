/** See docs/api.md#create-a-report. */
import * as Schema from "effect/Schema"
import { open } from "./Tolerant.ts"

/** Which fields a service requires, and the format of `time_interval`, are not specified. */
export class ReportElement extends Schema.Opaque<ReportElement>()(
  Schema.Struct({
    id: Schema.optionalKey(Schema.Int),
    position: Schema.optionalKey(Schema.Int),
    enabled: Schema.optionalKey(Schema.Boolean),
    sort_by: Schema.optionalKey(open(["custom"])),
    time_interval: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "ReportElement" })
) {}

export class NewReport extends Schema.Opaque<NewReport>()(
  Schema.Struct({
    title: Schema.optionalKey(Schema.String),
    author: Schema.optionalKey(Schema.String),
    elements: Schema.optionalKey(Schema.Array(ReportElement)),
    audience: Schema.optionalKey(open(["technical"]))
  }).annotate({ identifier: "NewReport" })
) {}
