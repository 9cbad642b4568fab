/** One file without dependencies, for `npx` and for copying into an image; and a small one for the hook of coding agents. */
import { createRequire, isBuiltin } from "node:module"
import { asciiOnly } from "@threat-exposure/bundling/AsciiOnly"
import { bundledLicenses, licenseComments } from "@threat-exposure/bundling/BundledLicenses"
import { defineConfig, type Plugin } from "rolldown"

/**
 * In one file all imports of Node's own modules are evaluated at its start, which takes longer than everything else
 * that `--version` does: `node:http` alone loads an HTTP client. Here each is loaded with the first module that uses it.
 */
const lazyBuiltins = (): Plugin => {
  const prefix = "\0builtin:"
  const require = createRequire(import.meta.url)
  return {
    name: "lazy-builtins",
    // `node:module` is for the bundler's own first lines.
    resolveId: (source) =>
      isBuiltin(source) && source !== "node:module"
        ? { id: `${prefix}${source.replace(/^(?!node:)/u, "node:")}`, moduleSideEffects: false }
        : null,
    load: (id) => {
      if (!id.startsWith(prefix)) return null
      const name = id.slice(prefix.length)
      const names = Object.keys(require(name)).filter((key) => /^[A-Za-z_$][\w$]*$/u.test(key) && key !== "default")
      return [
        `const builtin = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(name)})`,
        // The second is what `require` answers.
        `export { builtin as default, builtin as "module.exports" }`,
        ...names.map((key) => `const $${key} = /* @__PURE__ */ (() => builtin.${key})()\nexport { $${key} as ${key} }`)
      ].join("\n")
    }
  }
}

/**
 * effect/cli measures the width of help texts and tables with a segmenter that it makes while it is loaded. That reads
 * Unicode's tables, which takes as long as half of the other modules together. Here it is made when a width is first
 * measured.
 */
const lazySegmenter = (): Plugin => {
  const eager = '= /*#__PURE__*/new Intl.Segmenter(undefined, {\n  granularity: "grapheme"\n});'
  return {
    name: "lazy-segmenter",
    transform: {
      filter: { id: /effect\/dist\/cli\/CliOutput\.js$/u },
      handler: (code) => {
        if (!code.includes(eager))
          throw new Error("effect/cli/CliOutput makes its segmenter otherwise: adapt this plugin")
        const lazy = `= { segment: (text) => (graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" })).segment(text) };`
        return { code: `let graphemes;\n${code.replace(eager, lazy)}`, map: null }
      }
    }
  }
}

const program = (input: string, file: string) =>
  defineConfig({
    platform: "node",
    input,
    plugins: [lazyBuiltins(), lazySegmenter(), asciiOnly, bundledLicenses("licenses.txt")],
    output: {
      file,
      format: "esm",
      // A command's modules are evaluated when it runs, not when the program starts.
      codeSplitting: false,
      minify: true,
      comments: licenseComments
    }
  })

export default [
  // Its licences are among those of the whole program, which is built after it.
  program("src/hook/AgentPrecheck.ts", "dist/agent-hook.mjs"),
  program("src/main.ts", "dist/threat-exposure.mjs")
]
