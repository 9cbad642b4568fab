import { spawnSync } from "node:child_process"
import {
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync
} from "node:fs"
import { isBuiltin } from "node:module"
import { fileURLToPath } from "node:url"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { type OutputAsset, type OutputChunk, rolldown } from "rolldown"
import { loadConfig } from "rolldown/config"

const root = fileURLToPath(new URL("..", import.meta.url))

const linkTree = (from: string, to: string): void => {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [`${from}/${entry.name}`, `${to}/${entry.name}`]
    if (entry.isDirectory()) linkTree(source, target)
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else linkSync(source, target)
  }
}

/** Names in `node_modules/.pnpm` of all packages that a project with this `node_modules` can import, at any depth. */
const linkedPackages = (nodeModules: string, found = new Set<string>()): ReadonlySet<string> => {
  for (const entry of readdirSync(nodeModules, { withFileTypes: true })) {
    const path = `${nodeModules}/${entry.name}`
    if (entry.isDirectory() && entry.name.startsWith("@")) linkedPackages(path, found)
    if (!entry.isSymbolicLink()) continue
    const [folder, name] = /^.*[\\/]\.pnpm[\\/]([^\\/]+)[\\/]node_modules/u.exec(realpathSync(path)) ?? []
    if (folder === undefined || name === undefined || found.has(name)) continue
    linkedPackages(folder, found.add(name))
  }
  return found
}

describe("the committed bundle", () => {
  let files: ReadonlyArray<OutputAsset | OutputChunk> = []
  let chunks: ReadonlyArray<OutputChunk> = []
  /** Ids of the modules in the bundle. */
  let modules: ReadonlyArray<string> = []

  beforeAll(async () => {
    const config = await loadConfig(`${root}rolldown.config.ts`)
    assert.isFalse(Array.isArray(config))
    if (Array.isArray(config) || typeof config === "function" || Array.isArray(config.output)) return
    const build = await rolldown({ ...config, cwd: root })
    const { output } = await build.generate(config.output)
    files = output
    chunks = output.filter((file) => file.type === "chunk")
    modules = chunks.flatMap(({ moduleIds }) => moduleIds)
    await build.close()
  })

  it("is built from its source: `npm run build` builds it again", () => {
    assert.sameMembers(
      readdirSync(`${root}dist`),
      files.map(({ fileName }) => fileName)
    )
    for (const file of files) {
      const committed = readFileSync(`${root}dist/${file.fileName}`, "utf8")
      const built = file.type === "chunk" ? file.code : file.source
      assert.isTrue(built === committed, `dist/${file.fileName} does not match its source`)
    }
  })

  it("is the same, byte by byte, when it is built in another folder, locale and time zone", () => {
    const repository = fileURLToPath(new URL("../../..", import.meta.url))
    // Must be on the same device, because packages are copied as hard links.
    mkdirSync(`${repository}.cache`, { recursive: true })
    const copy = mkdtempSync(`${repository}.cache/rebuild-`)
    const env = { ...process.env, TZ: "Pacific/Kiritimati", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" }
    try {
      const folders = ["packages/core", "packages/detect", "packages/leak-check", "tools/bundling", "apps/action"]
      // The first folder also links packages that no package.json declares.
      const packages = new Set(["node_modules"])
      for (const folder of folders) linkedPackages(`${repository}${folder}/node_modules`, packages)
      for (const name of packages) {
        linkTree(`${repository}node_modules/.pnpm/${name}`, `${copy}/node_modules/.pnpm/${name}`)
      }
      for (const folder of folders) {
        const isSource = (path: string) => !/[\\/](?:dist|test|\.cache)(?:[\\/]|$)/u.test(path.slice(repository.length))
        cpSync(`${repository}${folder}`, `${copy}/${folder}`, {
          recursive: true,
          verbatimSymlinks: true,
          filter: isSource
        })
      }
      cpSync(`${repository}tsconfig.base.json`, `${copy}/tsconfig.base.json`)
      const cli = fileURLToPath(new URL("cli.mjs", import.meta.resolve("rolldown")))
      const { status, stderr } = spawnSync(process.execPath, [cli, "-c", "rolldown.config.ts"], {
        cwd: `${copy}/apps/action`,
        env,
        encoding: "utf8"
      })
      assert.strictEqual(status, 0, stderr)
      const names = readdirSync(`${root}dist`)
      assert.sameMembers(readdirSync(`${copy}/apps/action/dist`), names)
      for (const name of names) {
        const [here, there] = [root, `${copy}/apps/action/`].map((folder) => readFileSync(`${folder}dist/${name}`))
        assert.isTrue(here?.equals(there ?? Buffer.of()), name)
      }
    } finally {
      rmSync(copy, { recursive: true })
    }
  })

  it("names the licence of each package in it, all permissive", () => {
    const text = readFileSync(`${root}dist/licenses.txt`, "utf8")
    const named = Array.from(text.matchAll(/^(\S+) \d+\.\d+\.\d+ \((.+)\)$/gmu), ([, name, license]) => ({
      name,
      license
    }))
    const bundled = new Set(modules.flatMap((id) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/u.exec(id)?.[1] ?? []))
    assert.isAbove(bundled.size, 10)
    // The bundler's runtime is in every bundle.
    assert.sameMembers([...new Set(named.map(({ name }) => name))], [...bundled, "rolldown"])
    for (const { license, name } of named) {
      assert.match(
        license ?? "",
        /^\(?(?:(?:MIT|ISC|0BSD|BlueOak-1\.0\.0|BSD-[23]-Clause|Apache-2\.0)(?: AND )?)+\)?$/u,
        name
      )
    }
  })

  it("stays under 1.75 MB", () => {
    const sizes = readdirSync(`${root}dist`).map((file) => statSync(`${root}dist/${file}`).size)
    assert.isBelow(
      sizes.reduce((sum, size) => sum + size, 0),
      1_750_000
    )
  })

  it("uses no dispatcher of undici, which rolldown.config.ts leaves out", () => {
    assert.isTrue(chunks.some(({ code }) => code.includes("getAgentDispatcher(")))
    assert.isFalse(chunks.some(({ code }) => code.includes(".getAgentDispatcher(")))
    assert.deepStrictEqual(
      modules.filter((id) => id.includes("/node_modules/undici/")),
      []
    )
  })

  it("contains the client and the action, and no part of the service", () => {
    const of = (part: string) => modules.filter((id) => id.includes(part))
    assert.isNotEmpty(of("/apps/action/src/Step.ts"))
    assert.isNotEmpty(of("/packages/core/src/client/"))
    assert.isNotEmpty(of("/@actions/cache/"))
    for (const part of [
      "/apps/service/",
      "/apps/vscode/",
      "/effect/dist/sql/",
      "/effect/dist/http/HttpServer",
      "/effect/dist/http-api/HttpApiBuilder",
      "/platform-node/dist/NodeHttpServer",
      "/testing/"
    ]) {
      assert.deepStrictEqual(of(part), [], part)
    }
  })

  it("needs nothing that a runner does not have", () => {
    // The last one is only needed for proxies with Kerberos, and has to be installed by the user.
    const there = new Set([...chunks.map(({ fileName }) => fileName), "kerberos"])
    for (const { dynamicImports, imports } of chunks) {
      assert.deepStrictEqual(
        [...imports, ...dynamicImports].filter((id) => !isBuiltin(id) && !there.has(id)),
        []
      )
    }
  })
})
