import { EventQuery } from "@threat-exposure/core/domain/Event"
import { Order } from "@threat-exposure/core/domain/Page"
import { Predicate, Result, Schema } from "effect"
import { nameOfType } from "../../words/TypeNames.ts"
import { faultsIn } from "../../editor/form/Validation.ts"
import { t } from "../../words/Localisation.ts"
import { EventFilter } from "./EventFilter.ts"

/**
 * A named global search, as stored in the setting. A query by secret is never saved, because settings are not
 * encrypted.
 */
export const SavedSearch = Schema.Struct({
  name: Schema.NonEmptyString,
  query: Schema.optionalKey(
    EventQuery.check(
      Schema.makeFilter(({ type }) => type !== "secret" && type !== "credentials", {
        expected: "a query without a secret"
      })
    )
  ),
  filters: Schema.optionalKey(EventFilter),
  order: Schema.optionalKey(Order)
})
export interface SavedSearch extends Schema.Schema.Type<typeof SavedSearch> {}

/** A short description such as "domain example.com", without secrets. */
export const describeQuery = (query: EventQuery, hide = (value: string): string => value): string => {
  const values = Object.entries(query).flatMap(([key, value]) =>
    key === "type" || typeof value === "boolean" ? [] : [typeof value === "string" ? hide(value) : "•••"]
  )
  return `${nameOfType(query.type)} ${values.join(" ")}`
}

/** An invalid entry of the setting, counted from 1, with the reason. */
export interface Fault {
  readonly entry: number
  readonly fault: string
}

/** Decodes the setting, which people may edit by hand; empty if it is not a list. */
export const readSearches = (
  setting: unknown
): { readonly searches: ReadonlyArray<SavedSearch>; readonly faults: ReadonlyArray<Fault> } => {
  if (!Array.isArray(setting)) return { searches: [], faults: [] }
  const entries: ReadonlyArray<unknown> = setting
  const searches = new Map<string, SavedSearch>()
  const faults: Array<Fault> = []
  for (const [index, entry] of entries.entries()) {
    const leaveOut = (fault: string) => faults.push({ entry: index + 1, fault })
    const read = Schema.decodeUnknownResult(SavedSearch, { errors: "all" })(entry)
    if (Result.isFailure(read)) {
      const fields = faultsIn(read.failure).flatMap(({ field }) => (field === "" ? [] : [field]))
      leaveOut(fields.length === 0 ? t("not an object") : t("invalid {0}", fields.join(", ")))
    } else if (searches.has(read.success.name)) leaveOut(t("another search has this name"))
    else searches.set(read.success.name, read.success)
  }
  return { searches: [...searches.values()], faults }
}

/** Replaces or removes the search with this name in the setting; keeps all other entries. */
export const replaceSearch = (
  setting: unknown,
  name: string,
  by: ReadonlyArray<SavedSearch>
): ReadonlyArray<unknown> => {
  const entries: ReadonlyArray<unknown> = Array.isArray(setting) ? setting : []
  const at = entries.findIndex(
    (entry) => Predicate.isReadonlyObject(entry) && entry["name"] === name && Schema.is(SavedSearch)(entry)
  )
  return at === -1 ? [...entries, ...by] : entries.toSpliced(at, 1, ...by)
}
