/**
 * A secret: a string on the wire, redacted everywhere else. Printing, serialising and cloning do not reveal it;
 * `Redacted.value` does. Also the encodings in which a text can contain one.
 */
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

export const Secret = Schema.RedactedFromValue(Schema.String)
export type Secret = typeof Secret.Type

/** The same with every redacted value in it revealed, at any depth. */
export const revealWithin = (value: unknown): unknown =>
  Redacted.isRedacted(value) ? Redacted.value(value) : mapWithin(value, revealWithin)

/** Maps the members of a list or an object; returns anything else unchanged. */
export const mapWithin = (value: unknown, change: (member: unknown, key?: string) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((member) => change(member))
  return Predicate.isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member, key)]))
    : value
}

/** Hexadecimal digits, two for each byte. */
export const hexOf = (bytes: Iterable<number>): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Bytes that are needed for a base64 form to be recognised inside longer base64 text. */
const insideLength = 6

/**
 * How base64 text can contain bytes: alone, without padding, and the part that is fixed for each of the three alignments
 * inside longer text. In the standard alphabet and in that of URLs.
 */
export const base64FormsOf = (bytes: Uint8Array): ReadonlyArray<string> => {
  const inside = (bytes.length < insideLength ? [] : [0, 1, 2]).map((shift) => {
    const shifted = new Uint8Array(shift + bytes.length)
    shifted.set(bytes, shift)
    return base64Of(shifted).slice(Math.ceil((shift * 8) / 6), Math.floor((shifted.length * 8) / 6))
  })
  return [base64Of(bytes), ...inside].flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")])
}

const base64Of = (bytes: Uint8Array) =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replace(/=+$/u, "")
