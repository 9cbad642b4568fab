/** The files of `schemas/`, which describe what this package writes and reads to editors and other programs. */
import { Schema } from "effect"
import { IgnoreFileContent } from "./ignore/IgnoreFile.ts"
import { Report } from "./Report.ts"

const documentOf = (schema: Schema.Constraint, onExcessProperty: "ignore" | "error") => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, { onExcessProperty })
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...root, $defs: definitions }
}

/** By file name. A report may gain fields within its `schemaVersion`; an ignore file may hold none that is not known. */
export const jsonSchemas = {
  "ignore.schema.json": documentOf(IgnoreFileContent, "error"),
  "report.schema.json": documentOf(Report, "ignore")
}
