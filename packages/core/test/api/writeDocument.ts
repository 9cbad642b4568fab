/** Writes `openapi.json` anew: `pnpm run openapi`, in this package. */
import { writeFileSync } from "node:fs"
import { document } from "../../src/api/Document.ts"

writeFileSync(new URL("../../openapi.json", import.meta.url), `${JSON.stringify(document, null, 2)}\n`)
