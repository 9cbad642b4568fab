/**
 * Every code block of the documents: run here as a reader would run it, or by the test named in `testedBy`, or on the
 * list `notRun` with the reason.
 */
import { execFileSync } from "node:child_process"
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { createClient } from "@threat-exposure/core/promise"
import { leakedSecrets } from "@threat-exposure/sample/LeakedSecrets"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { parse } from "yaml"
import { startScript } from "../e2e/Script.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

interface Block {
  readonly document: string
  readonly line: number
  readonly language: string
  readonly text: string
}

const pages = globSync("{*,docs/*,packages/*/*,apps/*/*,examples/*}.md", { cwd: root })
  .filter((document) => basename(document) !== "CHANGELOG.md")
  .toSorted()
  .map((document) => ({ document, page: readFileSync(join(root, document), "utf8") }))

const blocks: ReadonlyArray<Block> = pages.flatMap(({ document, page }) =>
  Array.from(page.matchAll(/^```(\w*)\n(.*?)^```$/gmsu), ({ 1: language = "", 2: text = "", index }) => ({
    document,
    line: page.slice(0, index).split("\n").length,
    language,
    text
  }))
)

/** The environment of this process, except what npm and the tests set for their own programs. */
const inherited = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:INIT_CWD$|DBUS_|THREAT_EXPOSURE_)/u.test(name))
)

/** The blocks that another test runs, by document. Without an opening, all of the document. */
const testedBy: ReadonlyArray<readonly [document: string, test: string, opening?: RegExp]> = [
  ["README.md", "tests/documents/demo.test.ts", /^npm run demo /u],
  ["README.md", "apps/action/test/documents.test.ts", /^- uses: /u],
  ["apps/action/README.md", "apps/action/test/documents.test.ts"],
  ["apps/cli/README.md", "tests/deployment/packed.test.ts"],
  ["apps/service/README.md", "tests/deployment/packed.test.ts"],
  ["README.md", "tests/e2e/vscode/demonstration.test.ts", /^npm run vscode$/mu],
  ["docs/action.md", "apps/action/test/documents.test.ts"],
  ["docs/api.md", "tests/contract/api-examples.test.ts"],
  ["docs/ci.md", "tests/e2e/cli/ci.test.ts"],
  ["docs/cli.md", "tests/e2e/cli/monitoring.test.ts", /^groups:$/mu],
  ["docs/client.md", "tests/deployment/packed.test.ts"],
  ["docs/detection.md", "packages/detect/test/documents.test.ts", /^(?:import type \{ Rule \}|const row = )/u],
  ["docs/extension.md", "tests/e2e/vscode/beyondViews.test.ts"],
  ["docs/mcp.md", "tests/e2e/cli/mcp.test.ts"],
  ["docs/opensearch.md", "apps/service/test/documents.test.ts", /^(?:export .*\n)?threat-exposure-service /u],
  ["docs/service.md", "apps/service/test/documents.test.ts", /^threat-exposure-service /u],
  ["packages/core/README.md", "tests/deployment/packed.test.ts"],
  ["packages/detect/README.md", "tests/deployment/packed.test.ts"],
  ["packages/leak-check/README.md", "tests/deployment/packed.test.ts"]
]

/** The blocks that no test runs, and why. Commands are at least parsed by a shell, and the files that they name exist. */
const notRun: ReadonlyArray<readonly [document: string, opening: RegExp, reason: string]> = [
  ["ARCHITECTURE.md", /^flowchart/u, "a drawing"],
  [
    "README.md",
    /^npm install --global /u,
    "it needs the registry; packed.test.ts installs the same packages from files"
  ],
  ["CONTRIBUTING.md", /^npm test/u, "all tests, and commands that take hours or change files; their scripts exist"],
  [
    "docs/detection.md",
    /^node tools\/with-node\.mjs node packages\/detect\/test\/writeWeights\.ts/u,
    "it changes a source; Corpus.test.ts trains"
  ],
  ["docs/service.md", /^useradd /u, "it needs root and systemd; tests/deployment/deploy.test.ts checks the unit"],
  ["docs/service.md", /^docker build /u, "it needs Docker; check-container.sh runs in a workflow"],
  ["docs/cli.md", /^docker build /u, "it needs Docker; check-container.sh runs in a workflow"],
  ["docs/opensearch.md", /^cd apps\/service\/deploy\/cluster\n/u, "it needs Docker; check.sh runs in a workflow"]
]

const ran = new Set<Block>()
/** The block of a document that matches; marked as run. */
const block = (document: string, opening: RegExp): string => {
  const [found, ...others] = blocks.filter((block) => block.document === document && opening.test(block.text))
  assert.isDefined(found, `${document} has a block that matches ${opening}`)
  assert.isEmpty(others)
  if (found !== undefined) ran.add(found)
  return found?.text ?? ""
}

describe("the documents", () => {
  const folder = mkdtempSync(join(tmpdir(), "threat-exposure-documents-"))
  /** The scripts that a test started and that have not ended. */
  const started = new Set<ReturnType<typeof startScript>>()
  let address = ""
  let token = ""
  let log = ""

  /** A script as a person runs it in `folder`, with the commands of this repository. */
  const start = (script: string, env: Readonly<Record<string, string>> = {}, input = "", cwd = folder) => {
    const here = script
      .replaceAll(/^(.*)\bnpm run (?!--)/gmu, `$1npm --prefix '${root}' run --silent `)
      .replaceAll(/^threat-exposure /gmu, `npm --prefix '${root}' run --silent cli -- `)
      .replaceAll("http://127.0.0.1:8787", address)
    const running = startScript(`set -o pipefail\n${here}`, {
      cwd,
      // Sign-ins are stored in this folder, because without a session bus there is no keyring.
      env: { ...inherited, XDG_CONFIG_HOME: join(folder, "config"), ...env },
      input
    })
    started.add(running)
    const forget = () => started.delete(running)
    running.closed.then(forget, forget)
    return running
  }
  const run = async (...args: Parameters<typeof start>) => {
    const { closed, outputs } = start(...args)
    return { code: await closed, ...outputs }
  }
  const succeeds = async (...args: Parameters<typeof start>) => {
    const { code, stderr, stdout } = await run(...args)
    assert.strictEqual(code, 0, `${args[0]}\n${stdout}${stderr}`)
    return stdout
  }
  const until = async (holds: () => boolean, what: string) => {
    for (let tries = 0; !holds(); tries++) {
      assert.isBelow(tries, 1200, what)
      await sleep(50)
    }
  }

  beforeAll(async () => {
    const script = block("README.md", /^npm run service -- serve --sample\n$/u).trim()
    const database = join(folder, "sample.sqlite")
    const { outputs } = start(`${script} --port 0 --log json --database '${database}'`)
    await until(() => /^token: .+$/mu.test(outputs.stdout), "the service starts")
    address = /^listening on (.+)$/mu.exec(outputs.stdout)?.[1] ?? ""
    token = /^token: (.+)$/mu.exec(outputs.stdout)?.[1] ?? ""
    const { status } = await fetch(`${address}/svc/v4/events/global/_search`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ size: 1 })
    })
    assert.strictEqual(status, 200)
    await until(() => /"events\.search".*\}\n/u.test(outputs.stderr), "the request is logged")
    log = outputs.stderr
  })

  afterAll(async () => {
    for (const { end } of started) end()
    await until(() => started.size === 0, "everything that was started ends")
    rmSync(folder, { recursive: true, force: true })
  })

  it("README.md signs in, checks, lists, triages and feeds", async () => {
    const [login = "", check = "", accounts = "", identifiers = "", remediate = "", feed = "", ...others] = block(
      "README.md",
      /^npm run cli -- login /u
    )
      .trim()
      .split("\n")
    assert.isEmpty(others)
    execFileSync("git", ["init", "--quiet", folder])
    await succeeds(login, {}, `${token}\n`)
    writeFileSync(join(folder, "prod.env"), `DB_PASSWORD=${leakedSecrets.databasePassword.value}\n`)
    const checked = await run(`${check.replace(/ +#.*/u, "")} --paths prod.env`)
    assert.strictEqual(checked.code, 1, checked.stderr)
    assert.include(checked.stdout, "prod.env:1")
    assert.notInclude(checked.stdout + checked.stderr, leakedSecrets.databasePassword.value)
    assert.include(await succeeds(accounts), "inesholloway@example.com")
    assert.match(await succeeds(identifiers), /^\d+ +enabled +domain +example\.com /mu)
    const openEvents = async () => {
      const response = await fetch(`${address}/svc/v4/events/tenant/_search`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ size: 10 })
      })
      return response.text()
    }
    const uid = remediate.split(" ").find((word) => word.startsWith("bot/")) ?? ""
    assert.include(await openEvents(), JSON.stringify(uid))
    await succeeds(remediate)
    assert.notInclude(await openEvents(), JSON.stringify(uid))
    const events = join(folder, "events.ndjson")
    const feeding = start(feed)
    await until(() => existsSync(events) && readFileSync(events, "utf8").includes("\n"), "the feed writes events")
    feeding.end()
    await feeding.closed
    rmSync(events)
    rmSync(join(folder, "feed.json"))
  })

  it("README.md has a program that prints what it says", async () => {
    writeFileSync(join(folder, "mine.ts"), block("README.md", /^import \{ createClient \}/u))
    // The README saves it in a folder with these packages.
    symlinkSync(join(root, "examples/node_modules"), join(folder, "node_modules"))
    const script = block("README.md", /npm run example -- examples\/mine\.ts/u)
      .replace("…", token)
      .replace("examples/mine.ts", join(folder, "mine.ts"))
    const printed = await succeeds(script, { THREAT_EXPOSURE_BASE_URL: address })
    const said = block("README.md", /<redacted>\n…\n$/u).replace("…\n", "")
    assert.isTrue(printed.startsWith(said), printed)
  })

  it("examples/README.md runs an example", async () => {
    const script = block("examples/README.md", /^export /u)
      .replace("https://api.example.com", address)
      .replace("…", token)
      .replace(" examples/", ` ${root}examples/`)
    assert.match(await succeeds(script), /^example\.com: \d+ accounts leaked/mu)
    // A shell reports the status of the last command of a pipe only.
    const cut = script.replace(/^npm run example .*$/mu, "($& || echo failed >&2) | head -n 1")
    const { stderr } = await run(cut)
    assert.notInclude(stderr, "failed")
  })

  it("docs/feed.md feeds the events of an identifier", async () => {
    const client = createClient({ baseUrl: address, token })
    const create = () => client.identifiers.createV2({ name: "Example", data: { type: "domain", fqdn: "example.com" } })
    while ((await create()).id < 42);
    const feeding = start(block("docs/feed.md", /^threat-exposure feed /u), {
      THREAT_EXPOSURE_BASE_URL: address,
      THREAT_EXPOSURE_TOKEN: token
    })
    const events = join(folder, "events.ndjson")
    // Read while it runs: a feed that ends in the middle of a batch takes its lines back.
    let written = ""
    const isWritten = () => {
      written = existsSync(events) ? readFileSync(events, "utf8") : ""
      return written.includes("\n")
    }
    await until(isWritten, "the feed writes events")
    feeding.end()
    await feeding.closed
    const [first = ""] = written.split("\n")
    assert.hasAllKeys(JSON.parse(first), ["uid", "first_seen_by_feed", "event"])
  })

  it("docs/service.md installs the service, and runs it in each way that it names", async () => {
    const repository = join(folder, "repository.git")
    const installed = join(folder, "opt")
    execFileSync("git", ["clone", "--quiet", "--bare", root, repository])
    const script = block("docs/service.md", /^git clone /u)
      .replace("REPOSITORY", repository)
      .replaceAll("/opt/threat-exposure", installed)
    const tag = /--branch (\S+)/u.exec(script)?.[1] ?? ""
    execFileSync("git", ["-C", repository, "tag", "--force", tag, "HEAD"])
    await succeeds(script)
    assert.isFalse(existsSync(join(installed, "node_modules/typescript")))

    const [, ofClone = "", ofFolder = "", ...others] = block("docs/service.md", /^npx @threat-exposure\/service /u)
      .trim()
      .replaceAll("COMMAND", "keys --help")
      .replaceAll("/opt/threat-exposure", installed)
      .split("\n")
    assert.isEmpty(others)
    for (const line of [ofClone, ofFolder]) assert.include(await succeeds(line), "threat-exposure-service keys")

    const asUser = block("docs/service.md", /^cd \/var\/lib\/threat-exposure\n/u)
      .replace("sudo --user threat-exposure ", "")
      .replaceAll("/opt/threat-exposure", installed)
      .replaceAll("/var/lib/threat-exposure", folder)
      .replaceAll("/etc/threat-exposure", folder)
    await succeeds(asUser)

    const [, user = "", nightly = ""] = /^0 3 \* \* \* (\S+) (.+)$/mu.exec(block("docs/service.md", /^0 3 /u)) ?? []
    assert.strictEqual(user, "threat-exposure")
    mkdirSync(join(folder, "backup"))
    await succeeds(
      nightly
        // cron passes the line to the shell without these backslashes.
        .replaceAll(String.raw`\%`, "%")
        .replaceAll("/opt/threat-exposure", installed)
        .replaceAll("/var/lib/threat-exposure", folder)
        .replaceAll("/etc/threat-exposure", folder)
        .replaceAll("/backup/", `${folder}/backup/`)
    )
    assert.lengthOf(globSync("backup/service-[0-7].sqlite", { cwd: folder }), 1)
  })

  it("docs/service.md shows a line of the log as it is", () => {
    const shown = JSON.parse(block("docs/service.md", /^\{\n {2}"time"/u))
    const logged = log
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .find(({ operation }) => operation === "events.search")
    assert.deepStrictEqual(
      Object.entries(logged).map(([name, value]) => [name, typeof value]),
      Object.entries(shown).map(([name, value]) => [name, typeof value])
    )
  })

  it("docs/service.md configures Prometheus with rules that exist and the default address", async () => {
    const config = parse(block("docs/service.md", /^# prometheus\.yml\n/u))
    for (const file of config.rule_files) assert.isTrue(existsSync(join(root, "apps/service/deploy", file)))
    const help = await succeeds("npm run service -- serve --help")
    const [host, port] = config.scrape_configs[0].static_configs[0].targets[0].split(":")
    assert.match(help, new RegExp(`--host .*default: ${host}`, "u"))
    assert.match(help, new RegExp(`--port .*default: ${port}`, "u"))
  })

  describe("what is not run", () => {
    const commands = notRun.flatMap(([document, opening]) =>
      blocks.filter((block) => block.document === document && block.language === "sh" && opening.test(block.text))
    )

    it("contains commands that a shell parses, with files that exist", () => {
      assert.isAbove(commands.length, 3)
      for (const { document, text } of commands) {
        execFileSync("bash", ["-n", "-c", text], { stdio: "pipe" })
        const files = text.matchAll(/(?:\/opt\/threat-exposure\/|(?<= ))((?:apps|packages)\/[\w/.-]+)/gu)
        for (const [, file = ""] of files) assert.isTrue(existsSync(join(root, file)), `${document}: ${file}`)
      }
    })

    it("contains scripts that exist, and programs of this repository with flags that they have", async () => {
      const scripts = Object.assign(
        {},
        ...globSync("{,packages/*/}package.json", { cwd: root }).map(
          (file) => JSON.parse(readFileSync(join(root, file), "utf8")).scripts
        )
      )
      const named = pages.flatMap(({ page }) => Array.from(page.matchAll(/\bnpm (?:run (?:-s )?([a-z:]+)|test\b)/gu)))
      assert.isAbove(named.length, 10)
      for (const [, name = "test"] of named) assert.property(scripts, name)
      const measured = pages.flatMap(({ page }) => Array.from(page.matchAll(/\bnpm run bench -- ([a-z -]+)/gu)))
      assert.isAbove(measured.length, 5)
      for (const [, names = ""] of measured) {
        for (const name of names.trim().split(" ")) assert.isTrue(existsSync(join(root, "bench", `${name}.ts`)), name)
      }

      const calls = commands.flatMap(({ text }) =>
        Array.from(text.replaceAll("\\\n", " ").matchAll(/main\.ts ([a-z ]+)(--.*)$/gmu))
      )
      assert.isAbove(calls.length, 1)
      for (const [, command = "", flags = ""] of calls) {
        const help = await succeeds(`npm run service -- ${command} --help`)
        for (const [flag] of flags.matchAll(/--[a-z-]+/gu)) assert.include(help, `${flag} `, command)
      }
    })
  })

  it("have no block without a test or a reason, and no reason without a block", () => {
    const claims = [
      ...testedBy.map(([document, test, opening = /^/u]) => ({ document, opening, test })),
      ...notRun.map(([document, opening]) => ({ document, opening, test: undefined }))
    ]
    const claimsOf = (block: Block) =>
      claims.filter(({ document, opening }) => document === block.document && opening.test(block.text))
    assert.deepStrictEqual(
      blocks
        .filter((block) => claimsOf(block).length + (ran.has(block) ? 1 : 0) !== 1)
        .map(({ document, line }) => `${document}:${line}`),
      []
    )
    for (const claim of claims) {
      assert.isTrue(
        blocks.some((block) => claimsOf(block).includes(claim)),
        `${claim.document} has no block ${claim.opening}`
      )
      if (claim.test !== undefined) assert.isTrue(existsSync(join(root, claim.test)), claim.test)
    }
  })
})
