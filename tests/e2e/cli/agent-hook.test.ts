/** The hook for coding agents, against the real service. */
import { existsSync } from "node:fs"
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { execFileSync } from "node:child_process"
import { type RunningService, startService } from "@threat-exposure/service/testing/TestService"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { leakedSecrets } from "@threat-exposure/sample/LeakedSecrets"
import { makeProgram, type Program } from "./Program.ts"

const leaked = leakedSecrets.databasePassword.value

describe("the hook for coding agents", () => {
  let service: RunningService
  let program: Program

  const event = (text: string) => ({
    input: JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: text } })
  })
  const unknown = "DB_PASSWORD=Qx7vLm2pRt9wZk4b deploy"
  /** The modules of this process take long to load on a busy machine. */
  const run = ["hook", "run", "--agent", "codex", "--deadline", "600000"]

  beforeAll(async () => {
    service = await startService({ sample: true })
    program = await makeProgram({ THREAT_EXPOSURE_BASE_URL: service.url, THREAT_EXPOSURE_TOKEN: service.token })
    execFileSync("git", ["init", "--quiet", program.folder])
  })
  afterAll(async () => {
    await Promise.all([service?.stop(), program?.remove()])
  })

  it("allows what holds no secret, without a word, and what has not leaked", async () => {
    for (const text of ["ls -la", unknown]) {
      assert.deepStrictEqual(await program.run(run, event(text)), { code: 0, stdout: "", stderr: "" }, text)
    }
  })

  it("refuses what has leaked, with the reason and without the value", async () => {
    const { code, stderr, stdout } = await program.run(run, event(`DB_PASSWORD=${leaked} deploy`))
    assert.deepStrictEqual([code, stdout], [2, ""])
    assert.include(stderr, "DB_PASSWORD is a secret that has leaked")
    assert.notInclude(stderr, leaked)
  })

  it("does so as a process too, which loads the whole program for other flags alone", async () => {
    const ended = (given: { readonly input: string | Uint8Array }, ...flags: ReadonlyArray<string>) =>
      program.start([...run, ...flags], given).ended
    const [allowed, searched, refused, usage, twice, binary] = await Promise.all([
      ended(event("ls -la")),
      ended(event(unknown), "--on-incomplete", "fail"),
      ended(event(`DB_PASSWORD=${leaked} deploy`)),
      ended(event("ls -la"), "--nonsense"),
      ended(event("ls -la"), "--agent", "codex"),
      ended({ input: Uint8Array.of(0, 1, 2, 0) })
    ])
    for (const { code, stderr, stdout } of [allowed, searched])
      assert.deepStrictEqual([code, stdout, stderr], [0, "", ""])
    assert.deepStrictEqual([refused.code, refused.stdout], [2, ""])
    assert.match(refused.stderr, /^error: Refused by threat-exposure: DB_PASSWORD is a secret that has leaked/u)
    assert.notInclude(refused.stderr, leaked)
    assert.strictEqual(usage.code, 2)
    assert.include(usage.stderr, "--nonsense")
    assert.deepStrictEqual([twice.code, twice.stderr.includes("--agent is given more than once")], [2, true])
    assert.deepStrictEqual([binary.code, binary.stderr.includes("the agent's message is not text")], [2, true])
  })

  it("does not ask again about a value that it has found clean, but about one that has leaked", async () => {
    const clean = "DB_PASSWORD=Wm4tKx9cVq2hZr7n deploy"
    assert.strictEqual((await program.run(run, event(clean))).code, 0)
    const unreachable = { THREAT_EXPOSURE_BASE_URL: "http://127.0.0.1:9" }
    const start = (text: string, env: Readonly<Record<string, string>>) =>
      program.start(run, { ...event(text), env }).ended
    assert.deepStrictEqual(await start(clean, unreachable), { code: 0, stdout: "", stderr: "" })
    for (const [text, env] of [
      [clean, { ...unreachable, THREAT_EXPOSURE_TOKEN: "te_other" }],
      [`DB_PASSWORD=${leaked} deploy`, unreachable]
    ] as const) {
      const { code, stderr } = await start(text, env)
      assert.deepStrictEqual([code, stderr.includes("could not be checked")], [2, true], stderr)
    }
  })

  it("does not wait for the end of an input that stays open after the message", async () => {
    for (const [text, code, said] of [
      ["ls -la", 0, ""],
      [`DB_PASSWORD=${leaked} deploy`, 2, "DB_PASSWORD is a secret that has leaked"]
    ] as const) {
      const { child, ended } = program.start(run, { ...event(text), staysOpen: true })
      const { code: exitCode, stderr } = await ended
      assert.strictEqual(exitCode, code, stderr)
      assert.include(stderr, said)
      child.stdin?.destroy()
    }
  })

  it("waits no longer than its deadline for a message that does not end", async () => {
    for (const [input, flags] of [
      ["", []],
      ['{"tool_input":', []],
      ["", ["--on-incomplete", "fail", "--quiet"]]
    ] as const) {
      const args = ["hook", "run", "--agent", "codex", "--deadline", "1000", ...flags]
      const { child, ended } = program.start(args, { input, staysOpen: true })
      const { code, stderr } = await ended
      assert.deepStrictEqual([code, stderr.includes("the agent's message did not end in time")], [2, true], stderr)
      child.stdin?.destroy()
    }
  })

  it("prints the reason for Copilot as well, which tells its model no other", async () => {
    const copilot = ["hook", "run", "--agent", "copilot", "--deadline", "600000"]
    const { code, stderr, stdout } = await program.run(copilot, event(`DB_PASSWORD=${leaked} deploy`))
    assert.strictEqual(code, 2)
    const { permissionDecision, permissionDecisionReason: reason } = JSON.parse(stdout)
    assert.strictEqual(permissionDecision, "deny")
    assert.include(reason, "DB_PASSWORD is a secret that has leaked")
    assert.include(stderr, reason)
    assert.notInclude(stdout, leaked)
    assert.deepStrictEqual(await program.run(copilot, event("ls")), { code: 0, stdout: "", stderr: "" })
  })

  it("counts its start as a part of the deadline, since the agent waits for both", async () => {
    const late = ["hook", "run", "--agent", "codex", "--deadline", "1000"]
    const { code, stderr } = await program.run(late, event(unknown))
    assert.strictEqual(code, 2)
    assert.include(stderr, "the check did not end in time")
  })

  it("refuses or allows what could not be checked, as it was told, and says why", async () => {
    const unchecked = "DB_PASSWORD=Ty6bNs3gXe8uLj5d deploy"
    for (const [input, env, why] of [
      [event(unchecked), { THREAT_EXPOSURE_TOKEN: "" }, "Not signed in to"],
      [event(unchecked), { THREAT_EXPOSURE_TOKEN: "te_wrong" }, "renew it"],
      [event(unchecked), { THREAT_EXPOSURE_BASE_URL: "http://127.0.0.1:9" }, "check its address"],
      [{ input: "no JSON" }, {}, "the agent's message is not JSON"],
      [event("x".repeat(4_000_001)), {}, "the text is larger than 4 MB"]
    ] as const) {
      const refused = await program.run(run, { ...input, env })
      assert.deepStrictEqual([refused.code, refused.stdout], [2, ""])
      assert.include(refused.stderr, "could not be checked")
      assert.include(refused.stderr, why)
      const allowed = await program.run([...run, "--on-incomplete", "warn"], { ...input, env })
      assert.deepStrictEqual([allowed.code, allowed.stdout], [0, ""])
      assert.include(allowed.stderr, "Not checked by threat-exposure")
    }
    const harmless = await program.run(run, { ...event("ls"), env: { THREAT_EXPOSURE_TOKEN: "" } })
    assert.strictEqual(harmless.code, 0)
  })

  it("is written into the settings of an agent, tried with the agent, and removed", async () => {
    const file = join(program.folder, ".codex", "hooks.json")
    const bin = join(program.folder, "bin")
    await mkdir(bin)
    const write = (name: string, script: string) =>
      writeFile(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const env = { PATH: `${bin}:/usr/bin:/bin` }
    await write("threat-exposure", "exit 0")
    const install = () => program.run(["hook", "install", "--agent", "codex"], { env })
    const untried = await install()
    assert.strictEqual(untried.code, 0, untried.stderr)
    assert.include(untried.stderr, `The hook is in ${file}.`)
    assert.include(untried.stderr, "the hook was not tried")
    await write("codex", 'echo > "$THREAT_EXPOSURE_HOOK_PROBE"')
    const called = await install()
    assert.strictEqual(called.code, 0, called.stderr)
    assert.include(called.stderr, "codex calls the hook")
    // Without an answer of its model, Codex waits for the network.
    const askModel = 'fetch(/base_url="(.*?)"/.exec(process.argv.join(" "))[1]).catch(() => setInterval(() => 0, 1000))'
    await write("codex", `exec '${process.execPath}' -e '${askModel}' -- "$@"`)
    const skipped = await install()
    assert.strictEqual(skipped.code, 3)
    assert.include(skipped.stderr, "trust the hook with /hooks")
    const { hooks } = JSON.parse(await readFile(file, "utf8"))
    assert.deepStrictEqual(Object.keys(hooks), ["UserPromptSubmit", "PreToolUse", "PostToolUse"])
    assert.lengthOf(hooks.PreToolUse, 1)
    for (const said of ["The hook is removed from", "No threat-exposure hook is in"]) {
      const removed = await program.run(["hook", "uninstall", "--agent", "codex"], { env })
      assert.strictEqual(removed.code, 0, removed.stderr)
      assert.include(removed.stderr, `${said} ${file}.`)
      assert.isFalse(existsSync(file))
    }
    await writeFile(file, "{ // mine\n}")
    assert.strictEqual((await install()).code, 2)
    await rm(bin, { recursive: true })
  })

  it("tells a dry run that it was called, and refuses its prompt", async () => {
    const probe = join(program.folder, "called")
    const ended = await program.run(run, { ...event("ls"), env: { THREAT_EXPOSURE_HOOK_PROBE: probe } })
    assert.strictEqual(ended.code, 2)
    assert.isTrue(existsSync(probe))
  })
})
