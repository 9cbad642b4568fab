/** How the two bundles are made, and what went into them. */
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))

export interface Entry {
  readonly input: string
  readonly output: string
  readonly platform: "node" | "browser"
}

export const entries: ReadonlyArray<Entry> = [
  { input: "src/extension.ts", output: "extension.cjs", platform: "node" },
  { input: "src/web/extension.ts", output: "web.cjs", platform: "browser" }
]

/** Writes one bundle and gives the paths of every module in it. */
export const bundle = async ({ input, output, platform }: Entry): Promise<ReadonlyArray<string>> => {
  const build = await rolldown({
    input: path(input),
    platform,
    external: platform === "node" ? ["vscode", /^node:/u] : ["vscode"],
    tsconfig: path("tsconfig.src.json"),
    treeshake: { moduleSideEffects: false },
    transform: { define: { "import.meta": "{}" } }
  })
  const { output: files } = await build.write({
    file: path(`dist/${output}`),
    format: "cjs",
    minify: true,
    exports: "named",
    codeSplitting: false
  })
  await build.close()
  return files.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []))
}
