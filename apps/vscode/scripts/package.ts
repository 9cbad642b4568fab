/** Packs the bundles into threat-exposure.vsix, from a folder that holds exactly what is shipped. */
import { execFileSync } from "node:child_process"
import { cpSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))
const stage = path("node_modules/.cache/vsix")
const vsce = (...args: ReadonlyArray<string>) =>
  execFileSync(path("node_modules/.bin/vsce"), args, { cwd: stage, encoding: "utf8" })

rmSync(stage, { recursive: true, force: true })
for (const name of [
  "dist/extension.cjs",
  "dist/leak-check.cjs",
  "dist/web.cjs",
  "dist/web-leak-check.cjs",
  "l10n",
  "media",
  "package.nls.json",
  "package.nls.fr.json",
  "README.md",
  "LICENSE"
]) {
  cpSync(path(name), join(stage, name), { recursive: true })
}
// What the workspace needs to build it means nothing to whoever installs it.
const {
  devDependencies: _,
  scripts: __,
  private: ___,
  ...manifest
} = JSON.parse(readFileSync(path("package.json"), "utf8"))
writeFileSync(join(stage, "package.json"), JSON.stringify(manifest))

vsce("package", "--no-dependencies", "--allow-missing-repository", "--out", path("threat-exposure.vsix"))
console.log(vsce("ls", "--no-dependencies").trim())
console.log(`threat-exposure.vsix: ${(statSync(path("threat-exposure.vsix")).size / 1000).toFixed(0)} kB`)
