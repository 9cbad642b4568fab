import { Severity } from "@threat-exposure/core/domain/Severity"
import { Schema } from "effect"
import { setting } from "../../editor/Settings.ts"

export const asYouType = setting("leakCheck.asYouType", Schema.Boolean)
export const domains = setting("leakCheck.domains", Schema.Array(Schema.NonEmptyString))
export const include = setting("leakCheck.include", Schema.Array(Schema.Literals(["tests", "docs"])))
export const maxSearches = setting(
  "leakCheck.maxSearches",
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))
)
export const minSeverity = setting("leakCheck.minSeverity", Severity)
export const baseBranch = setting("leakCheck.baseBranch", Schema.String)
export const ignoreFile = setting("leakCheck.ignoreFile", Schema.NonEmptyString)
