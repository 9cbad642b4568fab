/** Bundles the extension for Node and for web workers, as CommonJS, and prints the size of each file. */
import { rmSync, statSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { licensesOf } from "@threat-exposure/bundling/BundledLicenses"
import { bundle, entries } from "./bundle.ts"

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))
rmSync(path("dist"), { recursive: true, force: true })
const moduleIds: Array<string> = []
for (const entry of entries) {
  for (const [file, modules] of await bundle(entry, path("dist"))) {
    moduleIds.push(...modules)
    console.log(`${file}: ${(statSync(path(`dist/${file}`)).size / 1000).toFixed(0)} kB`)
  }
}
writeFileSync(path("dist/licenses.txt"), licensesOf(moduleIds))
