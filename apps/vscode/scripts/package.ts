/** Packs the bundles into threat-exposure.vsix, from a folder with only the shipped files. */
import { execFileSync } from "node:child_process"
import { cpSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { entries } from "./bundle.ts"

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))
const stage = path("node_modules/.cache/vsix")
/** Sets all file times to the earliest one of the ZIP format, so that equal sources give equal bytes. */
const noTime = { SOURCE_DATE_EPOCH: "315532800", TZ: "UTC" }
const vsce = (...args: ReadonlyArray<string>) =>
  execFileSync(path("node_modules/.bin/vsce"), args, {
    cwd: stage,
    encoding: "utf8",
    env: { ...process.env, ...noTime }
  })

const bundled = [...entries.flatMap(({ parts }) => parts.map(({ file }) => `dist/${file}`)), "dist/licenses.txt"]

/** Other files that the package may contain. */
const shipped = [
  /^media\/(?:[a-z-]+\.(?:svg|png)|page\.(?:js|css))$/u,
  /^l10n\/bundle\.l10n\.fr\.json$/u,
  /^package(?:\.nls(?:\.fr)?)?\.json$/u,
  /^(?:(?:CHANGELOG|README)\.md|LICENSE)$/u
]

rmSync(stage, { recursive: true, force: true })
for (const name of [
  ...bundled,
  "l10n",
  "media",
  "package.nls.json",
  "package.nls.fr.json",
  "README.md",
  "CHANGELOG.md",
  "LICENSE"
]) {
  cpSync(path(name), join(stage, name), { recursive: true })
}
// The pictures of the README are not packed: extension registries load them from the repository.
const pictures = "https://raw.githubusercontent.com/threat-exposure/threat-exposure/main/docs/images/"
const readme = readFileSync(path("README.md"), "utf8")
writeFileSync(join(stage, "README.md"), readme.replaceAll("](../../docs/images/", `](${pictures}`))
// The bundles contain the dependencies, and users do not need the build dependencies.
const {
  dependencies: _,
  devDependencies: __,
  scripts: ___,
  private: ____,
  ...manifest
} = JSON.parse(readFileSync(path("package.json"), "utf8"))
writeFileSync(join(stage, "package.json"), JSON.stringify(manifest))

vsce("package", "--no-dependencies", "--out", path("threat-exposure.vsix"))
const listed = vsce("ls", "--no-dependencies").trim().split(/\r?\n/u)
const stray = listed.filter((name) => !bundled.includes(name) && !shipped.some((allowed) => allowed.test(name)))
if (stray.length > 0) throw new Error(`These do not belong into the package: ${stray.join(", ")}`)
console.log(listed.join("\n"))
console.log(`threat-exposure.vsix: ${(statSync(path("threat-exposure.vsix")).size / 1000).toFixed(0)} kB`)
