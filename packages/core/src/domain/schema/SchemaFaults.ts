import * as SchemaIssue from "effect/SchemaIssue"

/** The path of each mismatch and the expected type, never the actual value. */
export const faultsOf = (issue: SchemaIssue.Issue): ReadonlyArray<string> =>
  formatIssue(issue).issues.map(({ message, path }) =>
    [(path ?? []).map(describeKey).join("."), message].filter((part) => part !== "").join(": ")
  )

export const inOneLine = (faults: ReadonlyArray<string>): string => faults.slice(0, 5).join("; ")

/** A key in a response may be text from a leak: only keys that look like field names are repeated. */
const describeKey = (key: unknown) => (/^\w{1,40}$/u.test(String(key)) ? String(key) : "…")

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "UnexpectedKey") return "unknown field"
    return issue._tag === "MissingKey" ? "is missing" : SchemaIssue.defaultLeafHook(issue)
  }
})
