/** The licences of the packages in a bundle, as a file beside it: most of them ask to be passed on with the code. */
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Plugin } from "rolldown"

export const bundledLicenses = (fileName: string): Plugin => ({
  name: "bundled-licenses",
  generateBundle(_options, bundle) {
    const moduleIds = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []))
    this.emitFile({ type: "asset", fileName, source: licensesOf(moduleIds) })
  }
})

/** A bundle keeps only comments that contain a licence. */
export const licenseComments = { legal: true, annotation: false, jsdoc: false } as const

/** The same text on every machine: the packages are in the order of code units. */
export const licensesOf = (moduleIds: ReadonlyArray<string>): string => {
  const folders = new Set(moduleIds.flatMap((id) => folderOf(id) ?? []))
  // A package can be in several folders of pnpm's store.
  const notices = Array.from(new Set(Array.from(folders, noticeIn))).toSorted()
  return notices.join(separator)
}

/** The packages that a text of {@link licensesOf} is about, as in `effect 4.1.0`. */
export const packagesIn = (licenses: string): ReadonlySet<string> =>
  new Set(licenses.split(separator).map((notice) => notice.slice(0, notice.indexOf(" ("))))

const separator = `\n${"-".repeat(80)}\n\n`

/** The folder of the package that a module belongs to; undefined for a module of this repository. */
const folderOf = (moduleId: string): string | undefined =>
  moduleId.includes("rolldown/runtime")
    ? dirname(createRequire(import.meta.url).resolve("rolldown/package.json"))
    : /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/u.exec(moduleId)?.[0]

const noticeIn = (folder: string): string => {
  const { author, license, name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const texts = readdirSync(folder)
    .toSorted()
    .filter((file) => /^(?:licen[cs]e|notice)/iu.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim())
  const holder = typeof author === "object" ? author.name : (author ?? "its authors")
  const missing = `Copyright ${holder}. The package contains no text of its licence.`
  return `${[`${name} ${version} (${license})`, ...(texts.length === 0 ? [missing] : texts)].join("\n\n")}\n`
}
