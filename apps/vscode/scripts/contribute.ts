/** Writes what src/Contributions.ts says into package.json and the package.nls files. */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { manifest } from "../src/Manifest.ts"

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))
const write = (name: string, value: unknown) => writeFileSync(path(name), `${JSON.stringify(value, null, 2)}\n`)

const { contributes, capabilities, activationEvents, english, french } = manifest()
write("package.json", {
  ...JSON.parse(readFileSync(path("package.json"), "utf8")),
  activationEvents,
  capabilities,
  contributes
})
write("package.nls.json", english)
write("package.nls.fr.json", french)
