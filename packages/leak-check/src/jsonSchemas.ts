/** Generates the files of `schemas/`, which describe the package's files to editors and other programs. */
import { Schema } from "effect"
import { IgnoreFileContent } from "./ignore/IgnoreFile.ts"
import { Report } from "./Report.ts"

const documentOf = (schema: Schema.Constraint, onExcessProperty: "ignore" | "error") => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, { onExcessProperty })
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...root, $defs: definitions }
}

/**
 * Schemas by file name. A report may gain fields within one `schemaVersion`; an ignore file must not have unknown keys.
 */
export const jsonSchemas = {
  "ignore.schema.json": documentOf(IgnoreFileContent, "error"),
  "report.schema.json": documentOf(Report, "ignore")
}
