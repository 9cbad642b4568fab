import { EventQuery } from "@threat-exposure/core/domain/Event"
import { Order } from "@threat-exposure/core/domain/Page"
import { Schema } from "effect"
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
