/** A question to the threat-intelligence generator. See docs/api.md#ask-for-intelligence. */
import * as Schema from "effect/Schema"
import { open, orElse, orNull } from "./schema/Tolerant.ts"
import { struct } from "./schema/Struct.ts"

export class IntelQuestion extends struct<IntelQuestion>("IntelQuestion")({
  question: Schema.String,
  /** `analytical` is the only known value. */
  tone: Schema.optionalKey(open(["analytical"]))
}) {}

export class IntelRequest extends struct<IntelRequest>("IntelRequest")({
  /** A UUID, with which `intel.get` retrieves the answer. */
  request_id: orElse(Schema.String, "")
}) {}

export class IntelReport extends struct<IntelReport>("IntelReport")({
  id: orNull(Schema.Union([Schema.Int, Schema.String])),
  title: orNull(Schema.String),
  subtitle: orNull(Schema.String),
  summary: orNull(Schema.String),
  content: orNull(Schema.String),
  tags: orElse(Schema.Array(Schema.String), []),
  highlights: orElse(Schema.Array(Schema.String), []),
  related_activity_uids: orElse(Schema.Array(Schema.String), []),
  created_at: orNull(Schema.String)
}) {}

/** The state of a question. The report is null until the status is `completed`. */
export class IntelAnswer extends struct<IntelAnswer>("IntelAnswer")({
  status: orElse(open(["processing", "completed", "error"]), ""),
  report: orNull(IntelReport)
}) {}
