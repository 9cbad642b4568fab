/**
 * Bundles the program into one file without dependencies, for `npx` and container images, and the hook of coding agents
 * into two small ones.
 */
import { createHash } from "node:crypto"
import { createRequire, isBuiltin } from "node:module"
import { asciiOnly } from "@threat-exposure/bundling/AsciiOnly"
import { bundledLicenses, licenseComments } from "@threat-exposure/bundling/BundledLicenses"
import { defineConfig, type Plugin } from "rolldown"

/**
 * A bundle of one file loads every imported module of Node at startup, which takes longer than the rest of `--version`:
 * `node:http` alone loads an HTTP client. This plugin loads each one together with the first module that imports it or,
 * if only plain functions are used, at the first call.
 */
const lazyBuiltins = (): Plugin => {
  const prefix = "\0builtin:"
  const requiredPrefix = "\0required:"
  const require = createRequire(import.meta.url)
  return {
    name: "lazy-builtins",
    resolveId: (source, _importer, { kind }) =>
      isBuiltin(source)
        ? {
            id: (kind === "require-call" ? requiredPrefix : prefix) + source.replace(/^(?!node:)/u, "node:"),
            moduleSideEffects: false
          }
        : null,
    load: (id) => {
      // `require` needs the whole module; an `import` needs only the parts that it names.
      if (id.startsWith(requiredPrefix)) {
        const builtin = `process.getBuiltinModule(${JSON.stringify(id.slice(requiredPrefix.length))})`
        return `const builtin = ${builtin}\nexport { builtin as default, builtin as "module.exports" }`
      }
      if (!id.startsWith(prefix)) return null
      const name = id.slice(prefix.length)
      const builtin: object = require(name)
      const names = Object.keys(builtin).filter((key) => /^[A-Za-z_$][\w$]*$/u.test(key) && key !== "default")
      const load = `process.getBuiltinModule(${JSON.stringify(name)})`
      return [
        `const builtin = /* @__PURE__ */ ${load}`,
        "export { builtin as default }",
        ...names.map((key) => {
          const isCalled = !loadedByNode.has(name) && isPlainFunction(key, Reflect.get(builtin, key))
          const value = isCalled ? `(...args) => ${load}.${key}(...args)` : `/* @__PURE__ */ (() => builtin.${key})()`
          return `const $${key} = ${value}\nexport { $${key} as ${key} }`
        })
      ].join("\n")
    }
  }
}

/** Node has already loaded these modules before the program starts; a direct call is faster. */
const loadedByNode = new Set(["node:fs", "node:path"])

/**
 * Whether the value is a function that is no class and has no named properties of its own. Its symbols are for `promisify`,
 * which a test of the bundle rules out.
 */
const isPlainFunction = (name: string, value: unknown): boolean =>
  typeof value === "function" &&
  /^[a-z]/u.test(name) &&
  Object.getOwnPropertyNames(value).every((key) => key === "length" || key === "name" || key === "prototype")

/**
 * Appends a hash of the bundle as its last line: at startup the program recognises its compiled code in the cache by
 * this line.
 */
const digest: Plugin = {
  name: "digest",
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type === "chunk") file.code += `\n//${createHash("sha256").update(file.code).digest("hex")}`
    }
  }
}

/**
 * Parts of Effect that do expensive work while they are loaded, which a short command does not need. The replacement
 * does the work at the first use, or not at all.
 */
const lazyParts = [
  {
    // The segmenter measures widths. It loads Unicode's tables, which takes as long as half of the other modules
    // together.
    file: /effect\/dist\/cli\/CliOutput\.js$/u,
    eager: /= \/\*#__PURE__\*\/new Intl\.Segmenter\((undefined, \{\s*granularity: "grapheme"\s*\})\);/u,
    lazy: "= { segment(text) { return (this.made ??= new Intl.Segmenter($1)).segment(text) } };"
  },
  {
    // Effect checks whether stack traces show function names, for which V8 parses the whole program again.
    file: /effect\/dist\/Utils\.js$/u,
    eager: /= \/\*#__PURE__\*\/pickInternalCall\(\);/u,
    lazy: '= { "~effect/Utils/internal": (body) => body() }["~effect/Utils/internal"];'
  }
]

const lazyEffect: Plugin = {
  name: "lazy-effect",
  transform: {
    filter: { id: lazyParts.map(({ file }) => file) },
    handler: (code, id) => {
      const part = lazyParts.find(({ file }) => file.test(id))
      if (part === undefined) return null
      if (!part.eager.test(code)) throw new Error(`${id} has changed: adapt this plugin`)
      return { code: code.replace(part.eager, part.lazy), map: null }
    }
  }
}

/** `name` is the member of `globalThis` that holds the exports. */
const program = (input: string, file: string, name: string) =>
  defineConfig({
    platform: "node",
    input,
    plugins: [lazyBuiltins(), lazyEffect, asciiOnly, digest, bundledLicenses("licenses.txt")],
    // A script has no `import.meta`. Packages pass its URL to `createRequire` to load modules of Node, for which any
    // URL works.
    transform: { define: { "import.meta": JSON.stringify({ url: "file:///" }) } },
    // Compiles, and caches, only the modules that a command uses.
    optimization: { pifeForModuleWrappers: false },
    output: {
      file,
      // Node can run a script from cached compiled code, which includes the functions that an earlier run called; a
      // module cannot.
      format: "iife",
      name,
      strict: true,
      // Evaluates the modules of a command when it runs, not when the program starts.
      codeSplitting: false,
      minify: true,
      comments: licenseComments
    }
  })

export default [
  // `licenses.txt` of the whole program, which is built last, includes the licences of these two.
  program("src/agent/AgentPrecheck.ts", "dist/agent-precheck.mjs", "agentPrecheck"),
  program("src/agent/main.ts", "dist/agent-check.mjs", "agentCheck"),
  program("src/main.ts", "dist/threat-exposure.mjs", "threatExposure")
]
