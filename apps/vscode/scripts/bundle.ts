/** How the two bundles are made, and what went into them. */
import { mkdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))

export interface Entry {
  readonly input: string
  readonly output: string
  /** The part that is loaded later. */
  readonly later: string
  readonly platform: "node" | "browser"
}

export const entries: ReadonlyArray<Entry> = [
  { input: "src/extension.ts", output: "extension.cjs", later: "leak-check.cjs", platform: "node" },
  { input: "src/web/extension.ts", output: "web.cjs", later: "web-leak-check.cjs", platform: "browser" }
]

/** Writes one bundle in its two parts and gives, for each file, the paths of every module in it. */
export const bundle = async (entry: Entry): Promise<ReadonlyMap<string, ReadonlyArray<string>>> => {
  const { input, output, later, platform } = entry
  const build = await rolldown({
    input: path(input),
    platform,
    external: platform === "node" ? ["vscode", /^node:/u] : ["vscode"],
    tsconfig: path("tsconfig.src.json"),
    treeshake: { moduleSideEffects: false },
    transform: { define: { "import.meta": "{}" } },
    // What the later part shares with the first is in the first.
    preserveEntrySignatures: "allow-extension",
    resolve: {
      alias: {
        // Pages are small here, and the compiler would be a twentieth of the bundle.
        "effect/schema/SchemaJITCompiler": path("scripts/interpreted.ts"),
        ...(platform === "browser" ? { "node:path": path("scripts/basename.ts") } : {})
      }
    }
  })
  const { output: files } = await build.generate({
    entryFileNames: output,
    chunkFileNames: "[name]-part.cjs",
    format: "cjs",
    minify: true,
    exports: "named"
  })
  await build.close()

  const chunks = files.flatMap((file) => (file.type === "chunk" ? [file] : []))
  const bundler = chunks.find(({ moduleIds }) => moduleIds.every((id) => id.includes("rolldown/runtime")))
  const parts = chunks.filter((chunk) => chunk !== bundler)
  const second = parts.find(({ isEntry }) => !isEntry)
  if (parts.length !== 2 || second === undefined) throw new Error(`${output} fell into ${parts.length} parts, not 2`)
  mkdirSync(path("dist"), { recursive: true })
  const written = parts.map(({ code, isEntry, moduleIds }) => {
    const name = isEntry ? output : later
    const whole = code
      // The bundler's own few lines are not worth a file, nor a request in a browser.
      .replaceAll(
        `require("./${bundler?.fileName}")`,
        `(()=>{const exports={};${bundler?.code ?? ""};return exports})()`
      )
      // A web worker's host gives no `require` for files: src/web/WebLeakEngine.ts says how the part is loaded.
      .replaceAll(
        `require("./${second.fileName}")`,
        platform === "browser" ? `globalThis.threatExposure.load("${later}",exports)` : `require("./${later}")`
      )
    writeFileSync(path(`dist/${name}`), whole)
    return [name, moduleIds] as const
  })
  return new Map(written)
}
