/** Commands that change what a tenant makes of its events, against the real service. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createClient } from "@threat-exposure/core/promise"
import { type RunningService, startService } from "@threat-exposure/service/testing/TestService"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { makeProgram, type Program } from "./Program.ts"

const linesOf = (text: string): ReadonlyArray<unknown> =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

describe("triage", () => {
  let service: RunningService
  let program: Program
  let uids: ReadonlyArray<string>

  const clientHere = () => createClient({ baseUrl: service.url, token: service.token })

  /** The identifier's listing shows every state. */
  const statesOf = async (wanted: ReadonlyArray<string>) => {
    const states = new Map<string, unknown>()
    for await (const { metadata, tenant_metadata } of clientHere().events.ofIdentifier(1, {})) {
      if (!wanted.includes(metadata.uid)) continue
      const { ignored_at, remediated_at } = tenant_metadata
      states.set(metadata.uid, ignored_at ? "ignored" : remediated_at ? "remediated" : "open")
    }
    return wanted.map((uid) => states.get(uid))
  }

  beforeAll(async () => {
    service = await startService({ sample: true })
    program = await makeProgram({ THREAT_EXPOSURE_BASE_URL: service.url, THREAT_EXPOSURE_TOKEN: service.token })
    const found: Array<string> = []
    for await (const { metadata } of clientHere().events.ofIdentifier(1, {})) {
      found.push(metadata.uid)
      if (found.length === 23) break
    }
    uids = found
  })
  afterAll(async () => {
    await Promise.all([service?.stop(), program?.remove()])
  })

  it("acts on more events than a request takes, from a file, and undoes it", async () => {
    assert.lengthOf(uids, 23)
    await writeFile(join(program.folder, "uids"), `${uids.slice(1).join("\r\n")}\n\n${uids[1]}\n`)
    for (const [name, state] of [
      ["ignore", "ignored"],
      ["remediate", "remediated"],
      ["unremediate", "open"],
      ["ignore", "ignored"],
      ["unignore", "open"]
    ] as const) {
      const { code, stderr } = await program.run(["events", name, uids[0] ?? "", "--from-file", "uids"])
      assert.strictEqual(code, 0, stderr)
      assert.include(stderr, "23 events")
      assert.deepStrictEqual(
        await statesOf(uids),
        uids.map(() => state)
      )
    }
  })

  it("does what is known of a list, names what was done, and exits with 3", async () => {
    const given = [...uids.slice(0, 12), "paste/none/1", ...uids.slice(12, 14)]
    const input = given.join("\n")
    const text = await program.run(["events", "ignore", "--from-file", "-"], { input })
    assert.strictEqual(text.code, 3)
    assert.include(text.stderr, "14 of 15 events ignored; not found: paste/none/1")
    assert.include(text.stderr, `Done: ${uids.slice(0, 10).join(", ")}`)
    const structured = await program.run(["events", "unignore", "--json", "--from-file", "-"], { input })
    assert.strictEqual(structured.code, 3)
    const lines = linesOf(structured.stdout)
    assert.sameDeepMembers(
      [...lines],
      given.map((uid) =>
        uid === "paste/none/1" ? { uid, done: false, reason: "not found" } : { uid, done: true, action: "unignore" }
      )
    )
    assert.deepStrictEqual(
      await statesOf(uids.slice(0, 14)),
      Array.from({ length: 14 }, () => "open")
    )
  })

  it("stops at the first request where the service has no such operation", async () => {
    const env = { THREAT_EXPOSURE_PATH_PREFIX: "older" }
    const { code, stderr } = await program.run(["events", "ignore", ...uids], { env })
    assert.strictEqual(code, 2)
    assert.match(stderr, /^error: The service does not know this path; it may lack the operation, or/mu)
    assert.notInclude(stderr, uids[0] ?? "")
  })

  it("does not repeat a long file that is no list of uids", async () => {
    const input = Array.from({ length: 30 }, (_, at) => `NAME_${at}=hunter2quartz${at}`).join("\n")
    const { code, stderr } = await program.run(["events", "ignore", "--from-file", "-"], { input })
    assert.strictEqual(code, 2)
    assert.include(stderr, "NAME_9=")
    assert.notInclude(stderr, "NAME_10=")
    assert.include(stderr, "and 20 more; --json names all")
  })

  it("fails as the service does if nothing was done", async () => {
    for (const [args, env, code] of [
      [["paste/none/1"], {}, 2],
      [[], {}, 2],
      [["--from-file", "none"], {}, 2],
      [uids.slice(0, 2), { THREAT_EXPOSURE_TOKEN: "te_wrong" }, 4],
      [uids.slice(0, 2), { THREAT_EXPOSURE_BASE_URL: "http://127.0.0.1:9" }, 5]
    ] as const) {
      const ended = await program.run(["events", "ignore", ...args], { env })
      assert.strictEqual(ended.code, code, ended.stderr)
    }
    for (const line of ["x".repeat(3_000), "paste/\u0001/1", "paste/\ufffd/1"]) {
      const { code, stderr } = await program.run(["events", "ignore", "--from-file", "-"], { input: `a\n${line}\n` })
      assert.strictEqual(code, 2)
      assert.match(
        stderr,
        /^error: --from-file: line 2 is not a target: it is longer than 2000 characters, or not text$/mu
      )
    }
    const { stderr } = await program.run(["events", "ignore", "--from-file", "-"], { input: "\n" })
    assert.strictEqual(stderr, "error: --from-file: standard input is empty\n")
  })

  it("replaces and removes tags, notes and ratings", async () => {
    const [one = "", two = ""] = uids
    const annotated = async (...args: ReadonlyArray<string>) => {
      const { code, stderr, stdout } = await program.run(["events", ...args, "--json"])
      assert.strictEqual(code, 0, stderr)
      return linesOf(stdout).at(-1)
    }
    await annotated("tag", one, "--tags", "payroll, urgent")
    await annotated("note", one, "--text", "passwords changed")
    assert.deepStrictEqual(await annotated("severity", two, one, "--to", "critical"), {
      uid: one,
      done: true,
      tags: ["payroll", "urgent"],
      severity: "critical",
      notes: "passwords changed"
    })
    for (const name of ["tag", "note", "severity"]) await annotated(name, one, "--clear")
    assert.deepInclude(await annotated("severity", one, "--clear"), { tags: [], severity: null })
    for (const args of [
      ["tag", one],
      ["tag", one, "--tags", ""],
      ["tag", one, "--tags", "a", "--clear"],
      ["tag", one, "--tags", "x".repeat(101)],
      ["severity", one, "--to", "worse"],
      ["note", one, "--text", " "]
    ]) {
      assert.strictEqual((await program.run(["events", ...args])).code, 2, args.join(" "))
    }
  })

  it("makes all changes of a command although the service refuses some by its rate limit", async () => {
    const limited = await startService({ sample: true, rates: { basic: 2 } })
    try {
      const run = (...args: ReadonlyArray<string>) =>
        program.run(args, { env: { THREAT_EXPOSURE_BASE_URL: limited.url, THREAT_EXPOSURE_TOKEN: limited.token } })
      const tagged = await run("events", "tag", ...uids.slice(0, 5), "--tags", "payroll")
      assert.include(tagged.stderr, "5 events annotated.")
      const groups = { groups: ["A", "B", "C", "D", "E"] }
      await writeFile(join(program.folder, "groups.yml"), JSON.stringify(groups))
      const applied = await run("apply", "groups.yml")
      assert.include(applied.stderr, "5 changes made.")
    } finally {
      await limited.stop()
    }
  })
})
