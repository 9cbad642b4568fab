/** A question put to the threat-intelligence generator. See docs/api.md#ask-for-intelligence. */
import * as Schema from "effect/Schema"
import { open, orElse } from "./Tolerant.ts"

export class IntelQuestion extends Schema.Opaque<IntelQuestion>()(
  Schema.Struct({
    question: Schema.String,
    /** `analytical` is the only known value. */
    tone: Schema.optionalKey(open(["analytical"]))
  }).annotate({ identifier: "IntelQuestion" })
) {}

export class IntelRequest extends Schema.Opaque<IntelRequest>()(
  Schema.Struct({
    /** A UUID. No operation retrieves the answer to the question. */
    request_id: orElse(Schema.String, "")
  }).annotate({ identifier: "IntelRequest" })
) {}
