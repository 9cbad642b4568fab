/** The leak check of the command line, over real repositories and the real service. */
import { execFile, execFileSync } from "node:child_process"
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { text } from "node:stream/consumers"
import { promisify } from "node:util"
import { passOn, startServer } from "@threat-exposure/programs/LocalServer"
import { leakedSecrets } from "@threat-exposure/sample/LeakedSecrets"
import { type RunningService, startService } from "@threat-exposure/service/testing/TestService"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { type Ended, mainFile, makeProgram, type Program, type RunOptions } from "./Program.ts"
import { startReceiver } from "./Receiver.ts"

const run = promisify(execFile)

const leaked = leakedSecrets.databasePassword.value
const unknown = "kR7!vQ2p-Lx9wZz4"

describe("check", () => {
  let service: RunningService
  let program: Program

  /** A repository with one commit, which each test gets a copy of. */
  let template: string

  const gitIn = (folder: string, ...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim()

  const git = (...args: ReadonlyArray<string>) => gitIn(program.folder, ...args)

  const write = (path: string, text: string) => writeFileSync(join(program.folder, path), text)

  const commit = (path: string, text: string) => {
    write(path, text)
    git("add", "--all")
    git("commit", "--quiet", "--message", path)
    return git("rev-parse", "HEAD")
  }

  const assertSilent = ({ stderr, stdout }: Ended) => {
    for (const secret of [leaked, unknown]) assert.notInclude(stdout + stderr, secret)
  }

  beforeAll(async () => {
    template = mkdtempSync(join(tmpdir(), "threat-exposure-"))
    // No sample hooks are copied, and no commit starts a process for maintenance.
    gitIn(template, "init", "--quiet", "--initial-branch=main", "--template=")
    for (const setting of ["user.name=A", "user.email=a@example.com", "gc.auto=0", "maintenance.auto=false"]) {
      gitIn(template, "config", ...setting.split("="))
    }
    writeFileSync(join(template, "README.md"), "# Shop\n")
    gitIn(template, "add", "--all")
    gitIn(template, "commit", "--quiet", "--message", "README.md")
    service = await startService({ sample: true })
  })
  afterAll(async () => {
    rmSync(template, { recursive: true })
    await service?.stop()
  })
  beforeEach(async () => {
    program = await makeProgram({ THREAT_EXPOSURE_BASE_URL: service.url, THREAT_EXPOSURE_TOKEN: service.token })
    cpSync(template, program.folder, { recursive: true })
  })
  afterEach(() => program.remove())

  it.each([
    [[], "worktree"],
    [["--staged"], "staged"],
    [["--tree"], "flag"]
  ])("finds a leak in what %j looks at, and says it took that", async (flags, source) => {
    write("prod.env", `DB_PASSWORD=${leaked}\n`)
    git("add", "--all")
    const ended = await program.run(["check", ...flags, "--json"])
    assert.strictEqual(ended.code, 1, ended.stderr)
    const report = JSON.parse(ended.stdout)
    assert.strictEqual(report.verdict, "leaked")
    assert.strictEqual(report.range.source, source)
    assertSilent(ended)
  })

  it("checks only staged changes with --staged", async () => {
    write("prod.env", `DB_PASSWORD=${leaked}\n`)
    assert.strictEqual((await program.run(["check", "--staged"])).code, 0)
    assert.strictEqual((await program.run(["check"])).code, 1)
  })

  it("uses the config file at the base of a range, which a change must not replace", async () => {
    const base = git("rev-parse", "HEAD")
    commit(".threat-exposure.yml", 'exclude: "**"\n')
    const head = commit("prod.env", `DB_PASSWORD=${leaked}\n`)
    const change = await program.run(["check", "--range", `${base}..${head}`, "--json"])
    assert.strictEqual(change.code, 1, change.stderr)
    assert.match(JSON.parse(change.stdout).notices.join(), /\.threat-exposure\.yml/)
  })

  it("is not clean if `exclude` leaves out every file", async () => {
    commit("prod.env", `DB_PASSWORD=${leaked}\n`)
    const flags = ["--exclude", "**", "--json"]
    for (const what of [["--tree"], ["--history"], ["--range", "HEAD~1..HEAD"]]) {
      const ended = await program.run(["check", ...what, ...flags])
      assert.strictEqual(ended.code, 3, what.join(" "))
      assert.match(JSON.parse(ended.stdout).gaps.join(), /`exclude`/)
    }
  })

  it("checks what the commits of a range add, and the history", async () => {
    const base = git("rev-parse", "HEAD")
    const middle = commit("prod.env", `DB_PASSWORD=${leaked}\n`)
    const head = commit("prod.env", "DB_HOST=db.example.com\n")
    const range = await program.run(["check", "--range", `${base}..${head}`, "--json"])
    assert.strictEqual(range.code, 1, range.stderr)
    assert.deepStrictEqual(JSON.parse(range.stdout).range, { source: "flag", event: null, base, head, commits: 2 })
    assert.strictEqual((await program.run(["check", "--range", `${middle}..${head}`])).code, 0)
    assert.strictEqual((await program.run(["check", "--tree"])).code, 0)
    assert.strictEqual((await program.run(["check", "--history"])).code, 1)
  })

  it.each(["..", "..HEAD", "...HEAD"])(
    "refuses the range %s (2), which a script gives whose variables are not set",
    async (range) => {
      const { code, stderr } = await program.run(["check", "--range", range])
      assert.strictEqual(code, 2, stderr)
      assert.include(stderr, "does not say where it begins")
    }
  )

  it("checks what a push sends, and allows a push that only deletes", async () => {
    const base = git("rev-parse", "HEAD")
    const head = commit("prod.env", `DB_PASSWORD=${leaked}\n`)
    const zero = "0".repeat(40)
    const push = (line: string) => program.run(["check", "--push", "--json"], { input: line })
    const sent = await push(`refs/heads/main ${head} refs/heads/main ${base}\n`)
    assert.strictEqual(sent.code, 1, sent.stderr)
    assert.deepInclude(JSON.parse(sent.stdout).range, { source: "pre-push", base, head, commits: 1 })
    assert.strictEqual((await push(`refs/heads/new ${head} refs/heads/new ${zero}\n`)).code, 1)
    assert.strictEqual((await push(`(delete) ${zero} refs/heads/main ${base}\n`)).code, 0)
    assert.strictEqual((await push("")).code, 1, "a hook manager that passes no lines must not turn the check off")
    // Commits that the remote is known to have were pushed before; another remote has none of them.
    git("update-ref", "refs/remotes/origin/main", head)
    const next = commit("more.txt", "more\n")
    const line = `refs/heads/new ${next} refs/heads/new ${zero}\n`
    const beyond = await push(line)
    assert.strictEqual(beyond.code, 0, beyond.stderr)
    assert.deepInclude(JSON.parse(beyond.stdout).range, { base: head, head: next, commits: 1 })
    const other = await program.run(["check", "--push"], { env: { PRE_COMMIT_REMOTE_NAME: "public" }, input: line })
    assert.strictEqual(other.code, 1, other.stderr)
    const preCommit = await program.run(["check", "--push", "--json"], {
      env: { PRE_COMMIT_FROM_REF: base, PRE_COMMIT_TO_REF: head }
    })
    assert.deepInclude(JSON.parse(preCommit.stdout).range, { source: "pre-push", base, head, commits: 1 })
  })

  it("refuses to check the push of a repository without a commit", async () => {
    git("update-ref", "-d", "HEAD")
    const { code, stderr } = await program.run(["check", "--push"])
    assert.strictEqual(code, 2, stderr)
    assert.include(stderr, "has no commit yet")
  })

  it("reads each commit of a push once, however many of its refs have it", async () => {
    const first = commit("prod.env", `DB_PASSWORD=${leaked}\n`)
    const second = commit("prod.env", "DB_HOST=db.example.com\n")
    git("tag", "--annotate", "--message", "one", "v1", first)
    git("checkout", "--quiet", "-b", "other", first)
    const side = commit("side.txt", "side\n")
    const zero = "0".repeat(40)
    const refs = { main: second, v1: git("rev-parse", "v1"), other: side, same: second }
    const input = Object.entries(refs)
      .map(([name, head]) => `refs/x/${name} ${head} refs/x/${name} ${zero}\n`)
      .join("")
    const ended = await program.run(["check", "--push", "--json"], { input })
    assert.strictEqual(ended.code, 1, ended.stderr)
    const { leaks, range } = JSON.parse(ended.stdout)
    const commits = Number(git("rev-list", "--count", ...Object.values(refs)))
    assert.deepStrictEqual(range, { source: "pre-push", event: null, base: null, head: null, commits })
    assert.lengthOf(leaks[0].subject.locations, 1)
  })

  it("stops (3) a change of which a hook read nothing, and allows a change that adds nothing", async () => {
    const base = git("rev-parse", "HEAD")
    const head = commit("prod.env", `DB_PASSWORD=${leaked}\n`)
    write("more.env", `DB_PASSWORD=${leaked}\n`)
    git("add", "--all")
    const staged = await program.run(["check", "--staged", "--exclude", "**"])
    assert.strictEqual(staged.code, 3, staged.stderr)
    assert.include(staged.stdout, "No changed file was read: the settings paths and exclude leave out 1 changed file")
    const offline = ["check", "--staged", "--offline", "--fail-on", "candidates", "--exclude", "**"]
    assert.strictEqual((await program.run(offline)).code, 3)
    assert.strictEqual((await program.run([...offline, "--on-incomplete", "warn"])).code, 0)
    const line = `refs/heads/main ${head} refs/heads/main ${base}\n`
    const pushed = await program.run(["check", "--push", "--exclude", "*.env"], { input: line })
    assert.strictEqual(pushed.code, 3, pushed.stderr)
    git("rm", "--quiet", "--force", "more.env", "README.md")
    const deleting = await program.run(["check", "--staged"])
    assert.strictEqual(deleting.code, 0, deleting.stdout + deleting.stderr)
  })

  it("uses the variables of a CI system: a change request from its merge base, or else all files", async () => {
    const base = git("rev-parse", "HEAD")
    git("checkout", "--quiet", "-b", "feature")
    // A change does not decide how it is checked: the config file of its target applies.
    commit(".threat-exposure.yml", 'exclude: "**"\nfail-on: none\n')
    const head = commit("prod.env", `DB_PASSWORD=${leaked}\n`)
    git("checkout", "--quiet", "main")
    commit("README.md", "# Shop, and more\n")
    const gitlab = (env: Readonly<Record<string, string>>) =>
      program.run(["check", "--json"], { env: { GITLAB_CI: "true", CI_DEFAULT_BRANCH: "main", ...env } })

    const request = await gitlab({
      CI_PIPELINE_SOURCE: "merge_request_event",
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
      CI_COMMIT_SHA: head
    })
    assert.strictEqual(request.code, 1, request.stderr)
    assert.deepStrictEqual(JSON.parse(request.stdout).range, {
      source: "gitlab",
      event: "change-request",
      base,
      head,
      commits: 2
    })
    assert.include(request.stderr, "Checking 2 commits")
    assert.include(request.stderr, "for a change request (gitlab)")

    const schedule = await gitlab({ CI_PIPELINE_SOURCE: "schedule", CI_COMMIT_SHA: git("rev-parse", "HEAD") })
    assert.strictEqual(schedule.code, 0, schedule.stderr)
    assert.deepInclude(JSON.parse(schedule.stdout).range, { event: "schedule", base: null, commits: null })
  })

  it("is incomplete (3) in a CI system that does not report which commits are new", async () => {
    git("remote", "add", "origin", program.folder)
    const ended = await program.run(["check", "--json"], { env: { CIRCLECI: "true", CIRCLE_BRANCH: "main" } })
    assert.strictEqual(ended.code, 3, ended.stderr)
    const { gaps, range, verdict } = JSON.parse(ended.stdout)
    assert.strictEqual(verdict, "incomplete")
    assert.match(gaps.join("\n"), /--range .*--tree/u)
    assert.deepStrictEqual(range, {
      source: "circleci",
      event: null,
      base: null,
      head: git("rev-parse", "HEAD"),
      commits: null
    })
  })

  it("is incomplete (3) in an unknown CI system, without --range or --tree", async () => {
    const ended = await program.run(["check", "--json"], { env: { CI: "true" } })
    assert.strictEqual(ended.code, 3, ended.stderr)
    const { gaps, range } = JSON.parse(ended.stdout)
    assert.match(gaps.join("\n"), /CI system .*--range .*--tree/u)
    assert.strictEqual(range.source, "worktree")
    assert.strictEqual((await program.run(["check", "--tree"], { env: { CI: "true" } })).code, 0)
    assert.strictEqual((await program.run(["check"], { env: { CI: "false" } })).code, 0)
  })

  it("takes settings from a flag, else a variable, else the config file of the action", async () => {
    write("prod.env", `DB_PASSWORD=${unknown}\n`)
    write(".threat-exposure.yml", "max-searches: 1\non-incomplete: warn\nsummary: false\n")
    const byFile = await program.run(["check"])
    assert.strictEqual(byFile.code, 0, byFile.stderr)
    assert.include(byFile.stdout, "verdict: incomplete")
    const byVariable = await program.run(["check"], { env: { THREAT_EXPOSURE_ON_INCOMPLETE: "fail" } })
    assert.strictEqual(byVariable.code, 3, byVariable.stderr)
    const byFlag = await program.run(["check", "--max-searches", "10"], {
      env: { THREAT_EXPOSURE_MAX_SEARCHES: "1" }
    })
    assert.include(byFlag.stdout, "verdict: clean", byFlag.stderr)
    write(".threat-exposure.yml", "paths: src/**\nnonsense: 1\n")
    const refused = await program.run(["check"])
    assert.strictEqual(refused.code, 2)
    assert.include(refused.stderr, ".threat-exposure.yml, line 2")
  })

  it("lists candidates without a token or a service, and searches nothing", async () => {
    write("prod.env", `DB_PASSWORD=${unknown}\n`)
    const offline = (...more: ReadonlyArray<string>) =>
      program.run(["check", "--offline", ...more], {
        env: { THREAT_EXPOSURE_BASE_URL: "", THREAT_EXPOSURE_TOKEN: "" }
      })
    const listed = await offline()
    assert.strictEqual(listed.code, 0, listed.stderr)
    assert.include(listed.stdout, "prod.env:1")
    assert.include(listed.stdout, "not searched")
    assert.include(listed.stdout, "verdict: incomplete (0 leaks, 0 searches)")
    assertSilent(listed)
    assert.match(listed.stdout, /^Nothing was searched \(\d+ targets? left\)$/mu)
    assert.notInclude(listed.stderr, "Plan:")
    assert.strictEqual((await offline("--fail-on", "candidates")).code, 1)
    write("prod.env", "DB_HOST=db.example.com\n")
    const clean = await offline("--fail-on", "candidates")
    assert.strictEqual(clean.code, 0)
    assert.include(clean.stdout, "verdict: clean")
  })

  it("is never clean if it could not search: not signed in (4), or no service (5)", async () => {
    write("prod.env", `DB_PASSWORD=${unknown}\n`)
    const withoutToken = { env: { THREAT_EXPOSURE_TOKEN: "" } }
    const skipped = await program.run(["check", "--json"], withoutToken)
    assert.strictEqual(skipped.code, 4)
    assert.strictEqual(JSON.parse(skipped.stdout).verdict, "skipped")
    assert.strictEqual((await program.run(["check", "--on-incomplete", "warn"], withoutToken)).code, 0)
    const refused = await program.run(["check"], { env: { THREAT_EXPOSURE_TOKEN: "te_wrong" } })
    assert.strictEqual(refused.code, 4)
    const unreachable = await program.run(["check"], { env: { THREAT_EXPOSURE_BASE_URL: "http://127.0.0.1:9" } })
    assert.strictEqual(unreachable.code, 5, unreachable.stdout + unreachable.stderr)
  })

  it.each([
    ["--deadline", "hunter2quartz"],
    ["--domains", "hunter2quartz/x"],
    ["--exclude", "!hunter2quartz"],
    ["--range", "hunter2quartz"]
  ])("does not repeat the refused value of %s", async (flag, value) => {
    const { code, stderr, stdout } = await program.run(["check", flag, value])
    assert.strictEqual(code, 2)
    assert.include(stderr, flag)
    assert.notInclude(stderr + stdout, "hunter2quartz")
  })

  /** A service that answers the first searches as the real one does, and every later one with this status or not at all. */
  const startFailing = async (answered: number, status: number | "hang") => {
    let searches = 0
    let delivered = 0
    let hangs = (): void => undefined
    const isHanging = new Promise<void>((resolve) => (hangs = resolve))
    const { close, url } = await startServer(async (request, response) => {
      const sent = await text(request)
      searches += 1
      if (searches > answered) {
        if (status !== "hang") response.writeHead(status).end("{}")
        else if (delivered === answered) hangs()
        return
      }
      const passed = await passOn(request, service.url, { body: sent })
      response.writeHead(passed.status, { "content-type": "application/json" }).end(passed.body, () => {
        delivered += 1
        if (delivered === answered && searches > answered) hangs()
      })
    })
    return { env: { THREAT_EXPOSURE_BASE_URL: url }, isHanging, stop: close }
  }

  it.each([
    ["a leak was found: the leak wins", 1, 500, [], 1],
    ["a leak was found that fails no check", 1, 500, ["--fail-on", "none"], 3],
    ["a leak was found that fails no check", 1, 500, ["--fail-on", "none", "--on-incomplete", "warn"], 0],
    ["nothing was answered", 0, 500, [], 5],
    ["nothing was answered, and more would have been searched", 0, 500, ["--max-searches", "2"], 5]
  ])("ends when the service fails after %s (%#)", async (_what, answered, status, flags, expected) => {
    write("prod.env", `DB_PASSWORD=${leaked}\n`)
    write("more.env", `KEY_PASSWORD=${unknown}\n`)
    const failing = await startFailing(answered, status)
    try {
      const ended = await program.run(["check", "--secret-env", "MINE", "--tree", ...flags], {
        env: { ...failing.env, MINE: leaked }
      })
      assert.strictEqual(ended.code, expected, ended.stdout + ended.stderr)
    } finally {
      await failing.stop()
    }
  })

  it("exits with 4 for a refused token after a leak that does not fail the check, and with 1 after one that does", async () => {
    for (const [failOn, expected] of [
      ["none", 4],
      ["any", 1]
    ] as const) {
      const failing = await startFailing(1, 401)
      const ended = await program.run(["check", "--secret-env", "MINE", "--fail-on", failOn], {
        env: { ...failing.env, MINE: leaked }
      })
      await failing.stop()
      assert.strictEqual(ended.code, expected, ended.stdout + ended.stderr)
      assert.include(ended.stdout, "verdict: leaked")
    }
  })

  it("is incomplete (3), and not unavailable, if only later pages could decide", async () => {
    const pages = await startReceiver(() => ({
      status: 200,
      body: {
        items: [],
        next: "more"
      }
    }))
    const ended = await program.run(["check", "--secret-env", "MINE"], {
      env: { THREAT_EXPOSURE_BASE_URL: pages.url, MINE: unknown }
    })
    await pages.close()
    assert.strictEqual(ended.code, 3, ended.stdout + ended.stderr)
  })

  it("refuses a repository without a work tree, or of another user (2), with --tree as well", async () => {
    const bare = join(program.folder, "bare.git")
    git("init", "--quiet", "--bare", bare)
    for (const folder of [bare, join(program.folder, ".git")]) {
      for (const flags of [[], ["--tree"], ["--history"]]) {
        const { code, stderr } = await program.run(["check", ...flags], {
          env: { THREAT_EXPOSURE_CALLED_FROM: folder }
        })
        assert.strictEqual(code, 2, stderr)
        assert.include(
          stderr,
          folder === bare
            ? `${folder} is a bare repository, which is read only if GIT_DIR names it`
            : `${folder} is where git keeps the data of ${program.folder}`
        )
      }
      const named = { env: { THREAT_EXPOSURE_CALLED_FROM: folder, MINE: leaked } }
      assert.strictEqual((await program.run(["check", "--secret-env", "MINE"], named)).code, 1)
    }
    for (const flags of [[], ["--tree"], ["--history"]]) {
      const { code, stderr } = await program.run(["check", ...flags], { env: { GIT_DIR: bare } })
      assert.strictEqual(code, 2, stderr)
      assert.include(stderr, "this operation must be run in a work tree")
    }
    const others = { env: { GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" } }
    for (const command of [["check"], ["check", "--tree"], ["ignore", "list"], ["hook", "install"]]) {
      const { code, stderr } = await program.run(command, others)
      assert.strictEqual(code, 2, stderr)
      assert.include(stderr, "dubious ownership")
    }
  })

  it("is incomplete (3) if its searches are not enough", async () => {
    write("prod.env", `DB_PASSWORD=${unknown}\n`)
    const ended = await program.run(["check", "--max-searches", "1"])
    assert.strictEqual(ended.code, 3, ended.stdout + ended.stderr)
  })

  it.each([
    ["a variable", ["--secret-env", "MINE"], { env: { MINE: leaked } }],
    ["a dotenv file on standard input", ["--stdin"], { input: `# vault\nexport MINE="${leaked}"\n` }],
    [
      "a dotenv file with comments",
      ["--stdin"],
      { input: `MINE=${leaked} # rotated in May\nKEY="-----\nover lines"\n` }
    ],
    ["a JSON object on standard input", ["--stdin"], { input: JSON.stringify({ MINE: leaked }) }],
    ["a vault on standard input", ["--stdin"], { input: JSON.stringify({ request_id: "1", data: { mine: leaked } }) }],
    [
      "a versioned vault on standard input",
      ["--stdin"],
      { input: JSON.stringify({ lease_duration: 0, data: { data: { mine: leaked }, metadata: { version: 3 } } }) }
    ],
    ["a text on standard input", ["--stdin"], { input: `Deploy notes\n\npassword: ${leaked}\n\nThe rest.` }]
  ])("checks the values of %s, and shows none", async (_what, flags, options) => {
    const ended = await program.run(["check", ...flags], options)
    assert.strictEqual(ended.code, 1, ended.stdout + ended.stderr)
    assertSilent(ended)
  })

  it("reads values in UTF-16, as a shell of Windows writes them, and refuses what is not text (2)", async () => {
    const wide = Buffer.from(`\uFEFFMINE=${leaked}\r\n`, "utf16le")
    writeFileSync(join(program.folder, "wide.env"), wide)
    const ofFile = await program.run(["check", "--secrets-file", "wide.env"])
    assert.strictEqual(ofFile.code, 1, ofFile.stdout + ofFile.stderr)
    const ofInput = await program.run(["check", "--stdin"], { input: wide })
    assert.strictEqual(ofInput.code, 1, ofInput.stdout + ofInput.stderr)
    const binary = await program.run(["check", "--stdin"], { input: new Uint8Array([80, 75, 3, 4, 0, 0, 7, 200, 0]) })
    assert.strictEqual(binary.code, 2, binary.stdout)
    assert.include(binary.stderr, "Standard input is not text")
    assertSilent(ofFile)
    assertSilent(ofInput)
  })

  it.each([
    ["empty standard input", ["--stdin"], "--stdin: standard input is empty"],
    ["no file", ["--secrets-file", "none.env"], "none.env cannot be read (no such file or directory)"],
    ["a folder", ["--secrets-file", "."], "cannot be read (illegal operation on a directory)"],
    ["an empty file", ["--secrets-file", "/dev/null"], "--secrets-file: /dev/null contains no value"],
    ["a dotenv file without values", ["--stdin"], "--stdin: standard input contains no value", "A=\nB=''\n"],
    ["a JSON object without values", ["--stdin"], "--stdin: standard input contains no value", '{"data":{"a":""}}'],
    ["an empty JSON object", ["--stdin"], "--stdin: standard input contains no value", "{}"]
  ])("refuses %s (2) instead of calling it clean", async (_what, flags, message, input = "") => {
    const ended = await program.run(["check", ...flags], { input })
    assert.strictEqual(ended.code, 2, ended.stdout)
    assert.include(ended.stderr, message)
  })

  it("writes several formats at once", async () => {
    write("prod.env", `DB_PASSWORD=${leaked}\n`)
    const ended = await program.run([
      "check",
      "--output",
      "sarif=leaks.sarif",
      "--output",
      "markdown=leaks.md",
      "--output",
      "junit=leaks.xml",
      "--output",
      "gitlab-secret-detection=secrets.json",
      "--output",
      "gitlab-codequality=quality.json",
      "--output",
      "json"
    ])
    assert.strictEqual(ended.code, 1)
    const read = (name: string) => readFileSync(join(program.folder, name), "utf8")
    assert.strictEqual(JSON.parse(read("leaks.sarif")).runs[0].results.length, 1)
    assert.include(read("leaks.md"), "prod.env")
    assert.strictEqual(JSON.parse(ended.stdout).leaks.length, 1)
    assert.include(read("leaks.xml"), 'failures="1"')
    assert.strictEqual(JSON.parse(read("secrets.json")).vulnerabilities[0].location.file, "prod.env")
    assert.strictEqual(JSON.parse(read("quality.json"))[0].location.path, "prod.env")
    for (const name of ["leaks.sarif", "leaks.md", "leaks.xml", "secrets.json", "quality.json"]) {
      assert.notInclude(read(name), leaked)
    }
  })

  it("writes the other outputs if one cannot be written (2), and still reports a leak (1)", async () => {
    write("app.txt", "nothing\n")
    const unwritable = ["--output", "sarif=app.txt/leaks.sarif", "--output", "json=leaks.json"]
    const clean = await program.run(["check", ...unwritable])
    assert.strictEqual(clean.code, 2, clean.stderr)
    write("prod.env", `DB_PASSWORD=${leaked}\n`)
    const found = await program.run(["check", ...unwritable])
    assert.strictEqual(found.code, 1, found.stderr)
    for (const { stderr } of [clean, found]) assert.match(stderr, /error: --output: .*leaks\.sarif cannot be written/u)
    assert.include(found.stdout, "verdict: leaked")
    assert.lengthOf(JSON.parse(readFileSync(join(program.folder, "leaks.json"), "utf8")).leaks, 1)
  })

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "writes its outputs with what was found when it is interrupted by %s (130)",
    async (signal) => {
      write("more.env", `KEY_PASSWORD=${unknown}\n`)
      const hanging = await startFailing(2, "hang")
      try {
        const running = program.start(["check", "--secret-env", "MINE", "--tree", "--output", "json=leaks.json"], {
          env: { ...hanging.env, MINE: leaked }
        })
        await hanging.isHanging
        // After another round trip, the program has read its answer.
        await fetch(`${service.url}/healthz`)
        running.child.kill(signal)
        const { code, stderr, stdout } = await running.ended
        assert.strictEqual(code, 130, stderr)
        assert.include(stdout, "verdict: leaked")
        const report = JSON.parse(readFileSync(join(program.folder, "leaks.json"), "utf8"))
        assert.strictEqual(report.verdict, "leaked")
        assert.match(JSON.stringify(report.unsearched), /The check was cancelled/u)
      } finally {
        await hanging.stop()
      }
    }
  )

  it("has colors on a terminal, but not in a file or on a terminal without colors", async () => {
    write("prod.env", `DB_PASSWORD=${leaked}\n`)
    const args = ["check", "--output", "console", "--output", "console=leaks.txt"]
    const colored = await program.run(args, { env: { FORCE_COLOR: "1" } })
    assert.include(colored.stdout, "\u001b[")
    assert.notInclude(readFileSync(join(program.folder, "leaks.txt"), "utf8"), "\u001b")
    for (const env of [{ TERM: "dumb" }, { NO_COLOR: "1" }] as const) {
      const plain = await program.run(args, { env: { FORCE_COLOR: "1", ...env } })
      assert.notInclude(plain.stdout, "\u001b")
    }
    assert.notInclude((await program.run([...args, "--no-color"], { env: { FORCE_COLOR: "1" } })).stdout, "\u001b")
  })

  it("leaves out a leak that the ignore file names", async () => {
    write("prod.env", `DB_PASSWORD=${leaked}\n`)
    const { stdout } = await program.run(["check", "--json"])
    const [{ fingerprint }] = JSON.parse(stdout).leaks
    const expires = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
    write(
      ".threat-exposure-ignore.yml",
      `ignore:\n  - fingerprint: ${fingerprint}\n    reason: rotated\n    expires: ${expires}\n`
    )
    assert.strictEqual((await program.run(["check"])).code, 0)
  })

  it.each([
    [["--staged", "--tree"], "one of"],
    [["--range", "main"], "A..B"],
    [["--range", "main..nonsuch"], "nonsuch"],
    [["--since", "tomorrow"], "--since"],
    [["--max-searches", "many"], "--max-searches"],
    [["--paths", "../elsewhere"], "leads out of the repository"],
    [["--config-file", "nonsuch.yml"], "nonsuch.yml"],
    [["--fail-on", "candidates"], "--offline"],
    [["--output", "pdf"], "--output: a value is not FORMAT"],
    [["--domains", ""], "a value that is not empty"],
    [["--login-domains", " , "], "a value that is not empty"],
    [["--paths", ""], "a value that is not empty"],
    [["--output", "sarif="], "--output: a value is not FORMAT"],
    [["--output", "json", "--output", "sarif"], "two formats go to standard output"],
    [["--json", "--output", "junit"], "two formats go to standard output"],
    [["--output", "json=a", "--output", "sarif=./a"], "two formats go to"],
    [["--secret-env", "NOT_SET"], "NOT_SET"]
  ])("refuses %j and says why (2)", async (flags, word) => {
    const { code, stderr } = await program.run(["check", ...flags])
    assert.strictEqual(code, 2)
    assert.include(stderr, word)
  })

  it("refuses a folder outside a repository (2), and checks the whole repository from a folder in it", async () => {
    mkdirSync(join(program.folder, "below"))
    write("prod.env", `DB_PASSWORD=${leaked}\n`)
    const below = { env: { THREAT_EXPOSURE_CALLED_FROM: join(program.folder, "below") } }
    assert.strictEqual((await program.run(["check"], below)).code, 1)
    const outside = { env: { THREAT_EXPOSURE_CALLED_FROM: mkdtempSync(join(tmpdir(), "threat-exposure-")) } }
    const refused = await program.run(["check"], outside)
    assert.strictEqual(refused.code, 2)
    assert.include(
      refused.stderr,
      "not in a git work tree, or git is not installed: change to a folder in one, name one (check PATH), or give --tree"
    )
    const folder = outside.env.THREAT_EXPOSURE_CALLED_FROM
    writeFileSync(join(folder, ".gitignore"), "local.env\n")
    writeFileSync(join(folder, "local.env"), `DB_PASSWORD=${leaked}\n`)
    assert.strictEqual((await program.run(["check", "--tree"], outside)).code, 0)
    writeFileSync(join(folder, "prod.env"), `DB_PASSWORD=${leaked}\n`)
    const checked = await program.run(["check", "--tree", "--json"], outside)
    rmSync(folder, { recursive: true })
    assert.strictEqual(checked.code, 1, checked.stderr)
    assert.deepStrictEqual(
      JSON.parse(checked.stdout).leaks[0].subject.locations.map(({ path }: { path: string }) => path),
      ["prod.env"]
    )
  })

  it("checks a repository elsewhere, or only a file or folder of one", async () => {
    mkdirSync(join(program.folder, "a[1],b"))
    for (const path of ["prod.env", "a[1],b/c.env"]) write(path, `DB_PASSWORD=${leaked}\n`)
    const outside = mkdtempSync(join(tmpdir(), "threat-exposure-"))
    const checked = async (...args: ReadonlyArray<string>) => {
      const env = { THREAT_EXPOSURE_CALLED_FROM: outside }
      const { code, stderr, stdout } = await program.run(["check", "--json", ...args], { env })
      const paths =
        stdout === ""
          ? []
          : JSON.parse(stdout).leaks.flatMap(
              ({ subject }: { subject: { locations: ReadonlyArray<{ path: string }> } }) =>
                subject.locations.map(({ path }) => path)
            )
      return { code, stderr, paths: paths.toSorted() }
    }
    const all = ["a[1],b/c.env", "prod.env"]
    for (const [args, paths] of [
      [[program.folder], all],
      [["-C", program.folder], all],
      [["-C", program.folder, "."], all],
      [["-C", join(program.folder, "a[1],b")], all],
      [[join(program.folder, "a[1],b")], ["a[1],b/c.env"]],
      [["-C", program.folder, "prod.env", "--tree"], ["prod.env"]]
    ] as const) {
      assert.deepInclude(await checked(...args), { code: 1, paths: [...paths] }, args.join(" "))
    }
    mkdirSync(join(outside, "plain"))
    writeFileSync(join(outside, "plain", "x.env"), `DB_PASSWORD=${leaked}\n`)
    assert.deepInclude(await checked("plain"), { code: 1, paths: ["x.env"] })
    assert.deepInclude(await checked("plain/x.env"), { code: 1, paths: ["x.env"] })
    const listed = await program.run(["-C", program.folder, "ignore", "list"], {
      env: { THREAT_EXPOSURE_CALLED_FROM: outside }
    })
    assert.strictEqual(listed.code, 0, listed.stderr)
    for (const args of [["gone"], ["-C", "gone"], ["plain", "--staged"], [program.folder, "-C", "plain/x.env"]]) {
      assert.deepInclude(await checked(...args), { code: 2 }, args.join(" "))
    }
    symlinkSync(join(program.folder, "prod.env"), join(outside, "plain", "link.env"))
    assert.deepInclude(await checked("plain/link.env"), { code: 1, paths: ["prod.env"] })
    rmSync(join(outside, "plain", "x.env"))
    // Links inside a folder are not followed.
    assert.deepInclude(await checked("plain"), { code: 3, paths: [] })
    execFileSync("mkfifo", [join(outside, "pipe")])
    assert.include((await checked("pipe")).stderr, "is neither a file nor a folder")
    assert.include((await checked("")).stderr, "PATH is empty")
    const both = await checked(join(program.folder, "prod.env"), "--paths", "x")
    assert.include(both.stderr, "Give either PATH or --paths")
    rmSync(outside, { recursive: true })
  })

  it("checks the findings of other scanners under the names of their rules", async () => {
    const finding = { RuleID: "generic-api-key", File: join(program.folder, "prod.env"), StartLine: 3, StartColumn: 5 }
    write("found.json", JSON.stringify([{ ...finding, Secret: leaked }]))
    const found = await program.run(["check", "--findings", "found.json", "--json"])
    assert.strictEqual(found.code, 1, found.stderr)
    const [leak] = JSON.parse(found.stdout).leaks
    assert.deepInclude(leak.subject.locations[0], { path: "prod.env", line: 3, rule: "generic-api-key" })
    write("lines.json", `${JSON.stringify({ DetectorName: "Postgres", Raw: unknown })}\n{"cut`)
    write("redacted.json", JSON.stringify([{ ...finding, Secret: "REDACTED" }]))
    write("empty.json", "\n")
    for (const [name, gap] of [
      ["lines.json", "1 finding of lines.json cannot be read"],
      [
        "redacted.json",
        "1 finding of redacted.json was not checked, because the file does not hold the value: generic-api-key in prod.env:3"
      ],
      ["empty.json", "empty.json is empty"]
    ] as const) {
      const { code, stdout } = await program.run(["check", "--findings", name, "--json"])
      assert.strictEqual(code, 3, name)
      assert.include(JSON.parse(stdout).gaps.join("\n"), gap)
    }
    write("none.json", "[]")
    assert.strictEqual((await program.run(["check", "--findings", "none.json"])).code, 0)
    write("other.json", '{ "a": 1 }')
    for (const name of ["other.json", "gone.json"]) {
      assert.strictEqual((await program.run(["check", "--findings", name])).code, 2, name)
    }
  })

  it("says that the path prefix is wrong as every command does (2)", async () => {
    write("prod.env", `DB_PASSWORD=${leaked}\n`)
    for (const args of [
      ["check"],
      ["check", "--on-incomplete", "warn"],
      ["search", "events"],
      ["search", "credentials", "--domain", "example.com"],
      ["event", "a/b"],
      ["quota"],
      ["export", "events", "--to", "e.csv"],
      ["feed", "--to", "-", "--state", "state", "--once"],
      ["accounts", "--domains", "example.com"]
    ]) {
      const { code, stderr } = await program.run([...args, "--path-prefix", "wrong"])
      assert.strictEqual(code, 2, args.join(" "))
      assert.include(stderr, "path prefix", args.join(" "))
    }
  })

  describe("the ignore file", () => {
    it("is extended, listed, and pruned of expired entries only", async () => {
      write("prod.env", `DB_PASSWORD=${leaked}\n`)
      const { stdout } = await program.run(["check", "--json"])
      const [{ fingerprint }] = JSON.parse(stdout).leaks
      write(
        ".threat-exposure-ignore.yml",
        "# ours\nignore:\n  - fingerprint: fedcba9876543210\n    reason: old\n    expires: 2026-01-01\n"
      )
      const added = await program.run(["ignore", "add", fingerprint, "--reason", "rotated", "--expires", "30d"])
      assert.strictEqual(added.code, 0, added.stderr)
      assert.match(added.stderr, new RegExp(`${fingerprint} is ignored until \\d{4}-\\d\\d-\\d\\d, in `, "u"))
      assert.strictEqual((await program.run(["check"])).code, 0)
      const listed = await program.run(["ignore", "list", "--json"])
      assert.deepStrictEqual(
        listed.stdout
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line).state),
        ["expired", "applies"]
      )
      assert.strictEqual((await program.run(["ignore", "prune"])).code, 0)
      for (const action of ["list", "prune"]) {
        const { code, stderr } = await program.run(["ignore", action, "--ignore-file", "misspelt.yml"])
        assert.strictEqual(code, 2)
        assert.include(stderr, "misspelt.yml cannot be read (no such file or directory)")
      }
      const text = readFileSync(join(program.folder, ".threat-exposure-ignore.yml"), "utf8")
      assert.include(text, "# ours")
      assert.include(text, fingerprint)
      assert.notInclude(text, "fedcba9876543210")
      write("empty.yml", "ignore: []\n")
      const none = await program.run(["ignore", "list", "--ignore-file", "empty.yml"])
      assert.deepStrictEqual([none.stdout, none.stderr], ["", "Nothing is ignored.\n"])
      for (const [given, fault] of [
        [["nonsense(", "--reason", "x"], "FINGERPRINT must be sixteen hexadecimal digits"],
        [[fingerprint, "--reason", " "], "--reason must say why"],
        [[fingerprint, "--reason", "x", "--expires", "2026-02-30"], "--expires must be a day that exists"],
        [[fingerprint, "--reason", "x", "--expires", "800d"], "--expires must be at most a year ahead"],
        [
          [fingerprint, "--reason", "x", "--expires", "1"],
          "--expires takes a date (2027-02-01) or a span from now (30d, 12w)"
        ]
      ] as const) {
        const { code, stderr } = await program.run(["ignore", "add", ...given])
        assert.strictEqual(code, 2)
        assert.include(stderr, fault)
        assert.notInclude(stderr, "line")
      }
      assert.strictEqual(readFileSync(join(program.folder, ".threat-exposure-ignore.yml"), "utf8"), text)
    })

    it("keeps the entries of several programs that add one at the same time", async () => {
      const fingerprints = Array.from({ length: 6 }, (_, number) => `0123456789abcde${number}`)
      const added = await Promise.all(
        fingerprints.map((fingerprint) => program.run(["ignore", "add", fingerprint, "--reason", "rotated"]))
      )
      for (const { code, stderr } of added) assert.strictEqual(code, 0, stderr)
      const { stdout } = await program.run(["ignore", "list", "--json"])
      const listed = stdout.trimEnd().split("\n")
      assert.deepStrictEqual(listed.map((line) => JSON.parse(line).fingerprint).toSorted(), fingerprints)
      assert.notInclude(readdirSync(program.folder).join(), ".lock")
    })

    it("takes a fingerprint in capitals and with blanks around it, as it may be pasted", async () => {
      const { code, stderr } = await program.run(["ignore", "add", " 0123456789ABCDEF ", "--reason", "rotated"])
      assert.strictEqual(code, 0, stderr)
      const { stdout } = await program.run(["ignore", "list", "--json"])
      assert.strictEqual(JSON.parse(stdout).fingerprint, "0123456789abcdef")
    })

    it("says that the entry may not apply elsewhere where the repository has no origin", async () => {
      const add = () => program.run(["ignore", "add", "0123456789abcdef", "--reason", "rotated"])
      const git = (...args: ReadonlyArray<string>) => execFileSync("git", ["-C", program.folder, "remote", ...args])
      const warning = "without a remote named origin"
      assert.include((await add()).stderr, warning)
      git("add", "origin", "https://git.example.com/team/shop.git")
      const { stderr } = await add()
      git("remove", "origin")
      assert.notInclude(stderr, warning)
    })

    it("refuses an entry that has already expired (2)", async () => {
      const args = ["ignore", "add", "0123456789abcdef", "--reason", "rotated", "--expires", "2026-01-01"]
      const { code, stderr } = await program.run(args)
      assert.strictEqual(code, 2)
      assert.include(stderr, "--expires 2026-01-01 is past")
      assert.notInclude(readdirSync(program.folder), ".threat-exposure-ignore.yml")
    })

    it("is the file that a check uses, by flag, variable or config file, from any folder", async () => {
      const read = (path: string) => readFileSync(join(program.folder, path), "utf8")
      const add = (fingerprint: string, options: RunOptions, ...flags: ReadonlyArray<string>) =>
        program.run(["ignore", "add", fingerprint, "--reason", "x", ...flags], options)
      mkdirSync(join(program.folder, "below"))
      write(".threat-exposure.yml", "ignore-file: below/team.yml\n")
      write("below/team.yml", "ignore: []\n")
      const below = { THREAT_EXPOSURE_CALLED_FROM: join(program.folder, "below") }
      for (const [fingerprint, file, env, ...flags] of [
        ["0123456789abcde0", "below/team.yml", {}],
        ["0123456789abcde1", "below/mine.yml", { THREAT_EXPOSURE_IGNORE_FILE: "below/mine.yml" }],
        ["0123456789abcde2", "below/own.yml", below, "--ignore-file", "own.yml"]
      ] as const) {
        const added = await add(fingerprint, { env }, ...flags)
        assert.strictEqual(added.code, 0, added.stderr)
        assert.include(read(file), fingerprint)
        const checked = await program.run(["check", "--json", "--tree", ...flags], { env })
        const used = JSON.parse(checked.stdout).ignore.map((entry: { fingerprint: string }) => entry.fingerprint)
        assert.deepStrictEqual(used, [fingerprint], checked.stderr)
      }
    })

    it("is not changed if it cannot be edited, or is invalid", async () => {
      for (const [text, fault] of [
        ["{ ignore: [] }\n", "cannot be edited in this form: write one entry below the other"],
        ["ignore:\n- reason: x\n", '.threat-exposure-ignore.yml, line 2: "fingerprint": this key is missing']
      ] as const) {
        write(".threat-exposure-ignore.yml", text)
        const { code, stderr } = await program.run(["ignore", "add", "0123456789abcdef", "--reason", "x"])
        assert.strictEqual(code, 2)
        assert.include(stderr, fault)
        assert.strictEqual(readFileSync(join(program.folder, ".threat-exposure-ignore.yml"), "utf8"), text)
      }
    })
  })

  describe("hooks", () => {
    /** Commits as a person would, with the program on the PATH or without. */
    const commitAs = (path: string, ...given: ReadonlyArray<string>) => {
      const [folder, args] = given[0] === "-C" ? [given[1] ?? "", given.slice(2)] : [program.folder, given]
      const env = {
        PATH: path,
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
        HOME: program.folder,
        THREAT_EXPOSURE_BASE_URL: service.url,
        THREAT_EXPOSURE_TOKEN: service.token
      }
      return run("git", ["-C", folder, "commit", "-m", "x", ...args], { env }).then(
        () => "committed",
        ({ stderr }: { readonly stderr: string }) => stderr
      )
    }

    it("stop a commit that leaks, and every commit that could not be checked; earlier hooks run first", async () => {
      const hooks = join(program.folder, ".git", "hooks")
      mkdirSync(hooks, { recursive: true })
      writeFileSync(join(hooks, "pre-commit"), "#!/bin/sh\necho ran >> earlier.txt\n", { mode: 0o755 })
      const installed = await program.run(["hook", "install"])
      assert.strictEqual(installed.code, 0, installed.stderr)
      assert.include(installed.stderr, "Commits and pushes are now checked, by pre-commit and pre-push in ")
      assert.include(installed.stderr, "threat-exposure is not on the PATH")
      const bin = join(program.folder, "bin")
      mkdirSync(bin)
      writeFileSync(
        join(bin, "threat-exposure"),
        `#!/bin/sh\nTHREAT_EXPOSURE_CALLED_FROM=$(pwd) exec "${process.execPath}" "${mainFile}" "$@"\n`,
        { mode: 0o755 }
      )
      const usual = process.env["PATH"] ?? ""
      const again = await program.run(["hook", "install"], { env: { PATH: `${bin}:${usual}` } })
      assert.strictEqual(again.code, 0, "twice changes nothing")
      assert.notInclude(again.stderr, "not on the PATH")
      write("prod.env", `DB_PASSWORD=${leaked}\n`)
      git("add", "prod.env")
      const leaking = await commitAs(`${bin}:${usual}`)
      assert.include(leaking, "--no-verify")
      assert.notInclude(leaking, leaked)
      write("prod.env", "DB_HOST=db.example.com\n")
      git("add", "prod.env")
      const without = await commitAs("/usr/bin:/bin")
      assert.include(without, "not installed")
      assert.strictEqual(await commitAs(`${bin}:${usual}`), "committed")
      assert.strictEqual(readFileSync(join(program.folder, "earlier.txt"), "utf8"), "ran\nran\nran\n")
      // For these commands, git uses a temporary index.
      write("prod.env", `DB_PASSWORD=${leaked}\n`)
      assert.include(await commitAs(`${bin}:${usual}`, "prod.env"), "exit code 1")
      const linked = join(program.folder, "linked")
      git("worktree", "add", "--quiet", linked)
      writeFileSync(join(linked, "prod.env"), `DB_PASSWORD=${leaked}\n`)
      assert.include(await commitAs(`${bin}:${usual}`, "-C", linked, "--all"), "exit code 1")

      const own = readFileSync(join(hooks, "pre-commit"), "utf8")
      writeFileSync(join(hooks, "pre-commit"), "#!/bin/sh\n")
      const kept = await program.run(["hook", "install"])
      assert.strictEqual(kept.code, 2, "an earlier hook that is kept is not overwritten")
      assert.include(kept.stderr, "pre-commit.before-threat-exposure")
      writeFileSync(join(hooks, "pre-commit"), own)
      assert.strictEqual((await program.run(["hook", "uninstall"])).code, 0)
      assert.include(readFileSync(join(hooks, "pre-commit"), "utf8"), "earlier.txt")
    })

    it("pass to an earlier hook exactly what git passes, and are removed by uninstall", async () => {
      const hooks = join(program.folder, ".git", "hooks")
      const remote = join(program.folder, ".git", "remote")
      mkdirSync(hooks, { recursive: true })
      writeFileSync(
        join(hooks, "pre-push"),
        '#!/bin/sh\ncat >> "$(dirname "$0")/read.txt"\necho "($1)" >> "$(dirname "$0")/read.txt"\n',
        {
          mode: 0o755
        }
      )
      const before = readdirSync(hooks)
      git("init", "--quiet", "--bare", remote)
      git("remote", "add", "origin", remote)
      const bin = join(program.folder, ".git", "bin")
      mkdirSync(bin)
      writeFileSync(join(bin, "threat-exposure"), "#!/bin/sh\ncat > /dev/null\n", { mode: 0o755 })
      /** The input of the earlier hook for a new branch, a push of nothing, several refs, and a deletion. */
      const pushes = () => {
        for (const refs of [["main"], ["main"], ["main:a", "main:b"], [":a"], [":b", ":main"]]) {
          execFileSync("git", ["-C", program.folder, "push", "--quiet", "origin", ...refs], {
            env: { ...process.env, PATH: `${bin}:${process.env["PATH"]}` },
            stdio: "pipe"
          })
        }
        const read = readFileSync(join(hooks, "read.txt"), "utf8")
        rmSync(join(hooks, "read.txt"))
        return read
      }
      git("-C", remote, "config", "receive.denyDeleteCurrent", "ignore")
      const alone = pushes()
      assert.strictEqual((await program.run(["hook", "install"])).code, 0)
      assert.strictEqual(pushes(), alone)
      assert.strictEqual((await program.run(["hook", "uninstall"])).code, 0)
      assert.deepStrictEqual(readdirSync(hooks), before)
    })

    it("keep an earlier hook that is a link to nothing, or empty", async () => {
      const hooks = join(program.folder, ".git", "hooks")
      mkdirSync(hooks, { recursive: true })
      symlinkSync("../../scripts/pre-commit", join(hooks, "pre-commit"))
      mkdirSync(join(program.folder, "scripts"))
      writeFileSync(join(hooks, "pre-push"), "", { mode: 0o755 })
      const before = readdirSync(hooks)
      assert.strictEqual((await program.run(["hook", "install"])).code, 0)
      assert.deepStrictEqual(readdirSync(join(program.folder, "scripts")), [])
      assert.strictEqual((await program.run(["hook", "uninstall"])).code, 0)
      assert.deepStrictEqual(readdirSync(hooks), before)
      assert.strictEqual(readlinkSync(join(hooks, "pre-commit")), "../../scripts/pre-commit")
    })

    it("are not installed in a folder that other clones or repositories share", async () => {
      mkdirSync(join(program.folder, ".husky", "_"), { recursive: true })
      git("config", "core.hooksPath", ".husky/_")
      const { code, stderr } = await program.run(["hook", "install"])
      assert.strictEqual(code, 2)
      assert.include(stderr, "core.hooksPath")
      assert.deepStrictEqual(readdirSync(join(program.folder, ".husky", "_")), [])
    })
  })

  /** A limit on the size of files ends a write in its middle, as a full disk does. */
  const onFullDisk = (args: string) =>
    run("sh", ["-c", `ulimit -f 1; exec "${process.execPath}" "${mainFile}" ${args}`], {
      cwd: program.folder,
      env: { PATH: process.env["PATH"], HOME: program.folder, NODE_DISABLE_COMPILE_CACHE: "1" }
    }).then(
      () => assert.fail("the file is larger than its limit"),
      ({ code, stderr }: { readonly code: number; readonly stderr: string }) => ({ code, stderr })
    )

  it.skipIf(process.platform === "win32").each([
    [".threat-exposure-ignore.yml", `# ${"x".repeat(1000)}\n`, "ignore add 25ae6aa11916ded1 --reason x"],
    [".codex/hooks.json", `${JSON.stringify({ x: "x".repeat(1000) })}\n`, "hook install --agent codex"],
    [".git/hooks/pre-commit", "#!/bin/sh\ntrue\n", "hook install"]
  ])("leaves %s as it is on a full disk (2)", async (name, before, args) => {
    const file = join(program.folder, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, before, { mode: 0o755 })
    const { code, stderr } = await onFullDisk(args)
    assert.strictEqual(code, 2)
    assert.match(stderr, /^error: .*\(file too large\)/mu)
    assert.include(stderr, dirname(name))
    assert.strictEqual(readFileSync(file, "utf8"), before)
    assert.notInclude(readdirSync(dirname(file)).join(" "), ".tmp")
    const { code: later, stderr: why } = await program.run(args.split(" "))
    assert.strictEqual(later, 0, why)
    assert.strictEqual(statSync(file).mode & 0o777, 0o755)
  })

  it("does not wait for lines of a hook at a terminal, and says what it reads when it waits", async () => {
    commit("app.env", `DB_PASSWORD=${unknown}\n`)
    assert.include(await program.atTerminal("check --push --offline"), "what the push sends: 2 commits")
    const shown = await program.atTerminal("check --stdin --offline", {
      after: "Ctrl-D",
      typed: `DB_PASSWORD=${unknown}\n\u0004`
    })
    assert.include(shown, "Reading standard input; Ctrl-D on a new line ends it")
    assert.include(shown, "DB_PASSWORD (named secret)")
  })
})
