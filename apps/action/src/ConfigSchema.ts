/** JSON Schema of the config file, for editors; `schemas/config.schema.json` is generated from it. */
import { ConfigSettings } from "@threat-exposure/leak-check/config/ConfigSettings"
import { settingHelp } from "@threat-exposure/leak-check/config/SettingHelp"
import { Record, Schema } from "effect"
import { defaultOf } from "./Inputs.ts"

export const configSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Settings of a leak check of Threat Exposure",
  type: "object",
  additionalProperties: false,
  properties: Record.map(ConfigSettings.fields, (schema, name) => {
    const { description } = settingHelp[name]
    const preset = defaultOf(name)
    return {
      description,
      ...(preset === undefined ? {} : { default: preset }),
      ...Schema.toJsonSchemaDocument(schema, { generateDescriptions: false }).schema
    }
  })
}
