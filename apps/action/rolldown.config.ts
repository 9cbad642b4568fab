/** One file that a runner can start as it is. */
import { brotliCompressSync } from "node:zlib"
import { defineConfig, type Plugin, rolldown, type RolldownOptions } from "rolldown"

const shared = {
  platform: "node",
  treeshake: {
    // They only define things: without being told so, the bundler keeps an HTTP stack for calls that are never made.
    moduleSideEffects: [{ test: /[\\/]node_modules[\\/](?:@actions|undici|tunnel)[\\/]/u, sideEffects: false }]
  }
} satisfies RolldownOptions

/** Of packages that few runs need: what is taken from each. */
const seldom: Readonly<Record<string, ReadonlyArray<string>>> = {
  "@actions/cache": ["restoreCache", "saveCache"],
  "@actions/github": ["getOctokit"],
  yaml: ["isMap", "isNode", "isSeq", "LineCounter", "parseDocument"]
}

/** A cache that is lost, or may not be written, would else be an annotation on somebody's pull request. */
const quiet = `
  export * from "@actions/core"
  export { debug as info, debug as warning, debug as error } from "@actions/core"
`

/**
 * Carries what is imported on demand as packed text. Two thirds of the bundle were such code, and a runner compiles what
 * stands in a module before its first line runs, but not what stands in a string.
 */
const onDemand = (): Plugin => {
  const id = "\0on-demand"
  return {
    name: "on-demand",
    resolveId: (source, _importer, { kind }) =>
      source === id || (kind === "dynamic-import" && source in seldom) ? { id } : null,
    async load(loaded) {
      if (loaded !== id) return null
      const entry = "\0entry"
      const core = "\0core"
      const build = await rolldown({
        ...shared,
        input: entry,
        cwd: import.meta.dirname,
        plugins: [
          {
            name: "entry",
            resolveId: (source, importer) =>
              source === entry ? { id: entry } : source === "@actions/core" && importer !== core ? { id: core } : null,
            load: (loaded) =>
              loaded === entry
                ? Object.entries(seldom)
                    .map(([from, names]) => `export { ${names.join(", ")} } from "${from}"`)
                    .join("\n")
                : loaded === core
                  ? quiet
                  : null
          }
        ]
      })
      const { output } = await build.generate({ format: "cjs", codeSplitting: false, minify: true })
      for (const file of await build.watchFiles) this.addWatchFile(file)
      await build.close()
      const packed = brotliCompressSync(output[0].code).toString("base64")
      return `
        import { createRequire } from "node:module"
        const require = createRequire(import.meta.url)
        const code = require("node:zlib").brotliDecompressSync(Buffer.from("${packed}", "base64")).toString()
        const module = { exports: {} }
        require("node:vm").compileFunction(code, ["module", "exports", "require"])(module, module.exports, require)
        export const { ${Object.values(seldom).flat().join(", ")} } = module.exports
      `
    }
  }
}

/** One character beyond Latin-1 makes V8 hold the whole file in two bytes a character, and read it at half the speed. */
const asciiOnly: Plugin = {
  name: "ascii-only",
  // After the minifier, which would undo it.
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== "chunk") continue
      file.code = file.code.replaceAll(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
      )
    }
  }
}

export default defineConfig({
  ...shared,
  input: "src/main.ts",
  plugins: [onDemand(), asciiOnly],
  output: {
    file: "dist/index.js",
    format: "esm",
    codeSplitting: false,
    minify: true,
    comments: { legal: true, annotation: false, jsdoc: false }
  }
})
