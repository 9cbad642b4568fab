import { readdirSync, readFileSync, statSync } from "node:fs"
import { isBuiltin } from "node:module"
import { fileURLToPath } from "node:url"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { type OutputChunk, rolldown } from "rolldown"
import { loadConfig } from "rolldown/config"

const root = fileURLToPath(new URL("..", import.meta.url))

describe("the committed bundle", () => {
  let chunks: ReadonlyArray<OutputChunk> = []
  /** What came to be in the bundle. */
  let modules: ReadonlyArray<string> = []

  beforeAll(async () => {
    const config = await loadConfig(`${root}rolldown.config.ts`)
    assert.isFalse(Array.isArray(config))
    if (Array.isArray(config) || typeof config === "function" || Array.isArray(config.output)) return
    const build = await rolldown({ ...config, cwd: root })
    const { output } = await build.generate(config.output)
    chunks = output.filter((file) => file.type === "chunk")
    modules = chunks.flatMap(({ moduleIds }) => moduleIds)
    await build.close()
  }, 120_000)

  it("is what its source builds: `npm run build` makes it again", () => {
    assert.sameMembers(
      readdirSync(`${root}dist`),
      chunks.map(({ fileName }) => fileName)
    )
    for (const { code, fileName } of chunks) {
      const committed = readFileSync(`${root}dist/${fileName}`, "utf8")
      assert.isTrue(code === committed, `dist/${fileName} does not match its source`)
    }
  })

  it("stays under 1.5 MB", () => {
    const sizes = readdirSync(`${root}dist`).map((file) => statSync(`${root}dist/${file}`).size)
    assert.isBelow(
      sizes.reduce((sum, size) => sum + size, 0),
      1_500_000
    )
  })

  it("asks for no dispatcher of undici, which rolldown.config.ts leaves out", () => {
    assert.isTrue(chunks.some(({ code }) => code.includes("getAgentDispatcher(")))
    assert.isFalse(chunks.some(({ code }) => code.includes(".getAgentDispatcher(")))
    assert.deepStrictEqual(
      modules.filter((id) => id.includes("/node_modules/undici/")),
      []
    )
  })

  it("holds the client and the action, and nothing of a service", () => {
    const of = (part: string) => modules.filter((id) => id.includes(part))
    assert.isNotEmpty(of("/apps/action/src/Step.ts"))
    assert.isNotEmpty(of("/packages/core/src/client/"))
    assert.isNotEmpty(of("/@actions/cache/"))
    for (const part of [
      "/apps/service/",
      "/apps/vscode/",
      "/packages/core/src/testing/",
      "/effect/dist/sql/",
      "/effect/dist/http/HttpServer",
      "/effect/dist/http-api/HttpApiBuilder",
      "/platform-node/dist/NodeHttpServer",
      "/src/testing/"
    ]) {
      assert.deepStrictEqual(of(part), [], part)
    }
  })

  it("needs nothing that a runner does not have", () => {
    // The last is for proxies that ask for Kerberos, where somebody installed it.
    const there = new Set([...chunks.map(({ fileName }) => fileName), "kerberos"])
    for (const { dynamicImports, imports } of chunks) {
      assert.deepStrictEqual(
        [...imports, ...dynamicImports].filter((id) => !isBuiltin(id) && !there.has(id)),
        []
      )
    }
  })
})
