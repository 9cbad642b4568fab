/**
 * A value that must never be seen: a string on the wire, redacted everywhere else. It prints, serialises and clones as
 * nothing; `Redacted.value` reveals it.
 */
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

export const Secret = Schema.RedactedFromValue(Schema.String)
export type Secret = typeof Secret.Type

/** A secret from either of the forms that a caller may hold. */
export const fromInput = (input: string | Redacted.Redacted): Redacted.Redacted =>
  Redacted.isRedacted(input) ? input : Redacted.make(input)
