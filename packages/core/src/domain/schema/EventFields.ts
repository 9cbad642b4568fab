/** Reads pages of events in the same way as the schemas of `Event.ts`, for {@link accelerate}. */
import * as Predicate from "effect/Predicate"
import { isTexts, readObject, Unexpected, type Wire } from "./FieldReader.ts"

/** Reads a field; `value` is null if the field is absent. Returns undefined to leave the field out. */
type Read = (value: unknown) => unknown

/** Reads a record. A record with exactly these fields is not copied, and neither is a list of such records. */
const record = (fields: Readonly<Record<string, Read>>): Read => {
  const readers = Object.entries(fields)
  return (input) => {
    const wire = readObject(input)
    const values = readers.map(([name, read]) => read(valueOf(wire, name)))
    return hasOnly(wire, fields) && readers.every(([name], index) => values[index] === wire[name])
      ? wire
      : Object.fromEntries(
          readers.flatMap(([name], index) => (values[index] === undefined ? [] : [[name, values[index]]]))
        )
  }
}

const valueOf = (wire: Wire, name: string): unknown => {
  const value = wire[name]
  if (value !== undefined) return value
  if (Object.hasOwn(wire, name)) throw new Unexpected()
  return null
}

const hasOnly = (wire: Wire, fields: object): boolean => {
  for (const name in wire) if (!Object.hasOwn(fields, name)) return false
  return true
}

const orElse =
  (isValid: (value: unknown) => boolean, fallback: unknown): Read =>
  (value) => {
    if (isValid(value)) return value
    if (value === null) return fallback
    throw new Unexpected()
  }

const nullable = orElse(Predicate.isString, null)
const text = orElse(Predicate.isString, "")
const optional = orElse(Predicate.isString, undefined)

const list =
  (read: Read): Read =>
  (value) => {
    if (value === null) return []
    if (!Array.isArray(value)) throw new Unexpected()
    const items = value.map(read)
    return items.every((item, index) => item === value[index]) ? value : items
  }

const orEmpty =
  (read: Read): Read =>
  (value) =>
    read(value ?? {})

/** The field with the link in decoded events. */
const link = "svc_url"

const severity = record({ original: nullable, override: nullable })

const searched = {
  metadata: orEmpty(
    record({
      estimated_created_at: nullable,
      matched_at: nullable,
      type: text,
      uid: text,
      severity: text,
      [link]: optional,
      title: optional,
      materialized_at: optional
    })
  ),
  tenant_metadata: orEmpty(
    record({
      severity: (value) => (value === null ? null : severity(value)),
      tags: orElse(isTexts, []),
      notes: nullable,
      remediated_at: optional,
      ignored_at: optional
    })
  ),
  highlights: (value: unknown) => {
    const passages = readObject(value ?? {})
    return Object.values(passages).every(isTexts)
      ? passages
      : Object.fromEntries(Object.entries(passages).map(([field, found]) => [field, orElse(isTexts, [])(found)]))
  }
}

const identifier = record({ id: orElse(Number.isSafeInteger, 0), name: text })

export const readEvent = record(searched)

export const readIdentifierEvent = record({ ...searched, identifiers: list(identifier) })

/** `linkField` is the metadata field in which the service sends the link. */
export const readEventPage =
  (read: Read, linkField: string): Read =>
  (input) => {
    const { items, next } = readObject(input)
    // An object without items is not a page.
    if (!Array.isArray(items)) throw new Unexpected()
    return { items: items.map((item) => read(withLink(item, linkField))), next: nullable(next ?? null) }
  }

const withLink = (item: unknown, linkField: string): unknown => {
  if (linkField === link || !Predicate.isObject(item)) return item
  const { metadata } = item
  if (!Predicate.isObject(metadata) || !Predicate.isString(metadata[linkField])) return item
  // The schema also checks the field that the link replaces.
  optional(valueOf(metadata, link))
  return { ...item, metadata: { ...metadata, [link]: metadata[linkField] } }
}
