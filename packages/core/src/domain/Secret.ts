/**
 * A secret: a string on the wire, and redacted everywhere else. Printing, serializing and cloning do not reveal it;
 * `Redacted.value` does.
 */
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

export const Secret = Schema.RedactedFromValue(Schema.String)
export type Secret = typeof Secret.Type

export const revealWithin = (value: unknown): unknown =>
  Redacted.isRedacted(value) ? Redacted.value(value) : mapWithin(value, revealWithin)

/** Maps the members of a list or an object; returns anything else, such as the bytes of a file, unchanged. */
export const mapWithin = (value: unknown, change: (member: unknown, key?: string) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((member) => change(member))
  return Predicate.isObject(value) && !(value instanceof Uint8Array)
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member, key)]))
    : value
}
