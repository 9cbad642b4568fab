/**
 * Writes the contributions of src/Contributions.ts to package.json and the package.nls files, and no-break spaces to
 * the French messages.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { manifest, withNoBreakSpaces } from "../src/Manifest.ts"

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
const messages = Object.entries<string>(JSON.parse(readFileSync(path("l10n/bundle.l10n.fr.json"), "utf8")))
write(
  "l10n/bundle.l10n.fr.json",
  Object.fromEntries(messages.map(([english, translation]) => [english, withNoBreakSpaces(translation)]))
)
