/** Bundles the extension for Node and for a web worker, as CommonJS, and says how large each is. */
import { statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { bundle, entries } from "./bundle.ts"

for (const entry of entries) {
  await bundle(entry)
  const path = fileURLToPath(new URL(`../dist/${entry.output}`, import.meta.url))
  console.log(`${entry.output}: ${(statSync(path).size / 1000).toFixed(0)} kB`)
}
