/** The types and the severities that searches filter by, with texts for people. */
import { tenantEventTypes } from "@threat-exposure/core/domain/Event"
import { severities } from "@threat-exposure/core/domain/Severity"
import { groupOf } from "../matching/EventTypes.ts"

const labelOf = (value: string): string => `${value.charAt(0).toUpperCase()}${value.slice(1).replaceAll("_", " ")}`

const categoryOf = (type: string): string => groupOf(type) ?? "other"

/** A category has the types that its group finds, in the order of the contract. */
export const eventTypeList = {
  categories: [...Map.groupBy(tenantEventTypes, categoryOf)].map(([value, types]) => ({
    value,
    label: labelOf(value),
    types: types.map((type) => ({ value: type, label: labelOf(type) }))
  }))
}

const colors = { info: "#6b7280", low: "#2563eb", medium: "#ca8a04", high: "#ea580c", critical: "#dc2626" } as const

/** From least to most severe. */
export const severityList = {
  severities: severities.map((value) => ({ value, label: labelOf(value), color: colors[value] }))
}
