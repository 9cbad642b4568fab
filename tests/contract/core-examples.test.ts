/** Runs the examples against a service. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { type RunningService, startService } from "@threat-exposure/service/testing/TestService"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const examples = resolve(import.meta.dirname, "../../examples")
const count = 95

describe("an example", () => {
  let service: RunningService
  let folder = ""

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "threat-exposure-examples-"))
    service = await startService()
    const yesterday = Date.now() - 24 * 60 * 60 * 1000
    await service.load(
      "credentials",
      Array.from({ length: 150 }, (_, i) => ({
        id: i,
        identity_name: `person${i % 120}@example.com`,
        imported_at: new Date(yesterday - i * 1000).toISOString(),
        hash: ["correct", "horse"].join("-"),
        source: { id: "breach", name: "A breach\u001b[31m" }
      }))
    )
    await service.load(
      "events",
      Array.from({ length: count }, (_, i) => ({
        event_type: "paste",
        metadata: {
          uid: `paste/example/${i}`,
          estimated_created_at: new Date(yesterday - i * 1000).toISOString(),
          severity: i % 2 === 0 ? "high" : "low"
        },
        data: { content: "example.com" }
      }))
    )
  })
  afterAll(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const env = () => ({
    ...process.env,
    // `npm test` names its own: the state of a feed would stay in the repository.
    THREAT_EXPOSURE_CALLED_FROM: folder,
    THREAT_EXPOSURE_BASE_URL: service.url,
    THREAT_EXPOSURE_TOKEN: service.token
  })
  const run = async (name: string, ...args: ReadonlyArray<string>) => {
    const program = join(examples, `${name}.ts`)
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { cwd: folder, env: env() })
    assert.notInclude(stdout, "correct-horse")
    assert.notInclude(stdout, "\u001b")
    return stdout
  }

  it("shows each account of a domain once, masked", async () => {
    const output = await run("search-domain", "example.com")
    assert.include(output, "example.com: 120 accounts leaked")
    assert.notInclude(output, "person")
    assert.lengthOf(output.trim().split("\n"), 121)
  })

  it("continues an export that was killed, without loss or repetition", async () => {
    const file = join(folder, "events.ndjson")
    const start = (): ChildProcess =>
      spawn(process.execPath, [join(examples, "export-events.ts"), "example.com", file], {
        env: env(),
        stdio: "ignore"
      })
    const killed = start()
    while (!existsSync(`${file}.cursor`) && killed.exitCode === null) await sleep(2)
    killed.kill("SIGKILL")
    await run("export-events", "example.com", file)
    const uids = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).metadata.uid)
    assert.lengthOf(uids, count)
    assert.strictEqual(new Set(uids).size, count)
    assert.isFalse(existsSync(`${file}.cursor`))
  })

  it("counts by type and severity", async () => {
    assert.match(await run("count-events", "example.com"), /│ paste\s+│ 0\s+│ 48\s+│ 0\s+│ 47\s+│ 0\s+│/u)
  })

  it("reports what is new, once", async () => {
    assert.include(await run("what-is-new", "example.com"), `150 credentials and ${count} events`)
    assert.include(await run("what-is-new", "example.com"), "0 credentials and 0 events")
  })

  it("stays within a quota, and says how to continue", async () => {
    const first = await run("within-quota", "1", "example.com")
    assert.include(first, "100 credentials of example.com for at most 1 units")
    const cursor = /'([^']+)'/u.exec(first)?.[1] ?? ""
    const second = await run("within-quota", "5", "example.com", cursor)
    assert.include(second, "50 credentials of example.com for at most 1 units")
    assert.notInclude(second, "there is more")
  })

  it("counts by breach, with Effect", async () => {
    assert.match(await run("sources", "example.com"), /150\s+A breach/u)
  })
})
