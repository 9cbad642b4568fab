/** Writes `openapi.json` and the generated parts of docs/api.md: run `pnpm run openapi` in this package. */
import { readFileSync, writeFileSync } from "node:fs"
import { apiDocument } from "./Document.ts"
import { generateReference } from "./Reference.ts"

writeFileSync(new URL("../openapi.json", import.meta.url), `${JSON.stringify(apiDocument(), null, 2)}\n`)

const page = new URL("../../../docs/api.md", import.meta.url)
writeFileSync(page, generateReference(readFileSync(page, "utf8")))
