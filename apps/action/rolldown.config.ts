/**
 * Builds the files that a runner executes directly: `index.js`, and chunks that few runs need, each loaded at its first
 * use.
 */
import { defineConfig, type Plugin } from "rolldown"
import { asciiOnly } from "@threat-exposure/bundling/AsciiOnly"
import { bundledLicenses, licenseComments } from "@threat-exposure/bundling/BundledLicenses"

/**
 * Silences the cache's annotations: otherwise, a lost or read-only cache would be reported on somebody's pull request.
 */
const quietCache = (): Plugin => {
  const prefix = "\0quiet:"
  return {
    name: "quiet-cache",
    async resolveId(source, importer) {
      if (source !== "@actions/core" || importer?.includes("/@actions/cache/") !== true) return null
      const core = await this.resolve(source, importer, { skipSelf: true })
      return core === null ? null : { id: `${prefix}${core.id}` }
    },
    load: (id) => {
      if (!id.startsWith(prefix)) return null
      const core = JSON.stringify(id.slice(prefix.length))
      return `
        export * from ${core}
        export { debug as info, debug as warning, debug as error } from ${core}
      `
    }
  }
}

/**
 * The HTTP client of `@actions/*` imports undici only to create a dispatcher for fetch, and undici would be a quarter
 * of the bundle. Nothing here needs a dispatcher: the cache, the only user of that client, sends requests through
 * Node's own agents.
 */
const withoutUndici = (): Plugin => {
  const id = "\0no-undici"
  return {
    name: "without-undici",
    resolveId: (source, importer) =>
      source === "undici" && importer?.includes("/@actions/http-client/") === true ? { id } : null,
    load: (loaded) =>
      loaded === id
        ? 'export class ProxyAgent { constructor() { throw new Error("This bundle has no undici") } }'
        : null
  }
}

/** The name of the package without its scope, such as `cache` for `@actions/cache`; undefined for our own modules. */
const packageOf = (moduleId: string) => /.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?([^\\/]+)/u.exec(moduleId)?.[1]

export default defineConfig({
  platform: "node",
  treeshake: {
    // These modules only contain definitions. Without this, the bundler would keep an HTTP stack whose calls are
    // removed.
    moduleSideEffects: [{ test: /[\\/]node_modules[\\/](?:@actions|tunnel)[\\/]/u, sideEffects: false }]
  },
  input: { index: "src/main.ts" },
  plugins: [quietCache(), withoutUndici(), asciiOnly, bundledLicenses("licenses.txt")],
  output: {
    dir: "dist",
    cleanDir: true,
    chunkFileNames: ({ facadeModuleId, name }) => `${packageOf(facadeModuleId ?? "") ?? name}.js`,
    format: "esm",
    minify: true,
    comments: licenseComments
  }
})
