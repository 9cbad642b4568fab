/** The package as a stranger has it: packed, installed outside the workspace, type-checked and run. */
import { execFile } from "node:child_process"
import { globSync, mkdtempSync, realpathSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { promisify } from "node:util"
import { type RunningService, startService } from "@threat-exposure/service/testing/TestService"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const run = promisify(execFile)

const root = resolve(import.meta.dirname, "../..")
const bin = join(root, "node_modules/.bin")
const core = join(root, "packages/core")

const program = `import { createClient, isApiError, NotFound, RateLimited, type ApiError, type Credential } from "@threat-exposure/core/promise"

const client = createClient({ baseUrl: process.argv[2] ?? "", token: process.argv[3] ?? "" })
const found: Array<Credential> = []
for await (const credential of client.credentials.search({ query: { type: "domain", fqdn: "example.com" }, size: 2 })) {
  found.push(credential)
}
console.log(found.map(({ identity_name, hash }) => \`\${identity_name} \${hash} \${hash?.reveal().length}\`).join("\\n"))
try {
  await client.matchingPolicies.delete("no-such-policy", { retries: 0 })
} catch (error) {
  if (error instanceof RateLimited) throw new Error(\`wait for \${error.retryAfter?.toFixed(0)} seconds\`)
  if (!isApiError(error)) throw error
  const failure: ApiError = error
  const faults: number = failure.name === "ValidationFailed" ? failure.detail.length : failure.attempts
  console.log(error instanceof NotFound ? error.name : "something else", faults, client.quota().searchesRemaining)
}
`

const withEffect = `import { layer } from "@threat-exposure/core/client/services"
import { Credentials } from "@threat-exposure/core/client/Credentials"
import { Effect, Stream } from "effect"

const count = Effect.gen(function* () {
  const credentials = yield* Credentials
  return yield* Stream.runCount(credentials.search({ query: { type: "domain", fqdn: "example.com" } }))
})
const services = layer({ baseUrl: process.argv[2] ?? "", token: process.argv[3] ?? "" })
console.log(await Effect.runPromise(Effect.provide(count, services)))
`

/** By name with its version; undefined where there is no binary for this machine. */
const runtimes = (): { readonly [name: string]: ReadonlyArray<string> | undefined } => {
  const require = createRequire(import.meta.url)
  const versionOf = (name: string): string => require(`${name}/package.json`).version
  const binaryOf = (name: string, platformPackage: string, file: string) => {
    try {
      return createRequire(realpathSync(require.resolve(`${name}/package.json`))).resolve(`${platformPackage}/${file}`)
    } catch {
      return undefined
    }
  }
  const { arch, platform } = process
  const bun = binaryOf("bun", `@oven/bun-${platform}-${arch === "arm64" ? "aarch64" : arch}`, "bin/bun")
  const deno = binaryOf("deno", `@deno/${platform}-${arch}${platform === "linux" ? "-glibc" : ""}`, "deno")
  return {
    [`Node ${versionOf("node22")}`]: [require.resolve("node22/bin/node"), "--experimental-strip-types"],
    [`Node ${process.versions.node}`]: [process.execPath],
    [`Bun ${versionOf("bun")}`]: bun === undefined ? undefined : [bun, "run"],
    [`Deno ${versionOf("deno")}`]: deno === undefined ? undefined : [deno, "run", "--allow-net", "--allow-env"]
  }
}

describe("the packed package", () => {
  let folder = ""
  let service: RunningService | undefined

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "threat-exposure-packed-"))
    await run(join(bin, "tsc"), ["-b", join(core, "tsconfig.src.json")])
    await run(join(bin, "pnpm"), ["pack", "--pack-destination", folder], { cwd: core })
    const { version } = JSON.parse(readFileSync(join(core, "package.json"), "utf8"))
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({
        private: true,
        type: "module",
        dependencies: { "@threat-exposure/core": `file:./threat-exposure-core-${version}.tgz` }
      })
    )
    writeFileSync(join(folder, "program.ts"), program)
    writeFileSync(join(folder, "with-effect.ts"), withEffect)
    await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline"], { cwd: folder })

    service = await startService()
    await service.load(
      "credentials",
      Array.from({ length: 5 }, (_, i) => ({
        id: i,
        identity_name: `person${i}@example.com`,
        imported_at: `2026-01-0${i + 1}T00:00:00Z`,
        hash: "correct-horse",
        hash_type: "unknown"
      }))
    )
  }, 240_000)

  afterAll(async () => {
    await service?.stop()
    if (folder !== "") rmSync(folder, { recursive: true, force: true })
  })

  for (const [moduleResolution, module] of [
    ["nodenext", "nodenext"],
    ["bundler", "esnext"]
  ]) {
    it(`is typed for moduleResolution ${moduleResolution}, its own declarations checked too`, async () => {
      const config = join(folder, `tsconfig.${moduleResolution}.json`)
      writeFileSync(
        config,
        JSON.stringify({
          files: ["program.ts"],
          compilerOptions: {
            moduleResolution,
            module,
            target: "es2022",
            lib: ["es2022", "dom", "dom.asynciterable"],
            strict: true,
            exactOptionalPropertyTypes: true,
            noEmit: true,
            types: ["node"],
            typeRoots: [join(root, "node_modules/@types")]
          }
        })
      )
      await run(join(bin, "tsc"), ["-p", config]).catch((error) => assert.fail(error.stdout))
    })
  }

  for (const [runtime, command] of Object.entries(runtimes())) {
    it.skipIf(command === undefined)(`runs against the service, in ${runtime}`, async () => {
      const [file = "", ...flags] = command ?? []
      const args = [service?.url ?? "", service?.token ?? ""]
      const { stdout: version } = await run(file, ["--version"])
      assert.include(version, runtime.split(" ")[1] ?? "")
      const options = { cwd: folder, env: { ...process.env, DENO_NO_UPDATE_CHECK: "1", DO_NOT_TRACK: "1" } }
      const { stdout } = await run(file, [...flags, "program.ts", ...args], options)
      const lines = stdout.trim().split("\n")
      assert.deepStrictEqual(
        lines.slice(0, 5).toSorted(),
        Array.from({ length: 5 }, (_, i) => `person${i}@example.com <redacted> 13`)
      )
      assert.match(lines[5] ?? "", /^NotFound 1 \d+$/u)
      const { stdout: counted } = await run(file, [...flags, "with-effect.ts", ...args], options)
      assert.strictEqual(counted.trim(), "5")
    })
  }

  it("exports every public module and no internal one", async () => {
    const modules = globSync("**/*.ts", { cwd: join(core, "src") }).map((file) => file.replace(/\.ts$/u, ""))
    const isPublic = (path: string) => path === "promise" || /^(?:client|domain|api|testing)\//u.test(path)
    assert.isTrue(modules.some((path) => path.startsWith("transport/")))
    const files = ["", "dist/transport/Scrubber.js", "src/transport/Scrubber.ts", "package.json"]
    const importing = `
      const outcomes = {}
      for (const path of JSON.parse(process.argv[1])) {
        outcomes[path] = await import("@threat-exposure/core/" + path).then(() => "imported", ({ code }) => code)
      }
      console.log(JSON.stringify(outcomes))`
    const args = ["--input-type=module", "--eval", importing, JSON.stringify([...modules, ...files])]
    const { stdout } = await run(process.execPath, args, { cwd: folder })
    assert.deepStrictEqual(
      JSON.parse(stdout),
      Object.fromEntries(
        [...modules, ...files].map((path) => [path, isPublic(path) ? "imported" : "ERR_PACKAGE_PATH_NOT_EXPORTED"])
      )
    )
  })

  it("declares its Promise face without a word of Effect", () => {
    const seen = new Set<string>()
    const look = (file: string) => {
      if (seen.has(file)) return
      seen.add(file)
      const text = readFileSync(file, "utf8")
      assert.notMatch(
        text.replace(/\/\*[\s\S]*?\*\//gu, ""),
        /\beffect\b|\bEffect\b|\bStream\b|\bRedacted\b|\bany\b/u,
        file
      )
      for (const [, specifier = ""] of text.matchAll(/from "([^"]+)"/gu)) {
        assert.match(specifier, /^\.\.?\//u, `${file} imports ${specifier}`)
        look(join(dirname(file), specifier.replace(/\.[jt]s$/u, ".d.ts")))
      }
    }
    look(join(folder, "node_modules/@threat-exposure/core/dist/promise.d.ts"))
    assert.isAbove(seen.size, 8)
  })
})
