/** The JSON Schema of the config file, for editors; `schemas/config.schema.json` is made from it. */
import { Record, Schema } from "effect"
import { inputHelp, defaultOf, Settings } from "./Inputs.ts"

export const configSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Settings of the Threat Exposure action",
  type: "object",
  additionalProperties: false,
  properties: Record.map(Settings.fields, (schema, name) => {
    const { description } = inputHelp[name]
    const preset = defaultOf(name)
    return {
      description,
      ...(preset === undefined ? {} : { default: preset }),
      ...Schema.toJsonSchemaDocument(schema, { generateDescriptions: false }).schema
    }
  })
}
