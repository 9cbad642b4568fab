/** Bundles the extension for Node and for a web worker, as CommonJS, and says how large each file is. */
import { rmSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { bundle, entries } from "./bundle.ts"

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))
rmSync(path("dist"), { recursive: true, force: true })
for (const entry of entries) {
  for (const file of (await bundle(entry)).keys()) {
    console.log(`${file}: ${(statSync(path(`dist/${file}`)).size / 1000).toFixed(0)} kB`)
  }
}
