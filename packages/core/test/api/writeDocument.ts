/** Writes `openapi.json` again: `pnpm run openapi`, in this package. */
import { writeFileSync } from "node:fs"
import { apiDocument } from "@threat-exposure/core/api/Document"

writeFileSync(new URL("../../openapi.json", import.meta.url), `${JSON.stringify(apiDocument(), null, 2)}\n`)
