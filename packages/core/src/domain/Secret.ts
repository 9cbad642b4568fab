/**
 * A value that must never be seen: a string on the wire, redacted everywhere else. It prints, serialises and clones as
 * nothing; `Redacted.value` reveals it.
 */
import * as Schema from "effect/Schema"

export const Secret = Schema.RedactedFromValue(Schema.String)
export type Secret = typeof Secret.Type
