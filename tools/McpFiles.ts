/** The files that let clients of the Model Context Protocol install `threat-exposure mcp`. */
import { createHash } from "node:crypto"
import { zipSync } from "fflate"

/** The manifest of the package that has the server. */
interface Manifest {
  readonly name: string
  readonly mcpName: string
  readonly version: string
  readonly license: string
  readonly keywords: ReadonlyArray<string>
  readonly homepage: string
  readonly engines: { readonly node: string }
  readonly repository: { readonly type: string; readonly url: string; readonly directory: string }
}

export const bundleName = "threat-exposure.mcpb"

const title = "Threat Exposure"
/** The registry allows 100 characters. */
const description = "Find out which of your secrets and data have leaked, without showing an agent a password."

/** The settings that a user enters, by the variable that the program reads each from. */
const settings = {
  THREAT_EXPOSURE_BASE_URL: {
    name: "base_url",
    title: "Address",
    description: "Address of the threat-exposure service",
    isSecret: false
  },
  THREAT_EXPOSURE_TOKEN: {
    name: "token",
    title: "Access token",
    description: "Access token of the service",
    isSecret: true
  }
}
const root = { title: "Folder of your code", description: "Only repositories below it are checked" }

const repositoryUrlOf = ({ repository }: Manifest) => repository.url.replace(/^git\+/u, "").replace(/\.git$/u, "")

/** A bundle that desktop programs install: the program in one file, and the settings to ask the user for. */
export const mcpBundle = (manifest: Manifest, program: Uint8Array, licenses: Uint8Array): Uint8Array => {
  const main = "server/threat-exposure.mjs"
  const described = {
    manifest_version: "0.3",
    name: "threat-exposure",
    display_name: title,
    version: manifest.version,
    description,
    author: { name: "The Threat Exposure authors", url: repositoryUrlOf(manifest) },
    repository: { type: "git", url: repositoryUrlOf(manifest) },
    homepage: manifest.homepage,
    documentation: `${repositoryUrlOf(manifest)}/blob/main/docs/mcp.md`,
    server: {
      type: "node",
      entry_point: main,
      mcp_config: {
        command: "node",
        args: [`\${__dirname}/${main}`, "mcp", "--root", "${user_config.root}"],
        env: Object.fromEntries(Object.entries(settings).map(([key, { name }]) => [key, `\${user_config.${name}}`]))
      }
    },
    tools_generated: true,
    keywords: manifest.keywords,
    license: manifest.license,
    compatibility: { runtimes: { node: manifest.engines.node } },
    user_config: {
      ...Object.fromEntries(
        Object.values(settings).map(({ name, isSecret, ...texts }) => [
          name,
          { type: "string", ...texts, required: true, sensitive: isSecret }
        ])
      ),
      root: { type: "directory", ...root, required: true }
    }
  }
  // The format has the local time, and begins with 1980: the same bytes in every time zone.
  const mtime = new Date(1980, 0, 1)
  return zipSync(
    {
      "manifest.json": Buffer.from(`${JSON.stringify(described, null, 2)}\n`),
      [main]: program,
      "server/licenses.txt": licenses
    },
    { mtime }
  )
}

/** The server in the official registry: how to start the package from npm, and where the bundle is. */
export const mcpServer = (manifest: Manifest, bundle: Uint8Array): string => {
  const { mcpName, name, repository, version } = manifest
  const transport = { type: "stdio" }
  const server = {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: mcpName,
    title,
    description,
    version,
    websiteUrl: manifest.homepage,
    repository: { url: repositoryUrlOf(manifest), source: "github", subfolder: repository.directory },
    packages: [
      {
        registryType: "npm",
        identifier: name,
        version,
        runtimeHint: "npx",
        transport,
        packageArguments: [
          { type: "positional", value: "mcp" },
          { type: "named", name: "--root", description: root.description, isRequired: true, format: "filepath" }
        ],
        environmentVariables: Object.entries(settings).map(([name, { description, isSecret }]) => ({
          name,
          description,
          isRequired: true,
          isSecret
        }))
      },
      {
        registryType: "mcpb",
        identifier: `${repositoryUrlOf(manifest)}/releases/download/v${version}/${bundleName}`,
        fileSha256: createHash("sha256").update(bundle).digest("hex"),
        transport
      }
    ]
  }
  return `${JSON.stringify(server, null, 2)}\n`
}
