/** Validates typed input and values of settings. */
import { type Schema, SchemaIssue } from "effect"
import { t } from "../../words/Localisation.ts"

/** The fault of an empty text; undefined for any other. */
export const filled = (text: string): string | undefined => (text.trim() === "" ? t("Enter a value") : undefined)

export const whole = (text: string): string | undefined =>
  /^\d{1,15}$/u.test(text.trim()) ? undefined : t("Enter a whole number")

/** Faults with their paths, such as `query.fqdn`. Never includes values, which may be secrets. */
export const faultsIn = (
  error: Schema.SchemaError
): ReadonlyArray<{ readonly field: string; readonly fault: string }> =>
  format(error.issue).issues.map(({ path, message }) => ({
    field: (path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join("."),
    fault: message
  }))

const format = SchemaIssue.makeFormatterStandardSchemaV1()
