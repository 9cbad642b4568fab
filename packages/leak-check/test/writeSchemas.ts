/** Generates `schemas/` from the code: run `node test/writeSchemas.ts`. */
import { mkdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { jsonSchemas } from "@threat-exposure/leak-check/jsonSchemas"

const folder = fileURLToPath(new URL("../schemas/", import.meta.url))
mkdirSync(folder, { recursive: true })
for (const [name, schema] of Object.entries(jsonSchemas)) {
  writeFileSync(`${folder}${name}`, `${JSON.stringify(schema, null, 2)}\n`)
}
