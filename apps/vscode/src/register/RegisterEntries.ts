/** The identifiers, groups and policies that a profile has seen. */
import { redactedName, identifierTypes } from "@threat-exposure/core/domain/Identifier"
import { Schema } from "effect"
import { t } from "../words/Localisation.ts"

/** How the extension learned of an entry; earlier origins take precedence. */
const origins = ["service", "created", "entered", "settings", "assignment", "event"] as const

export const Origin = Schema.Literals(origins)
export type Origin = typeof Origin.Type

export const IdentifierEntry = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  type: Schema.optionalKey(Schema.String),
  searchTypes: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Name of a group that the person entered, or that was created through the API. */
  group: Schema.optionalKey(Schema.String),
  origin: Origin
})
export interface IdentifierEntry extends Schema.Schema.Type<typeof IdentifierEntry> {}

/**
 * The name of an identifier, or text with its number if it has no name or is a secret, whose name the service hides.
 */
export const nameOfIdentifier = ({ id, name }: { readonly id: number; readonly name: string }): string =>
  name === redactedName ? t("Secret {0}", id) : name.trim() === "" ? t("Identifier {0}", id) : name

export const PolicyEntry = Schema.Struct({
  uuid: Schema.String,
  name: Schema.optionalKey(Schema.String),
  origin: Origin
})
export interface PolicyEntry extends Schema.Schema.Type<typeof PolicyEntry> {}

export const RegisterEntries = Schema.Struct({
  identifiers: Schema.Array(IdentifierEntry),
  policies: Schema.Array(PolicyEntry),
  groups: Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String })),
  /** The service that the entries belong to. */
  service: Schema.optionalKey(Schema.String)
})
export interface RegisterEntries extends Schema.Schema.Type<typeof RegisterEntries> {}

export const nothing: RegisterEntries = { identifiers: [], policies: [], groups: [] }

/** Adds new entries and missing details. Details of a better origin are kept. */
export const mergeEntries = <A extends { readonly origin: Origin }>(
  known: ReadonlyArray<A>,
  met: ReadonlyArray<A>,
  key: (item: A) => number | string
): ReadonlyArray<A> => {
  const all = new Map(known.map((item) => [key(item), item] as const))
  for (const item of met) {
    const before = all.get(key(item))
    const isBetter = before === undefined || origins.indexOf(item.origin) < origins.indexOf(before.origin)
    all.set(key(item), before === undefined ? item : isBetter ? { ...before, ...item } : { ...item, ...before })
  }
  return [...all.values()]
}

/** Rank in the order of docs/api.md#identifier; unknown types come last. */
export const typeOrder = (type: string | undefined): number => {
  const rank = identifierTypes.findIndex((known) => known === type)
  return rank === -1 ? identifierTypes.length : rank
}
