/**
 * Rehearses a release: does everything but publish. The packages go to a registry on this machine; then somebody who has
 * nothing but an empty folder and a home installs and runs each part, in every runtime that is supported.
 *
 *     npm run release:rehearse -- [FOLDER]
 *
 * FOLDER has the files of a release, as `npm run release` collects them. Without it, they are built and collected first.
 * Exits with 1 where something does not work.
 */
import { execFile, execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join, resolve, sep } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { leakedSecrets } from "@threat-exposure/sample/LeakedSecrets"
import { unzipSync } from "fflate"
import { parse } from "yaml"
import { argumentsOf, refuse } from "./Arguments.ts"
import { startLocalRegistry } from "./LocalRegistry.ts"

const run = promisify(execFile)
const root = fileURLToPath(new URL("..", import.meta.url))
const {
  positionals: [given]
} = argumentsOf("npm run release:rehearse -- [FOLDER]", { most: 1, options: {} })

const work = mkdtempSync(join(tmpdir(), "threat-exposure-rehearsal-"))
const say = (line: string) => console.log(line)

const collectRelease = (): string => {
  const folder = join(work, "release")
  const steps = [
    ["build"],
    ["package"],
    ["release", "--", folder, "apps/vscode/threat-exposure.vsix", "apps/cli/dist/threat-exposure.mjs"]
  ]
  for (const [name = "", ...args] of steps) {
    say(`npm run ${name} …`)
    execFileSync("npm", ["run", "--silent", name, ...args], { cwd: root, stdio: ["ignore", "pipe", "inherit"] })
  }
  return folder
}
const release = given === undefined ? collectRelease() : resolve(process.env["INIT_CWD"] ?? process.cwd(), given)
if (!existsSync(join(release, "SHA256SUMS"))) refuse(`${release} has no SHA256SUMS: give the folder of a release`)
const { version }: { readonly version: string } = JSON.parse(
  readFileSync(join(root, "packages/core/package.json"), "utf8")
)

/** The last lines of what a failed program printed. */
const reasonOf = (error: unknown) => {
  const { message, stderr, stdout } = Object(error)
  const printed = `${String(stdout ?? "")}${String(stderr ?? "")}`.trim()
  return printed === "" ? String(message ?? error) : printed.split("\n").slice(-15).join("\n")
}

const failures: Array<string> = []
const step = async (name: string, action: () => Promise<void>) => {
  const start = performance.now()
  const failure = await action().then(() => undefined, reasonOf)
  if (failure !== undefined) failures.push(name)
  say(`${failure === undefined ? "✓" : "✗"} ${name} (${((performance.now() - start) / 1000).toFixed(0)} s)`)
  if (failure !== undefined) say(failure.replaceAll(/^/gmu, "    "))
}
const expect = (holds: boolean, problem: string) => {
  if (!holds) throw new Error(problem)
}

const upstream = execFileSync("npm", ["config", "get", "registry"], { cwd: tmpdir(), encoding: "utf8" }).trim()
const registry = await startLocalRegistry(upstream, "@threat-exposure")
const npmrc = [
  `registry=${registry.url}`,
  // npm publishes only with a token.
  `${registry.url.replace("http:", "")}:_authToken=none`,
  "audit=false",
  "fetch-retries=1",
  "fund=false",
  "update-notifier=false"
].join("\n")

/** The machine's way to the network. */
const network = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(?:https?_proxy|no_proxy|(?:node_extra_ca|node_use_system_ca|ssl_cert|deno_cert|deno_tls_ca_store).*)$/iu.test(
      name
    )
  )
)

/** The PATH without the programs of this repository. */
const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes(`${sep}node_modules`))

/** Makes a home directory with one empty folder; `programs` are the folders of the runtime. */
const stranger = (name: string, programs: ReadonlyArray<string> = []) => {
  const home = join(work, name)
  const folder = join(home, "project")
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(home, ".npmrc"), npmrc)
  const env = {
    ...network,
    PATH: [...programs, ...path].join(delimiter),
    HOME: home,
    NPM_CONFIG_REGISTRY: registry.url,
    DENO_NO_UPDATE_CHECK: "1",
    DO_NOT_TRACK: "1"
  }
  return {
    folder,
    env,
    write: (file: string, text: string) => writeFileSync(join(folder, file), text),
    /** Standard output. */
    run: async (command: string, args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) =>
      (await run(command, args, { cwd: folder, env: { ...env, ...more }, maxBuffer: 64 * 1024 * 1024 })).stdout,
    /** The exit code and the output. A program that ends with 0 is an error. */
    fail: async (command: string, args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) => {
      try {
        await run(command, args, { cwd: folder, env: { ...env, ...more } })
      } catch (error) {
        const { code, stderr, stdout } = Object(error)
        return { code: Number(code), printed: `${String(stdout)}${String(stderr)}` }
      }
      throw new Error(`${command} ${args.join(" ")} ended with 0`)
    }
  }
}
type Stranger = ReturnType<typeof stranger>

/** The commands of the documents that start with `npx`; COMMAND stands for any. */
const documentedCommands = ["apps/cli/README.md", "apps/service/README.md", "docs/service.md"].flatMap((file) =>
  Array.from(
    readFileSync(join(root, file), "utf8").matchAll(/^npx (@threat-exposure\/.*?)(?: +#.*)?$/gmu),
    ([, words = ""]) => words.replace("COMMAND", "keys --help").split(" ")
  )
)

const programOf = (file: string): string =>
  /^```ts\n(.*?)^```/msu.exec(readFileSync(join(root, file), "utf8"))?.[1] ?? ""

const client = `import { createClient } from "@threat-exposure/core/promise"
const client = createClient({ baseUrl: process.env.THREAT_EXPOSURE_BASE_URL, token: process.env.THREAT_EXPOSURE_TOKEN })
let count = 0
for await (const { identity_name } of client.credentials.search({ query: { type: "domain", fqdn: "example.com" }, size: 50 })) {
  if (identity_name !== undefined) count++
  if (count === 60) break
}
console.log(count)
`
const typedClient = `import { createClient, type Credential } from "@threat-exposure/core/promise"
const { THREAT_EXPOSURE_BASE_URL: baseUrl = "", THREAT_EXPOSURE_TOKEN: token = "" } = process.env
const client = createClient({ baseUrl, token })
const found: Array<Credential> = []
for await (const credential of client.credentials.search({ query: { type: "domain", fqdn: "example.com" }, size: 50 })) {
  if (found.push(credential) === 60) break
}
console.log(found.length)
`

/** The variables with which the programs reach a service. */
type Access = Readonly<Record<"THREAT_EXPOSURE_BASE_URL" | "THREAT_EXPOSURE_TOKEN", string>>

/** Starts the documented command that serves, and ends all that it started afterwards. */
const serving = async (someone: Stranger, work: (access: Access) => Promise<void>) => {
  const command = documentedCommands.find(([, word]) => word === "serve") ?? []
  const child = spawn("npx", ["--yes", ...command, "--port", "0"], {
    cwd: someone.folder,
    env: someone.env,
    stdio: ["ignore", "pipe", "pipe"]
  })
  let printed = ""
  child.stderr.on("data", (chunk) => (printed += String(chunk)))
  const ended = new Promise((resolve) => child.once("close", resolve))
  try {
    for await (const line of createInterface(child.stdout)) {
      printed += `${line}\n`
      const token = /^token: (\S+)$/u.exec(line)?.[1]
      if (token === undefined) continue
      const url = /^listening on (\S+)$/mu.exec(printed)?.[1] ?? ""
      await work({ THREAT_EXPOSURE_BASE_URL: url, THREAT_EXPOSURE_TOKEN: token })
      return
    }
    throw new Error(`The service ended:\n${printed}`)
  } finally {
    // The service notices that npx has ended, and stops too.
    child.kill()
    child.stdout.resume()
    await ended
  }
}

/** A repository with a value that is in the sample data. */
const writeRepository = async (someone: Stranger) => {
  mkdirSync(join(someone.folder, "config"))
  someone.write("config/production.yml", `database:\n  password: "${leakedSecrets.databasePassword.value}"\n`)
  await someone.run("git", ["init", "--quiet"])
}

const checkFindsLeak = async (someone: Stranger, access: Access) => {
  const { code, printed } = await someone.fail("npx", ["--yes", "@threat-exposure/cli", "check", "--tree"], access)
  expect(code === 1 && /^verdict: leaked/mu.test(printed), `check ended with ${code}:\n${printed}`)
  expect(!printed.includes(leakedSecrets.databasePassword.value), "check printed the secret")
}

const clientCounts = async (someone: Stranger, access: Access, command: string, ...args: ReadonlyArray<string>) => {
  const printed = await someone.run(command, args, access)
  expect(printed.trim() === "60", `${args.join(" ")} printed ${printed}`)
}

const libraries = ["core", "detect", "leak-check"].map((name) => `@threat-exposure/${name}`)
const module = JSON.stringify({ private: true, type: "module" })

const rehearseInNode = (name: string, folder: string) =>
  step(`Node ${name}: the service, the command line and the libraries, as the documents say`, async () => {
    const someone = stranger(`node-${name}`, [folder])
    await serving(stranger(`node-${name}-service`, [folder]), async (access) => {
      await writeRepository(someone)
      await checkFindsLeak(someone, access)
      someone.write("package.json", module)
      await someone.run("npm", ["install", ...libraries, "effect"])
      someone.write("client.js", client)
      someone.write("client.ts", typedClient)
      someone.write("find.mts", programOf("packages/detect/README.md"))
      someone.write("check.mts", programOf("packages/leak-check/README.md"))
      await clientCounts(someone, access, "node", "client.js")
      await clientCounts(someone, access, "node", "client.ts")
      const found = await someone.run("node", ["find.mts"])
      expect(/^config\/production\.yml:2 password .*<redacted>$/mu.test(found), `find.mts printed ${found}`)
      const checked = await someone.run("node", ["check.mts"], { ...access, DB_PASSWORD: "correct-horse" })
      expect(/^1 value, 1 domain: 4 searches$/mu.test(checked), `check.mts printed ${checked}`)
    })
  })

const rehearseInOldNode = (name: string, folder: string) =>
  step(`Node ${name}: every part says which Node it needs`, async () => {
    const someone = stranger(`node-${name}`, [folder])
    for (const program of ["cli", "service"]) {
      const { code, printed } = await someone.fail("npx", ["--yes", `@threat-exposure/${program}`, "--version"])
      expect(code === 2 && printed.includes("needs Node 22"), `${program} ended with ${code}:\n${printed}`)
    }
    someone.write("package.json", module)
    for (const library of libraries) {
      const { printed } = await someone.fail("npm", ["install", "--engine-strict", library])
      expect(printed.includes("EBADENGINE"), printed)
    }
  })

try {
  await step("the checksums of the release hold", async () => {
    await run("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: release })
  })

  await step("the packages are published to a registry on this machine", async () => {
    const publisher = stranger("publisher")
    const files = readdirSync(release).filter((file) => file.endsWith(".tgz"))
    expect(files.length === 5, `The release has ${files.length} packages`)
    for (const file of files) await publisher.run("npm", ["publish", join(release, file), "--access", "public"])
  })

  const { arch, platform } = process
  const node = `node-${platform === "win32" ? "win" : platform}-${arch}`
  const bun = `@oven/bun-${platform}-${arch === "arm64" ? "aarch64" : arch}`
  const deno = `@deno/${platform}-${arch}${platform === "linux" ? "-glibc" : ""}`
  const versions = ["20", "22", "24", "latest"]
  const runtimes = stranger("runtimes")
  await step("the runtimes are installed", async () => {
    runtimes.write("package.json", module)
    const named = versions.map((name) => `node-${name}@npm:${node}@${name}`)
    await runtimes.run("npm", ["install", "--ignore-scripts", ...named, bun, deno])
  })
  const installed = (name: string) => join(runtimes.folder, "node_modules", name)
  const nodeFolder = (name: string) => join(installed(`node-${name}`), "bin")

  const [oldest = "", ...supported] = versions
  await rehearseInOldNode(oldest, nodeFolder(oldest))
  for (const name of supported) await rehearseInNode(name, nodeFolder(name))

  await serving(stranger("service", [nodeFolder("24")]), async (access) => {
    await step("the command line: every command of the documents that does not serve", async () => {
      const someone = stranger("commands", [nodeFolder("24")])
      const commands = documentedCommands.filter(([, word]) => word !== "serve")
      expect(commands.length === 2, `The documents have ${commands.length} commands`)
      for (const command of commands) {
        const printed = await someone.run("npx", ["--yes", ...command])
        expect(/^USAGE$/mu.test(printed), `${command.join(" ")} printed ${printed}`)
      }
    })

    await step("TypeScript: the client is typed for a program of its own", async () => {
      const someone = stranger("typescript", [nodeFolder("24")])
      someone.write("package.json", module)
      someone.write("client.ts", typedClient)
      await someone.run("npm", ["install", "@threat-exposure/core", "typescript", "@types/node"])
      await someone.run("npx", ["tsc", "--noEmit", "--strict", "--module", "nodenext", "--types", "node", "client.ts"])
    })

    await step("pnpm: every package runs", async () => {
      const someone = stranger("pnpm", [nodeFolder("24")])
      someone.write("package.json", module)
      someone.write("check.mts", programOf("packages/leak-check/README.md"))
      const programs = ["cli", "service"].map((name) => `@threat-exposure/${name}`)
      await someone.run("npx", ["--yes", "pnpm", "add", ...libraries, ...programs, "effect"])
      for (const name of ["threat-exposure", "threat-exposure-service"]) {
        const printed = await someone.run(join(someone.folder, "node_modules/.bin", name), ["--version"])
        expect(printed.trim() === `${name} v${version}`, `${name} --version printed ${printed}`)
      }
      const checked = await someone.run("node", ["check.mts"], { ...access, DB_PASSWORD: "correct-horse" })
      expect(/^1 value, 1 domain: 4 searches$/mu.test(checked), `check.mts printed ${checked}`)
    })

    await step("Bun: the client", async () => {
      const someone = stranger("bun", [join(installed(bun), "bin")])
      someone.write("package.json", module)
      someone.write("client.ts", typedClient)
      await someone.run("bun", ["add", "@threat-exposure/core"])
      await clientCounts(someone, access, "bun", "run", "client.ts")
    })

    await step("Deno: the client", async () => {
      const someone = stranger("deno", [installed(deno)])
      someone.write("package.json", module)
      someone.write("client.ts", typedClient)
      await someone.run("deno", ["add", "npm:@threat-exposure/core"])
      await clientCounts(someone, access, "deno", "run", "--allow-net", "--allow-env", "client.ts")
    })

    await step("the file of the command line runs alone", async () => {
      const someone = stranger("file", [nodeFolder("24")])
      const printed = await someone.run("node", [join(release, "threat-exposure.mjs"), "--version"])
      expect(printed.trim() === `threat-exposure v${version}`, `--version printed ${printed}`)
    })

    await step("the extension has what its manifest names", async () => {
      const files = unzipSync(readFileSync(join(release, "threat-exposure.vsix")))
      const text = (name: string) => Buffer.from(files[`extension/${name}`] ?? "").toString()
      const manifest = JSON.parse(text("package.json"))
      expect(manifest.version === version, `Its version is ${manifest.version}`)
      const named = [manifest.main, manifest.browser, manifest.icon, "dist/licenses.txt", "LICENSE.txt"]
      for (const name of named) {
        const file = String(name).replace(/^\.\//u, "")
        const found = [file, `${file}.js`].some((name) => text(name) !== "")
        expect(found, `It has no ${file}, only ${Object.keys(files).join(", ")}`)
      }
      const stray = Object.keys(files).filter((name) => /\.ts$|\.map$|node_modules/u.test(name))
      expect(stray.length === 0, `It has ${stray.join(", ")}`)
    })

    await step("the action runs from a tag", async () => {
      const someone = stranger("action", [nodeFolder("24")])
      await writeRepository(someone)
      const origin = join(work, "origin.git")
      const tag = `v${version}`
      await run("git", ["clone", "--quiet", "--bare", root, origin])
      await run("git", ["-C", origin, "tag", "--force", tag, "HEAD"])
      const action = join(work, "action-of-tag")
      await run("git", ["clone", "--quiet", "--depth", "1", "--branch", tag, `file://${origin}`, action])
      const { runs } = parse(readFileSync(join(action, "action.yml"), "utf8"))
      const written = (name: string, text: string) => {
        const file = join(dirname(someone.folder), name)
        writeFileSync(file, text)
        return file
      }
      const output = written("output", "")
      const inputs = { "base-url": access.THREAT_EXPOSURE_BASE_URL, token: access.THREAT_EXPOSURE_TOKEN, scan: "tree" }
      const { code, printed } = await someone.fail("node", [join(action, runs.main)], {
        GITHUB_ACTIONS: "true",
        GITHUB_WORKSPACE: someone.folder,
        GITHUB_REPOSITORY: "example/checkout",
        GITHUB_EVENT_NAME: "workflow_dispatch",
        GITHUB_EVENT_PATH: written("event.json", "{}"),
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: written("summary.md", ""),
        GITHUB_SERVER_URL: "https://github.com",
        GITHUB_API_URL: "http://127.0.0.1:9",
        RUNNER_TEMP: dirname(someone.folder),
        ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]))
      })
      const isLeaked = /^verdict<<(\S+)\nleaked\n\1$/mu.test(readFileSync(output, "utf8"))
      expect(code === 1 && isLeaked, `It ended with ${code}:\n${printed}`)
    })
  })
} finally {
  registry.stop()
  rmSync(work, { recursive: true, force: true, maxRetries: 5 })
}

for (const failure of failures) say(`✗ ${failure}`)
say(failures.length === 0 ? "The release can be published" : `${failures.length} steps failed`)
process.exitCode = failures.length === 0 ? 0 : 1
