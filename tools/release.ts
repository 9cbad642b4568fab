/**
 * Collects what a release has attached: the action, the published packages as `npm run build` left them, the bundle for MCP
 * and its entry in the registry, the files given, an SBOM of each part, and the checksums of all of them. The same commit gives the same bytes, whenever and wherever:
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
import { packagesIn } from "@threat-exposure/bundling/BundledLicenses"
import { argumentsOf, refuse } from "./Arguments.ts"
import { bundleName, mcpBundle, mcpServer } from "./McpFiles.ts"

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

/**
 * The components of a part: its bundle, as the licences beside it name it, or else its dependencies. pnpm writes the time of
 * day, a random number, and lists in no order.
 */
const sbom = ({ folder, licenses }: Part) => {
  // The helpers of the bundler come from a development dependency.
  const scope = licenses === undefined ? ["--prod"] : []
  const {
    components,
    dependencies,
    metadata: { timestamp: _, ...metadata },
    serialNumber: __,
    ...bom
  }: Sbom = JSON.parse(
    run("pnpm", "sbom", ...scope, "--sbom-format", "cyclonedx", "--filter", `./${folder}`).toString()
  )
  const contained = licenses === undefined ? components : selectBundled(components, licenses)
  const known = new Set([metadata.component, ...contained].map((component) => component["bom-ref"]))
  const content = {
    ...bom,
    metadata,
    components: sortByJson(contained),
    dependencies: sortByJson(
      dependencies.flatMap(({ dependsOn, ref }) =>
        known.has(ref) ? [{ ref, dependsOn: dependsOn.filter((other) => known.has(other)).toSorted() }] : []
      )
    )
  }
  return `${JSON.stringify(content, null, 2)}\n`
}

/** The components that the licences name, and our own packages. */
const selectBundled = (components: ReadonlyArray<Component>, licenses: string): ReadonlyArray<Component> => {
  const bundled = packagesIn(readFileSync(licenses, "utf8"))
  const nameOf = ({ group, name, version }: Component) => `${group === undefined ? "" : `${group}/`}${name} ${version}`
  const known = new Set(components.map(nameOf))
  const missing = [...bundled].filter((name) => !known.has(name))
  if (missing.length > 0) refuse(`pnpm does not know ${missing.join(", ")}, which ${licenses} names`)
  const isOurs = ({ group, name }: Component) =>
    group === "@threat-exposure" && parts.some(({ folder }) => folder === `packages/${name}`)
  return components.filter((component) => isOurs(component) || bundled.has(nameOf(component)))
}

interface Component {
  readonly "bom-ref": string
  readonly group?: string
  readonly name: string
  readonly version: string
}

interface Sbom {
  readonly metadata: { readonly component: Component; readonly timestamp: string }
  readonly serialNumber: string
  readonly components: ReadonlyArray<Component>
  readonly dependencies: ReadonlyArray<{ readonly ref: string; readonly dependsOn: ReadonlyArray<string> }>
}

/** By what each is as JSON. */
const sortByJson = (items: ReadonlyArray<object>) =>
  items
    .map((item) => JSON.stringify(item))
    .toSorted()
    .map((text): unknown => JSON.parse(text))

interface Part {
  readonly name: string
  readonly folder: string
  readonly isPublished: boolean
  readonly version: string
  /** The file beside a bundle; a package has none. */
  readonly licenses: string | undefined
}

const parts = ["packages", "apps"].flatMap((group) =>
  readdirSync(join(root, group)).map((name): Part => {
    const folder = `${group}/${name}`
    const manifest: { readonly private?: boolean; readonly version: string } = JSON.parse(
      readFileSync(join(root, folder, "package.json"), "utf8")
    )
    const licenses = group === "apps" ? join(root, folder, "dist/licenses.txt") : undefined
    return { name, folder, isPublished: manifest.private !== true, version: manifest.version, licenses }
  })
)

/** The contradictions between the repository and a release under this tag. */
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
  ...parts.flatMap(({ folder, isPublished }) => (isPublished ? [join(root, folder, "dist")] : [])),
  ...parts.flatMap(({ licenses }) => licenses ?? [])
]) {
  if (!existsSync(file)) refuse(`${file} is missing: run \`npm run build\` and \`npm run package\` first`)
}

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
for (const file of files) copyFileSync(file, join(out, basename(file)))
writeFileSync(join(out, "threat-exposure-action.tar.gz"), action())
const cli = (file: string) => readFileSync(join(root, "apps/cli", file))
const cliManifest = JSON.parse(cli("package.json").toString())
const bundle = mcpBundle(cliManifest, cli("dist/threat-exposure.mjs"), cli("dist/licenses.txt"))
writeFileSync(join(out, bundleName), bundle)
writeFileSync(join(out, "server.json"), mcpServer(cliManifest, bundle))
for (const part of parts) {
  writeFileSync(join(out, `${part.name}.cdx.json`), sbom(part))
  if (part.isPublished) run("pnpm", "--dir", part.folder, "pack", "--pack-destination", out)
}
const sums = readdirSync(out)
  .toSorted()
  .map((file) => `${sha256(readFileSync(join(out, file)))}  ${file}\n`)
writeFileSync(join(out, "SHA256SUMS"), sums.join(""))
console.log(sums.join("").trimEnd())
