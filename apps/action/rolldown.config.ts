/** Builds the files that a runner starts as they are: `index.js`, and beside it the parts that few runs need, each loaded on first use. */
import { defineConfig, type Plugin } from "rolldown"
import { asciiOnly } from "@threat-exposure/bundling/AsciiOnly"
import { bundledLicenses, licenseComments } from "@threat-exposure/bundling/BundledLicenses"

/** A cache that is lost, or may not be written, would else be an annotation on somebody's pull request. */
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
 * The HTTP client of `@actions/*` uses undici to make a dispatcher for fetch, and undici would be a quarter of the
 * bundle. Nothing here asks for a dispatcher: the cache, its one user, sends its requests through agents of Node.
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

/** As in `yaml`, `cache` for `@actions/cache`; undefined for what is ours. */
const packageOf = (moduleId: string) => /.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?([^\\/]+)/u.exec(moduleId)?.[1]

export default defineConfig({
  platform: "node",
  treeshake: {
    // They only define things: without being told so, the bundler keeps an HTTP stack for calls that are never made.
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
