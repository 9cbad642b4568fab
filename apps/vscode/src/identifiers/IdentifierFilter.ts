/** Filter and sort order of the identifiers in the view. */
import { Schema } from "effect"
import type { KnownIdentifier } from "../register/KnownIdentifier.ts"
import { typeOrder } from "../register/RegisterEntries.ts"
import { ofSeveral } from "../words/Localisation.ts"
import { nameOfType } from "../words/TypeNames.ts"

export const orders = ["name", "type", "id"] as const

export const IdentifierFilter = Schema.Struct({
  /** Empty for all types. */
  types: Schema.Array(Schema.String),
  is_disabled: Schema.optionalKey(Schema.Boolean),
  order_by: Schema.Literals(orders)
})
export interface IdentifierFilter extends Schema.Schema.Type<typeof IdentifierFilter> {}

export const everything: IdentifierFilter = { types: [], order_by: "name" }

export const isNarrowed = ({ is_disabled, types }: IdentifierFilter): boolean =>
  types.length > 0 || is_disabled !== undefined

export const describeIdentifierFilter = ({ is_disabled, types }: IdentifierFilter): string =>
  [
    ...types.map(nameOfType),
    ...(is_disabled === undefined ? [] : [is_disabled ? ofSeveral("disabled") : ofSeveral("enabled")])
  ].join(", ")

/** Applies the filter locally in the way the service does. */
export const applyFilter = (
  identifiers: ReadonlyArray<KnownIdentifier>,
  { is_disabled, order_by, types }: IdentifierFilter
): ReadonlyArray<KnownIdentifier> =>
  identifiers
    .filter(
      ({ listed, type }) =>
        (types.length === 0 || types.includes(type ?? "")) &&
        (is_disabled === undefined || (listed?.is_disabled ?? false) === is_disabled)
    )
    .toSorted((a, b) => {
      if (order_by === "name") return a.name.localeCompare(b.name) || a.id - b.id
      return (order_by === "type" ? typeOrder(a.type) - typeOrder(b.type) : 0) || a.id - b.id
    })
