/**
 * A secret: a string on the wire, redacted everywhere else. Printing, serialising and cloning do not reveal it;
 * `Redacted.value` does.
 */
import * as Schema from "effect/Schema"

export const Secret = Schema.RedactedFromValue(Schema.String)
export type Secret = typeof Secret.Type
