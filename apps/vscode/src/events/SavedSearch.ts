import { EventQuery } from "@threat-exposure/core/domain/Event"
import { Order } from "@threat-exposure/core/domain/Page"
import { Predicate, Result, Schema } from "effect"
import { faultsIn } from "../Checks.ts"
import { t } from "../Localisation.ts"
import { EventFilter } from "./EventFilter.ts"

/** A global search under a name, as the setting holds it. A query by secret is never saved: settings are not a safe place. */
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

/** The searches of a setting that people write by hand too, and for each entry that is none of them what to correct. */
export const readSearches = (
  setting: unknown
): { readonly searches: ReadonlyArray<SavedSearch>; readonly faults: ReadonlyArray<string> } => {
  if (!Array.isArray(setting))
    return { searches: [], faults: [t("The saved searches in the settings are not a list.")] }
  const entries: ReadonlyArray<unknown> = setting
  const searches = new Map<string, SavedSearch>()
  const faults: Array<string> = []
  for (const [index, entry] of entries.entries()) {
    const read = Schema.decodeUnknownResult(SavedSearch, { errors: "all" })(entry)
    if (Result.isFailure(read)) {
      const fields = faultsIn(read.failure).flatMap(({ field }) => (field === "" ? [] : [field]))
      faults.push(
        fields.length === 0
          ? t("Saved search {0} is left out: it is not an object.", index + 1)
          : t("Saved search {0} is left out: correct its {1}.", index + 1, fields.join(", "))
      )
    } else if (searches.has(read.success.name)) {
      faults.push(t("Saved search {0} is left out: an earlier one is called {1} too.", index + 1, read.success.name))
    } else searches.set(read.success.name, read.success)
  }
  return { searches: [...searches.values()], faults }
}

/** The setting with a search of this name replaced, or taken out; whatever else stands there stays as it is. */
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
