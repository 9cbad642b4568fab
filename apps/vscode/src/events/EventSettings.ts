import { Severity } from "@threat-exposure/core/domain/Severity"
import { Schema } from "effect"
import { setting } from "../editor/Settings.ts"
import { readSearches, SavedSearch } from "./search/SavedSearch.ts"

export const savedSearches = setting("savedSearches", Schema.Array(SavedSearch), (value) => {
  if (!Array.isArray(value)) return { value, faults: [] }
  const { faults, searches } = readSearches(value)
  return { value: searches, faults }
})
export const pageSize = setting("events.pageSize", Schema.Int.check(Schema.isBetween({ minimum: 10, maximum: 100 })))
export const refreshMinutes = setting(
  "refresh.minutes",
  Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1440 }))
)
export const notificationSeverity = setting("notifications.severity", Schema.Union([Schema.Literal("off"), Severity]))
