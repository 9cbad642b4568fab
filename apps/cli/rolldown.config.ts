/** One file without dependencies, for `npx` and for copying into an image; and a small one for the hook of coding agents. */
import { createHash } from "node:crypto"
import { createRequire, isBuiltin } from "node:module"
import { asciiOnly } from "@threat-exposure/bundling/AsciiOnly"
import { bundledLicenses, licenseComments } from "@threat-exposure/bundling/BundledLicenses"
import { defineConfig, type Plugin } from "rolldown"

/**
 * In one file all imports of Node's own modules are evaluated at its start, which takes longer than everything else
 * that `--version` does: `node:http` alone loads an HTTP client. Here each is loaded with the first module that uses it;
 * if that uses plain functions only, at the first call.
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
      // A module that is required is needed as a whole; the parts that an import does not name are left out.
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

/** Node has loaded them before the program starts, and a direct call takes less time. */
const loadedByNode = new Set(["node:fs", "node:path"])

/** It is neither a class nor has properties of its own, such as a variant that returns a promise. */
const isPlainFunction = (name: string, value: unknown): boolean =>
  typeof value === "function" &&
  /^[a-z]/u.test(name) &&
  Reflect.ownKeys(value).every((key) => key === "length" || key === "name" || key === "prototype")

/** The last line names the text before it: by it, the program's start knows code that it compiled from the same text. */
const digest: Plugin = {
  name: "digest",
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type === "chunk") file.code += `\n//${createHash("sha256").update(file.code).digest("hex")}`
    }
  }
}

/**
 * Effect does this work while it is loaded, although a short command does not need its result. Here it is done when it is
 * needed, or not at all.
 */
const lazyParts = [
  {
    // The segmenter that measures widths reads Unicode's tables, which takes as long as half of the other modules together.
    file: /effect\/dist\/cli\/CliOutput\.js$/u,
    eager: /= \/\*#__PURE__\*\/new Intl\.Segmenter\((undefined, \{\s*granularity: "grapheme"\s*\})\);/u,
    lazy: "= { segment(text) { return (this.made ??= new Intl.Segmenter($1)).segment(text) } };"
  },
  {
    // To know whether stacks show the name of a function, it reads one, for which V8 parses the program once more.
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

/** `name` is that of the exports, as a member of `globalThis`. */
const program = (input: string, file: string, name: string) =>
  defineConfig({
    platform: "node",
    input,
    plugins: [lazyBuiltins(), lazyEffect, asciiOnly, digest, bundledLicenses("licenses.txt")],
    // A script has none. Packages ask it where to require modules of Node from, which is the same everywhere.
    transform: { define: { "import.meta": JSON.stringify({ url: "file:///" }) } },
    // Only the code of the modules that a command uses is compiled, and cached.
    optimization: { pifeForModuleWrappers: false },
    output: {
      file,
      // A script can be run with code that was compiled before, functions that were called included; a module cannot.
      format: "iife",
      name,
      strict: true,
      // A command's modules are evaluated when it runs, not when the program starts.
      codeSplitting: false,
      minify: true,
      comments: licenseComments
    }
  })

export default [
  // The licences of these two are among those of the whole program, which is built after them.
  program("src/agent/AgentPrecheck.ts", "dist/agent-precheck.mjs", "agentPrecheck"),
  program("src/agent/main.ts", "dist/agent-check.mjs", "agentCheck"),
  program("src/main.ts", "dist/threat-exposure.mjs", "threatExposure")
]
