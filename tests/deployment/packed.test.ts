/** The packages as a stranger has them: packed, installed outside the workspace, type-checked and run. */
import { execFile, spawn } from "node:child_process"
import { globSync, mkdirSync, mkdtempSync, realpathSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { type RunningService, startService } from "@threat-exposure/service/testing/TestService"
import { publint } from "publint"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const run = promisify(execFile)

const root = resolve(import.meta.dirname, "../..")
const bin = join(root, "node_modules/.bin")
const core = join(root, "packages/core")
const require = createRequire(import.meta.url)

/** Folders of the published packages, by package name. */
const published = {
  core: "packages/core",
  detect: "packages/detect",
  "leak-check": "packages/leak-check",
  service: "apps/service",
  cli: "apps/cli"
}
/** The documents of each library. */
const documents = {
  core: ["packages/core/README.md", "docs/client.md", "README.md"],
  detect: ["packages/detect/README.md"],
  "leak-check": ["packages/leak-check/README.md"]
}

const versionOf = (part: keyof typeof published): string =>
  JSON.parse(readFileSync(join(root, published[part], "package.json"), "utf8")).version

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

/** Declarations that the fragments of the documents take from the programs around them. */
const surroundings = `import { createClient } from "@threat-exposure/core/promise"
declare global {
  const client: ReturnType<typeof createClient>
}
`

/** The same where they run. */
const client = `import { createClient } from "@threat-exposure/core/promise"
const { THREAT_EXPOSURE_BASE_URL: baseUrl, THREAT_EXPOSURE_TOKEN: token } = process.env
globalThis.client = createClient({ baseUrl, token })
`

/** The code blocks of a library's documents, in order. */
const programsOf = (part: keyof typeof documents): ReadonlyArray<string> =>
  documents[part]
    .flatMap((file) => Array.from(readFileSync(join(root, file), "utf8").matchAll(/^```[jt]s\n(.*?)^```/gmsu)))
    .map(([, code = ""]) => (code.startsWith("import") ? code : `export {}\n${code}`))

/** Commands by name and version of the runtime; undefined if it has no binary for this machine. */
const runtimes = (): { readonly [name: string]: ReadonlyArray<string> | undefined } => {
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

describe("the packed packages", () => {
  let folder = ""
  let service: RunningService | undefined
  const tarball = (part: keyof typeof published) => join(folder, `threat-exposure-${part}-${versionOf(part)}.tgz`)
  const environment = () => ({
    ...process.env,
    THREAT_EXPOSURE_BASE_URL: service?.url,
    THREAT_EXPOSURE_TOKEN: service?.token
  })

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "threat-exposure-packed-"))
    for (const path of Object.values(published)) {
      await run(join(bin, "pnpm"), ["pack", "--pack-destination", folder], { cwd: join(root, path) })
    }
    const dependencies = Object.fromEntries(
      Object.keys(published).map((part) => [
        `@threat-exposure/${part}`,
        `file:./threat-exposure-${part}-${versionOf(part as keyof typeof published)}.tgz`
      ])
    )
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }))
    writeFileSync(join(folder, "program.ts"), program)
    writeFileSync(join(folder, "with-effect.ts"), withEffect)
    writeFileSync(join(folder, "surroundings.d.ts"), surroundings)
    writeFileSync(join(folder, "client.mjs"), client)
    for (const part of ["core", "detect", "leak-check"] as const) {
      for (const [i, code] of programsOf(part).entries()) writeFileSync(join(folder, `${part}-${i}.ts`), code)
    }
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
    await service.load("events", [
      {
        event_type: "paste",
        metadata: {
          uid: "paste/example/1",
          estimated_created_at: "2026-01-01T00:00:00Z",
          severity: "low",
          svc_url: "https://exposure.example.com/1"
        },
        data: { title: "A paste" }
      }
    ])
  })

  afterAll(async () => {
    await service?.stop()
    if (folder !== "") rmSync(folder, { recursive: true, force: true })
  })

  for (const part of Object.keys(published) as ReadonlyArray<keyof typeof published>) {
    it(`${part}: its manifest and its files agree, and its types are those of its modules`, async () => {
      const data = readFileSync(tarball(part))
      const pack = { tarball: Uint8Array.from(data).buffer }
      const { messages } = await publint({ pack, strict: true })
      assert.deepStrictEqual(messages, [])
      if (part === "service" || part === "cli") return
      const modules = globSync("**/*.ts", { cwd: join(root, published[part], "src") })
        .map((file) => file.replace(/\.ts$/u, ""))
        .filter((module) => (part === "core" ? isPublic(module) : !module.startsWith("testing/")))
      const checked = await checkPackage(createPackageFromTarballData(Uint8Array.from(data)), { entrypoints: modules })
      if (checked.types === false) return assert.fail("it has no types")
      // ECMAScript modules only: `require` cannot load them, and what resolves modules as Node 10 did cannot find them.
      const esmOnly = new Set(["node10", "node16-cjs"])
      const problems = checked.problems.filter(
        (problem) => !("resolutionKind" in problem && esmOnly.has(problem.resolutionKind))
      )
      assert.deepStrictEqual(problems, [])
      assert.isAbove(Object.keys(checked.entrypoints).length, 5)
    })
  }

  for (const [moduleResolution, module] of [
    ["nodenext", "nodenext"],
    ["bundler", "esnext"]
  ]) {
    it(`are typed for moduleResolution ${moduleResolution}, their own declarations and the documents' programs checked too`, async () => {
      const config = join(folder, `tsconfig.${moduleResolution}.json`)
      writeFileSync(
        config,
        JSON.stringify({
          files: ["program.ts", "with-effect.ts", "surroundings.d.ts", ...globSync("*-[0-9].ts", { cwd: folder })],
          compilerOptions: {
            moduleResolution,
            module,
            moduleDetection: "force",
            target: "es2024",
            lib: ["es2024", "dom", "dom.asynciterable", "esnext.disposable", "esnext.iterator"],
            strict: true,
            exactOptionalPropertyTypes: true,
            noEmit: true,
            types: ["node"],
            typeRoots: [join(root, "node_modules/@types")]
          }
        })
      )
      await run(join(bin, "tsc"), ["-p", config, "--checkers", "1"]).catch((error) => assert.fail(error.stdout))
    })
  }

  for (const [runtime, command] of Object.entries(runtimes())) {
    it.skipIf(command === undefined)(`core runs against the service, in ${runtime}`, async () => {
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

  it("the programs of the documents print what they say", async () => {
    const repository = join(folder, "repository")
    mkdirSync(join(repository, "config"), { recursive: true })
    const git = (...args: ReadonlyArray<string>) =>
      run("git", ["-C", repository, "-c", "user.name=a", "-c", "user.email=a@example.com", ...args])
    await git("init", "--quiet")
    await git("commit", "--quiet", "--allow-empty", "--message", "first")
    await git("update-ref", "refs/remotes/origin/main", "HEAD")
    const secret = ["tidal", "Wren", "4471", "harbour!"].join("-")
    writeFileSync(join(repository, "config/production.yml"), `database:\n  password: "${secret}"\n`)
    await git("add", ".")
    await git("commit", "--quiet", "--message", "second")

    const printed = async (name: string) => {
      const env = { ...environment(), DB_PASSWORD: "correct-horse" }
      const args = ["--import", join(folder, "client.mjs"), join(folder, name)]
      const { stdout } = await run(process.execPath, args, { cwd: repository, env })
      assert.notInclude(stdout, secret)
      assert.notInclude(stdout, "correct-horse")
      return stdout
    }
    assert.match(await printed("core-0.ts"), /^person4@example\.com undefined <redacted>$/mu)
    assert.match(await printed("core-1.ts"), /^paste 200 \d+\n$/u)
    assert.strictEqual(await printed("core-2.ts"), "paste https://exposure.example.com/1\n")
    assert.match(await printed("core-3.ts"), / 5 credentials$/mu)
    assert.strictEqual(await printed("core-4.ts"), "paste/example/1\n")
    assert.match(await printed("core-5.ts"), /^person4@example\.com undefined <redacted>$/mu)
    assert.match(await printed("detect-0.ts"), /^config\/production\.yml:2 password 0\.\d+ <redacted>$/mu)
    assert.match(await printed("detect-1.ts"), /config\/production\.yml:2 /u)
    assert.match(await printed("leak-check-0.ts"), /^1 value, 1 domain: 4 searches$/mu)
  })

  it("core exports every public module and no internal one", async () => {
    const modules = globSync("**/*.ts", { cwd: join(core, "src") }).map((file) => file.replace(/\.ts$/u, ""))
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

  it("core depends on Effect and nothing else", () => {
    const manifest = JSON.parse(readFileSync(join(folder, "node_modules/@threat-exposure/core/package.json"), "utf8"))
    assert.deepStrictEqual(Object.keys(manifest.dependencies), ["effect"])
  })

  it("core declares its Promise client with the stable modules of Effect only", () => {
    const stable = new Set<string>()
    const seen = new Set<string>()
    const look = (file: string) => {
      if (seen.has(file)) return
      seen.add(file)
      const text = readFileSync(file, "utf8")
      for (const [, specifier = ""] of text.matchAll(/(?:from |import\()"([^"]+)"/gu)) {
        if (!specifier.startsWith(".")) {
          // Effect's modules for HTTP, SQL and the command line can change in a minor version.
          assert.match(specifier, /^effect\/[A-Z]\w+$/u, `${file} imports ${specifier}`)
          stable.add(specifier)
          continue
        }
        // The services that it is derived from; their layers name the HTTP client.
        if (/\/(?:client|transport)\//u.test(specifier)) continue
        look(join(dirname(file), specifier.replace(/\.[jt]s$/u, ".d.ts")))
      }
    }
    look(join(folder, "node_modules/@threat-exposure/core/dist/promise.d.ts"))
    assert.isAbove(seen.size, 8)
    assert.include([...stable], "effect/Schema")
  })

  describe("the installed programs", () => {
    const installed = (name: string) => join(folder, "node_modules/.bin", name)

    for (const [name, node] of [
      [process.versions.node, process.execPath],
      [require("node22.16/package.json").version, require.resolve("node22.16/bin/node")],
      [require("node26/package.json").version, require.resolve("node26/bin/node")]
    ]) {
      it(`the service serves its sample to the command line, in Node ${name}`, async () => {
        const home = mkdtempSync(join(folder, "home-"))
        const serving = spawn(
          node,
          [
            installed("threat-exposure-service"),
            "serve",
            "--sample",
            "--port",
            "0",
            "--database",
            join(home, "s.sqlite")
          ],
          {
            cwd: home,
            stdio: ["ignore", "pipe", "inherit"]
          }
        )
        try {
          const lines = createInterface(serving.stdout)[Symbol.asyncIterator]()
          const url = /^listening on (.+)$/u.exec((await lines.next()).value ?? "")?.[1] ?? ""
          const token = /^token: (.+)$/u.exec((await lines.next()).value ?? "")?.[1] ?? ""
          const { stdout } = await run(
            node,
            [installed("threat-exposure"), "search", "credentials", "--domain", "example.com", "--json"],
            {
              env: { ...process.env, HOME: home, THREAT_EXPOSURE_BASE_URL: url, THREAT_EXPOSURE_TOKEN: token }
            }
          )
          const [first = ""] = stdout.split("\n")
          assert.match(JSON.parse(first).identity_name, /@(?:.+\.)?example\.com$/u)
          const headers = { Authorization: `Bearer ${token}` }
          const answered = await fetch(`${url}/svc/v4/identifier-recommendations/`, { headers })
          assert.strictEqual(answered.status, 200)
          const deletion = ["sample", "delete", "--yes", "--database", join(home, "s.sqlite")]
          const deleted = await run(node, [installed("threat-exposure-service"), ...deletion])
          assert.match(deleted.stdout, /^The sample data is deleted\.$/mu)
        } finally {
          serving.kill()
        }
      })
    }

    it("the service says which Node it needs", async () => {
      const old = run(require.resolve("node22/bin/node"), [installed("threat-exposure-service"), "--version"])
      const { code, stderr } = await old.then(
        () => assert.fail("it ran"),
        (error) => error
      )
      assert.strictEqual(code, 2)
      assert.strictEqual(
        stderr,
        `error: threat-exposure-service needs Node 22.16 or later, or 24 or later; this is ${require("node22/package.json").version}\n`
      )
    })

    it("the command line runs in the oldest Node that it names", async () => {
      const { stdout } = await run(require.resolve("node22/bin/node"), [installed("threat-exposure"), "--version"])
      assert.strictEqual(stdout.trim(), `threat-exposure v${versionOf("cli")}`)
    })

    it.each(["cli", "service"])("%s depends on nothing, and has the licences of what is bundled in it", (part) => {
      const installed = join(folder, "node_modules/@threat-exposure", part)
      assert.match(readFileSync(join(installed, "dist/licenses.txt"), "utf8"), /^effect \d/mu)
      const { dependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))
      assert.isUndefined(dependencies)
    })
  })
})

/** Whether a module of core is public. */
const isPublic = (path: string) =>
  path === "promise" || path === "redaction/SecretMatcher" || /^(?:client|domain|api|testing)\//u.test(path)
