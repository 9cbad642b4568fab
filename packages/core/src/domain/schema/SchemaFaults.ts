/** Describes mismatches with a schema without revealing a value. */
import * as SchemaIssue from "effect/SchemaIssue"

/** The path of each mismatch and what was expected, never what was found. */
export const faultsOf = (issue: SchemaIssue.Issue): ReadonlyArray<string> =>
  formatIssue(issue).issues.map(({ message, path }) =>
    [(path ?? []).map(describeKey).join("."), message].filter((part) => part !== "").join(": ")
  )

/** The first five. */
export const inOneLine = (faults: ReadonlyArray<string>): string => faults.slice(0, 5).join("; ")

/** A key of an answer can be text from a leak: repeat only what looks like the name of a field. */
const describeKey = (key: unknown) => (/^\w{1,40}$/u.test(String(key)) ? String(key) : "…")

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "UnexpectedKey") return "unknown field"
    return issue._tag === "MissingKey" ? "is missing" : SchemaIssue.defaultLeafHook(issue)
  }
})
