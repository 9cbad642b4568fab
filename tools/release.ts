/**
 * Collects what a release has attached: the action, the published packages as `npm run build` left them, the files given, an
 * SBOM of each part, and the checksums of all of them. The same commit gives the same bytes, whenever and wherever:
 * `rebuild.ts` compares.
 *
 *     npm run release -- FOLDER [FILE…] [--tag TAG]
 *
 * With `--tag`, it first refuses a tag that is not the version of every part, and changesets that no version contains.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { argumentsOf, refuse } from "./Arguments.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const {
  positionals: [folder, ...files],
  values: { tag }
} = argumentsOf("npm run release -- FOLDER [FILE…] [--tag TAG]", {
  most: Number.POSITIVE_INFINITY,
  options: { tag: { type: "string" } }
})
if (folder === undefined) refuse("no folder for the files of the release: give one, as in `npm run release -- release`")
const out = resolve(folder)
if (existsSync(out) && readdirSync(out).length > 0 && !existsSync(join(out, "SHA256SUMS"))) {
  refuse(`${out} has files that are not of a release, and would be deleted: give another folder`)
}

const run = (command: string, ...args: ReadonlyArray<string>) =>
  execFileSync(command, args, { cwd: root, maxBuffer: 256 * 1024 * 1024, stdio: ["ignore", "pipe", "inherit"] })

const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex")

/** The action as `uses:` reads it, from the commit. Its files have the time of the commit. */
const action = () =>
  gzipSync(
    run(
      "git",
      "archive",
      "--format=tar",
      "HEAD",
      "--",
      "action.yml",
      "LICENSE",
      "apps/action/action.yml",
      "apps/action/dist"
    )
  )

/** What a part depends on. pnpm writes the time of day, a random number, and lists in no order. */
const sbom = (part: string) => {
  const {
    components,
    dependencies,
    metadata: { timestamp: _, ...metadata },
    serialNumber: __,
    ...bom
  } = JSON.parse(run("pnpm", "sbom", "--prod", "--sbom-format", "cyclonedx", "--filter", `./${part}`).toString())
  const content = { ...bom, metadata, components: ordered(components), dependencies: ordered(dependencies) }
  return `${JSON.stringify(content, null, 2)}\n`
}

/** By what each is as JSON, with the references inside it in order too. */
const ordered = (items: ReadonlyArray<{ readonly dependsOn?: ReadonlyArray<string> }>) =>
  items
    .map((item) => (item.dependsOn === undefined ? item : { ...item, dependsOn: item.dependsOn.toSorted() }))
    .map((item) => JSON.stringify(item))
    .toSorted()
    .map((text): unknown => JSON.parse(text))

/** The parts with the fields of their manifests that matter here. */
const parts = ["packages", "apps"].flatMap((group) =>
  readdirSync(join(root, group)).map((name) => {
    const manifest: { readonly private?: boolean; readonly version: string } = JSON.parse(
      readFileSync(join(root, group, name, "package.json"), "utf8")
    )
    return { name, folder: `${group}/${name}`, isPublished: manifest.private !== true, version: manifest.version }
  })
)

/** What of the repository contradicts a release under this tag. */
const contradictions = (tag: string): ReadonlyArray<string> => [
  ...parts.flatMap(({ folder, version }) => {
    if (`v${version}` !== tag) return [`${folder}/package.json has version ${version}`]
    const changelog = join(root, folder, "CHANGELOG.md")
    return existsSync(changelog) && readFileSync(changelog, "utf8").includes(`\n## ${version}\n`)
      ? []
      : [`${folder}/CHANGELOG.md has no section ${version}`]
  }),
  ...readdirSync(join(root, ".changeset")).flatMap((file) =>
    file.endsWith(".md") ? [`.changeset/${file} is in no version yet`] : []
  )
]
const found = tag === undefined ? [] : contradictions(tag)
if (found.length > 0) {
  refuse(
    `${tag} does not name the version of this commit:`,
    ...found.map((text) => `  ${text}`),
    "Run `npx changeset version`, commit the versions and changelogs, and tag that commit with its version."
  )
}

for (const file of [
  ...files,
  ...parts.flatMap(({ folder, isPublished }) => (isPublished ? [join(root, folder, "dist")] : []))
]) {
  if (!existsSync(file)) refuse(`${file} is missing: run \`npm run build\` and \`npm run package\` first`)
}

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
for (const file of files) copyFileSync(file, join(out, basename(file)))
writeFileSync(join(out, "threat-exposure-action.tar.gz"), action())
for (const part of parts) {
  writeFileSync(join(out, `${part.name}.cdx.json`), sbom(part.folder))
  if (part.isPublished) run("pnpm", "--dir", part.folder, "pack", "--pack-destination", out)
}
const sums = readdirSync(out)
  .toSorted()
  .map((file) => `${sha256(readFileSync(join(out, file)))}  ${file}\n`)
writeFileSync(join(out, "SHA256SUMS"), sums.join(""))
console.log(sums.join("").trimEnd())
