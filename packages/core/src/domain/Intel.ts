/** A question to the threat-intelligence generator. See docs/api.md#ask-for-intelligence. */
import * as Schema from "effect/Schema"
import { open, orElse, orNull } from "./schema/Tolerant.ts"

export class IntelQuestion extends Schema.Opaque<IntelQuestion>()(
  Schema.Struct({
    question: Schema.String,
    /** `analytical` is the only known value. */
    tone: Schema.optionalKey(open(["analytical"]))
  }).annotate({ identifier: "IntelQuestion" })
) {}

export class IntelRequest extends Schema.Opaque<IntelRequest>()(
  Schema.Struct({
    /** A UUID, with which `intel.get` retrieves the answer. */
    request_id: orElse(Schema.String, "")
  }).annotate({ identifier: "IntelRequest" })
) {}

export class IntelReport extends Schema.Opaque<IntelReport>()(
  Schema.Struct({
    id: orNull(Schema.Union([Schema.Int, Schema.String])),
    title: orNull(Schema.String),
    subtitle: orNull(Schema.String),
    summary: orNull(Schema.String),
    content: orNull(Schema.String),
    tags: orElse(Schema.Array(Schema.String), []),
    highlights: orElse(Schema.Array(Schema.String), []),
    related_activity_uids: orElse(Schema.Array(Schema.String), []),
    created_at: orNull(Schema.String)
  }).annotate({ identifier: "IntelReport" })
) {}

/** The state of a question. The report is null until the status is `completed`. */
export class IntelAnswer extends Schema.Opaque<IntelAnswer>()(
  Schema.Struct({
    status: orElse(open(["processing", "completed", "error"]), ""),
    report: orNull(IntelReport)
  }).annotate({ identifier: "IntelAnswer" })
) {}
