/** Sign-in, searches and exports of the command line against the real service. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { createReadStream } from "node:fs"
import { appendFile, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { type RunningService, startService } from "@threat-exposure/service/testing/TestService"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { parse } from "yaml"
import { mainFile, makeProgram, type Program } from "./Program.ts"
import { startReceiver } from "./Receiver.ts"

describe("the command line", () => {
  let service: RunningService
  let signedIn: Program
  let signedOut: Program

  beforeAll(async () => {
    service = await startService({ sample: true })
    signedOut = await makeProgram()
    signedIn = await makeProgram({ THREAT_EXPOSURE_BASE_URL: service.url, THREAT_EXPOSURE_TOKEN: service.token })
  })
  afterAll(async () => {
    await Promise.all([service?.stop(), signedIn?.remove(), signedOut?.remove()])
  })

  describe("signing in", () => {
    it("reports what is missing: the address (2), or the token (4)", async () => {
      const withoutAddress = await signedOut.run(["whoami"])
      assert.strictEqual(withoutAddress.code, 2)
      assert.include(withoutAddress.stderr, "THREAT_EXPOSURE_BASE_URL")
      const misspelled = await signedOut.run(["whoami", "--profile", "stagign"])
      assert.strictEqual(misspelled.code, 2)
      assert.include(misspelled.stderr, 'There is no profile "stagign"')
      const withoutToken = await signedOut.run(["whoami", "--base-url", service.url])
      assert.strictEqual(withoutToken.code, 4)
      assert.include(withoutToken.stderr, "threat-exposure login")
    })

    it("saves a token from standard input, readable by its owner only, uses it, and deletes it", async () => {
      const login = await signedOut.run(["login", "--base-url", service.url], { input: `${service.token}\n` })
      assert.strictEqual(login.code, 0, login.stderr)
      assert.notInclude(login.stdout + login.stderr, service.token)
      const file = join(signedOut.folder, "config", "threat-exposure", "profiles.json")
      assert.include(login.stderr, file)
      assert.strictEqual((await stat(file)).mode & 0o777, 0o600)
      const whoami = await signedOut.run(["whoami", "--json"])
      assert.deepInclude(JSON.parse(whoami.stdout), { base_url: service.url, tenant_id: 1 })
      const logout = await signedOut.run(["logout"])
      assert.strictEqual(logout.code, 0)
      assert.include(logout.stderr, 'the profile "default" is deleted')
      assert.include((await signedOut.run(["logout"])).stderr, 'There is no profile "default"')
      assert.include((await signedOut.run(["login", "--list"])).stderr, "No profile is saved")
      assert.strictEqual((await signedOut.run(["whoami", "--base-url", service.url])).code, 4)
    })

    it("warns of a path prefix that the service does not have", async () => {
      for (const [prefix, isRight] of [
        ["svc", true],
        ["wrong", false]
      ] as const) {
        const login = await signedOut.run(["login", "--base-url", service.url, "--path-prefix", prefix], {
          input: service.token
        })
        assert.strictEqual(login.code, 0, login.stderr)
        assert.strictEqual(login.stderr.includes("the path prefix is wrong"), !isRight, login.stderr)
      }
      await signedOut.run(["logout"])
    })

    it("keeps no token in the working directory", async () => {
      const before = await readdir(signedOut.folder)
      const nowhere = { HOME: "", XDG_CONFIG_HOME: "" }
      for (const env of [nowhere, { ...nowhere, XDG_CONFIG_HOME: "settings" }]) {
        const login = await signedOut.run(["login", "--base-url", service.url], { env, input: service.token })
        assert.strictEqual(login.code, 2)
        assert.include(login.stderr, "set HOME or XDG_CONFIG_HOME")
        const whoami = await signedOut.run(["whoami", "--base-url", service.url], { env })
        assert.strictEqual(whoami.code, 4, whoami.stderr)
      }
      assert.deepStrictEqual(await readdir(signedOut.folder), before)
    })

    it("does not save a token that the service refuses", async () => {
      const login = await signedOut.run(["login", "--base-url", service.url], { input: "te_wrong" })
      assert.strictEqual(login.code, 4)
      const empty = await signedOut.run(["login", "--api-key", "--base-url", service.url])
      assert.strictEqual(empty.code, 2)
      assert.include(empty.stderr, "API key missing")
      assert.strictEqual((await signedOut.run(["whoami"])).code, 2)
    })

    it("never sends a saved token to another service", async () => {
      await signedOut.run(["login", "--base-url", service.url], { input: service.token })
      const other = await signedOut.run(["whoami", "--base-url", "http://127.0.0.1:1"])
      assert.strictEqual(other.code, 4)
      assert.include(other.stderr, `is for ${service.url}`)
      await signedOut.run(["logout"])
    })

    it("refuses an address that would send the token in clear, and other wrong settings, as they were given", async () => {
      const clear = "http://example.com"
      const url = service.url
      for (const [args, env, message] of [
        [["login", "--base-url", clear], {}, "--base-url must begin with https:// "],
        [["login"], { THREAT_EXPOSURE_BASE_URL: clear }, "THREAT_EXPOSURE_BASE_URL must begin with https:// "],
        [["login", "--base-url", url, "--path-prefix", "a b"], {}, "--path-prefix must be segments of a path"],
        [["login", "--base-url", url, "--api-key"], {}, "API key contains characters that are not allowed in a header"],
        [
          ["whoami"],
          { THREAT_EXPOSURE_BASE_URL: "x", THREAT_EXPOSURE_TOKEN: "t" },
          "THREAT_EXPOSURE_BASE_URL is not a URL"
        ],
        [
          ["whoami", "--base-url", url],
          { THREAT_EXPOSURE_API_KEY: "ü" },
          "THREAT_EXPOSURE_API_KEY contains characters that are not allowed in a header"
        ],
        [
          ["whoami", "--base-url", url],
          { THREAT_EXPOSURE_TOKEN: "t", THREAT_EXPOSURE_PATH_PREFIX: "." },
          "THREAT_EXPOSURE_PATH_PREFIX must be segments of a path"
        ]
      ] as const) {
        const { code, stderr } = await signedOut.run(args, { env, input: "a key with spaces" })
        assert.strictEqual(code, 2, stderr)
        assert.isTrue(stderr.startsWith(`error: ${message}`), stderr)
      }
    })
  })

  it("distinguishes an unreachable service (5) from wrong use (2)", async () => {
    const options = { env: { THREAT_EXPOSURE_BASE_URL: "http://127.0.0.1:9" } }
    assert.strictEqual((await signedIn.run(["whoami"], options)).code, 5)
    assert.strictEqual((await signedIn.run([])).code, 2, "a hook that forgot its command must not pass")
    assert.strictEqual((await signedIn.run(["search"])).code, 2)
    assert.strictEqual((await signedIn.run(["search", "--help"])).code, 0)
    const port = await signedIn.run(["feed", "--to", "-", "--state", "s", "--metrics", "99999"])
    assert.include(port.stderr, "a port from 1 to 65535")
    const word = await signedIn.run(["feed", "--to", "-", "--state", "s", "--metrics", "many"])
    assert.include(word.stderr, "--metrics (not repeated here, as it may be a secret). Expected a number\n")
    const unknown = await signedIn.run(["sarch", "events"])
    assert.deepStrictEqual(
      [unknown.code, unknown.stderr.split("\n")[0]],
      [2, "error: Unknown command (not repeated here, as it may be a secret): did you mean search?"]
    )
    const mistyped = await signedIn.run(["whoami", "--jsn"])
    assert.strictEqual(mistyped.code, 2)
    assert.include(mistyped.stderr, "--jsn")
    const twice = await signedIn.run(["whoami", "--profile", "a", "--profile", "b"])
    assert.strictEqual(twice.code, 2)
    assert.include(twice.stderr, "error: --profile is given more than once\n")
  })

  it.skipIf(process.platform === "win32")("stops with the npx that runs it, which passes no signal on", async () => {
    const feed = ["feed", "--query", "example.com", "--to", "-", "--state", join(signedIn.folder, "npx.json")]
    const command = [process.execPath, mainFile, ...feed].map((word) => `"${word}"`).join(" ")
    const npx = spawn("npm", ["exec", "--offline", "-c", command], {
      cwd: signedIn.folder,
      // A process group, so that all its processes can be ended.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, THREAT_EXPOSURE_BASE_URL: service.url, THREAT_EXPOSURE_TOKEN: service.token }
    })
    try {
      let messages = ""
      npx.stderr.on("data", (chunk) => (messages += chunk))
      await once(npx.stdout, "data")
      // The feed has inherited its outputs.
      const outputsClosed = once(npx, "close", { signal: AbortSignal.timeout(600_000) })
      npx.kill("SIGTERM")
      await outputsClosed
      assert.notInclude(messages, "error:")
    } finally {
      try {
        process.kill(-(npx.pid ?? 0), "SIGKILL")
      } catch {
        // The process group has ended.
      }
    }
  })

  it("shows the errors of a service without control sequences", async () => {
    const message = "\u001b]0;title\u0007\r\nerror: forged \u009b2J\u202E"
    const hostile = await startReceiver(() => ({ status: 400, body: { message, code: message } }))
    const options = { env: { THREAT_EXPOSURE_BASE_URL: hostile.url } }
    for (const args of [["search", "credentials", "--domain", "example.com"], ["whoami"], ["search", "events"]]) {
      const { stderr, stdout } = await signedIn.run(args, options)
      assert.match(stdout + stderr, /^error: [^\p{Cc}\p{Cf}]*forged[^\p{Cc}\p{Cf}]*\n$/u)
    }
    await hostile.close()
  })

  it("says how many searches are left; a hundred results cost one", async () => {
    const left = async (): Promise<number> =>
      JSON.parse((await signedIn.run(["quota", "--json"])).stdout).searches_remaining
    const before = await left()
    assert.isAbove(before, 1000)
    const perQuota = before - (await left())
    const limit = ["--domain", "example.com", "--limit", "100", "--json"]
    const { stderr, stdout } = await signedIn.run(["search", "credentials", ...limit])
    assert.lengthOf(stdout.trimEnd().split("\n"), 100)
    assert.include(stderr, "there are more")
    assert.strictEqual(before - (await left()), 1 + 2 * perQuota)
  })

  it.skipIf(process.platform !== "linux")("fails when standard output does not take what it prints (3)", async () => {
    for (const [args, input] of [
      [["search", "credentials", "--domain", "example.com"], ""],
      [["check", "--stdin", "--json"], "nothing of a secret"]
    ] as const) {
      const { code, stderr } = await signedIn.start(args, { input, output: "/dev/full" }).ended
      assert.include(stderr, "error: Standard output cannot be written: no space left on device.")
      assert.strictEqual(code, 3)
    }
  })

  it("lists every detection rule with its advice, without a service", async () => {
    const { code, stdout } = await signedOut.run(["rules", "list", "--json"])
    assert.strictEqual(code, 0)
    const listed = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    const github = listed.find(({ rule }) => rule === "provider/github")
    assert.strictEqual(github?.finds, "GitHub token")
    assert.include(github?.advice, "On GitHub")
    assert.include(listed.find(({ rule }) => rule === "private-key")?.advice, "public key")
    assert.isTrue(listed.every(({ advice, finds }) => advice !== "" && finds !== ""))
    assert.include((await signedOut.run(["rules", "get", "private-key"])).stdout, "without a passphrase")
    const unknown = await signedOut.run(["rules", "get", "provider/nobody"])
    assert.strictEqual(unknown.code, 2)
    assert.include(unknown.stderr, 'There is no rule "provider/nobody"')
    assert.strictEqual((await signedOut.run(["rules", "get", "constructor"])).code, 2)
  })

  it("works even if nobody reads its messages", async () => {
    const running = signedIn.start(["export", "credentials", "--domain", "example.com", "--to", "unread.csv"])
    running.child.stderr?.destroy()
    assert.strictEqual((await running.ended).code, 0)
    assert.include(await readdir(signedIn.folder), "unread.csv")
    assert.notInclude(await readdir(signedIn.folder), "unread.csv.resume")
  })

  it.skipIf(process.platform !== "linux").each([
    ["login", "Access token:"],
    ["search credentials --domain example.com --reveal", "Show passwords in clear"]
  ])("%s ends at once with Ctrl-C at its prompt (130)", async (args, prompt) => {
    const env = { ...process.env, THREAT_EXPOSURE_BASE_URL: service.url, THREAT_EXPOSURE_TOKEN: service.token }
    const command = `${process.execPath} ${mainFile} ${args}`
    const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], { env })
    let shown = ""
    let isStopped = false
    child.stdout.on("data", (chunk) => {
      shown += chunk
      if (isStopped || !shown.includes(prompt)) return
      isStopped = true
      child.stdin.write("\u0003")
    })
    const [code] = await once(child, "close")
    assert.strictEqual(code, 130)
    assert.notMatch(shown, /error:|@example\.com/u)
  })

  describe("searching", () => {
    it("shows credentials as a table without passwords", async () => {
      const { code, stderr, stdout } = await signedIn.run([
        "search",
        "credentials",
        "--domain",
        "example.com",
        "--limit",
        "3"
      ])
      assert.strictEqual(code, 0)
      const lines = stdout.trimEnd().split("\n")
      assert.lengthOf(lines, 4)
      assert.match(lines[0] ?? "", /^ACCOUNT +PASSWORD +SOURCE +IMPORTED$/u)
      assert.include(stderr, "there are more")
    })

    it("has a column for each field that is included", async () => {
      const included = ["known_password_id", "auth_domains", "urls"].flatMap((name) => ["--include", name])
      const args = ["search", "credentials", "--domain", "example.com", ...included]
      const [head = "", ...rows] = (await signedIn.run(args)).stdout.trimEnd().split("\n")
      assert.match(head, /IMPORTED +KNOWN PASSWORD +LOGINS AT +URLS$/u)
      const credentials = (await signedIn.run([...args, "--json"])).stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      for (const name of ["LOGINS AT", "URLS"]) {
        const key = name === "URLS" ? "urls" : "auth_domains"
        const shown = rows.map((row) => row.slice(head.indexOf(name)))
        for (const [at, credential] of credentials.entries()) {
          if (credential[key].length > 0) assert.isTrue(shown[at]?.startsWith(credential[key].join(" ")), shown[at])
        }
      }
      assert.isTrue(credentials.some(({ auth_domains }) => auth_domains.length > 0))
    })

    it("wraps messages at a terminal between words, and colors no help under --no-color", async () => {
      const shown = await signedIn.atTerminal("accounts --domains example.com")
      assert.include(
        shown,
        "Observed: the quota fell by 0 since the first answer, for all who share the\r\n  account; "
      )
      assert.match(shown, /\r\npassword in clear: .*; active, password not changed\r\n {2}since: 0\r\n/u)
      assert.notInclude(await signedIn.atTerminal("accounts --help --no-color"), "\u001b")
    })

    it("shows the columns that were asked for before others, and wraps records between words", async () => {
      const include = "--include urls --include auth_domains --include known_password_id"
      const shown = await signedIn.atTerminal(`search credentials --domain example.com --limit 2 ${include}`)
      for (const title of ["URLS", "LOGINS AT", "KNOWN PASSWORD"]) assert.include(shown, title)
      const rule = await signedIn.atTerminal("rules get provider/github")
      assert.match(rule, /^advice: .{50,72}\r\n {2}\w/mu)
    })

    it("shows on a terminal how far a search of several pages is", async () => {
      const shown = await signedIn.atTerminal("search events --domain example.com --limit 20")
      assert.include(shown, "\r10 of at most 20 so far\u001b[K\r20 of at most 20 so far\u001b[K\r\u001b[K")
    })

    it("shows the match if an event has no title", async () => {
      const args = ["search", "events", "--domain", "example.com", "--types", "leak", "--limit"]
      const { stderr, stdout } = await signedIn.run([...args, "20"])
      const [head = "", ...rows] = stdout.trimEnd().split("\n")
      const title = head.indexOf("TITLE")
      assert.deepStrictEqual(
        rows.filter((row) => row.charAt(title).trim() === "" || row.includes("<mark>")),
        []
      )
      assert.match(stderr, /^20 events; there are more/u)
      assert.match((await signedIn.run([...args, "1"])).stderr, /^1 event; there are more/u)
    })

    it("prints one JSON object per line, with hashes redacted", async () => {
      const { stdout } = await signedIn.run(["search", "credentials", "--domain", "example.com", "--json"])
      for (const line of stdout.trimEnd().split("\n")) {
        assert.include([null, "[redacted]"], JSON.parse(line).hash)
      }
    })

    it("takes a secret from a variable or standard input, and shows it nowhere", async () => {
      const secret = "nobody-has-this-one"
      const byVariable = await signedIn.run(["search", "credentials", "--secret-env", "MINE"], {
        env: { MINE: secret }
      })
      const byInput = await signedIn.run(["search", "credentials", "--secret-stdin"], { input: secret })
      for (const { code, stderr, stdout } of [byVariable, byInput]) {
        assert.strictEqual(code, 0)
        assert.include(stderr, "No credentials found.")
        assert.notInclude(stdout + stderr, secret)
      }
    })

    it("reveals passwords on a terminal only", async () => {
      const { code, stderr } = await signedIn.run(["search", "credentials", "--domain", "example.com", "--reveal"])
      assert.strictEqual(code, 2)
      assert.include(stderr, "terminal")
    })

    it("shows the help of a command after the word help", async () => {
      const named = await signedIn.run(["help", "search", "events"])
      assert.strictEqual(named.code, 0)
      assert.deepStrictEqual(named, await signedIn.run(["search", "events", "--help"]))
      assert.include((await signedIn.run(["help"])).stdout, "SUBCOMMANDS")
      const unknown = await signedIn.run(["help", "serch"])
      assert.strictEqual(unknown.code, 2)
      assert.include(unknown.stderr, "did you mean search?")
    })

    it("lists the saved profiles without secrets, and names them where another is asked for", async () => {
      const work = await signedOut.run(["login", "--base-url", service.url, "--profile", "work"], {
        input: service.token
      })
      assert.strictEqual(work.code, 0, work.stderr)
      const listed = await signedOut.run(["login", "--list", "--json"])
      const profiles = listed.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.deepInclude(profiles, { name: "work", base_url: service.url, kind: "token", tenant: null })
      assert.notInclude(listed.stdout, service.token)
      const unknown = await signedOut.run(["search", "events", "--profile", "wrk"])
      assert.strictEqual(unknown.code, 2)
      assert.match(unknown.stderr, /There is no profile "wrk" \(saved: .*work\)/u)
      const env = { THREAT_EXPOSURE_BASE_URL: service.url, THREAT_EXPOSURE_TOKEN: service.token }
      const besideVariables = await signedOut.run(["whoami", "--profile", "wrk"], { env })
      assert.strictEqual(besideVariables.code, 2, "a misspelt name is not another account")
      assert.include(besideVariables.stderr, 'There is no profile "wrk"')
      assert.strictEqual((await signedOut.run(["whoami", "--profile", "work"], { env })).code, 0)
      const misspelt = await signedOut.run(["logout", "--profile", "wrk"])
      assert.strictEqual(misspelt.code, 2, "the token of the profile that was meant is still there")
      assert.match(misspelt.stderr, /There is no profile "wrk" \(saved: .*work\)/u)
    })

    it("keeps the profiles of several programs that sign in at the same time", async () => {
      const names = Array.from({ length: 5 }, (_, number) => `at-once-${number}`)
      const each = (command: ReadonlyArray<string>) =>
        Promise.all(names.map((name) => signedOut.run([...command, "--profile", name], { input: service.token })))
      for (const { code, stderr } of await each(["login", "--base-url", service.url])) {
        assert.strictEqual(code, 0, stderr)
      }
      const listed = (await signedOut.run(["login", "--list"])).stdout
      assert.deepStrictEqual(
        names.filter((name) => !listed.includes(name)),
        []
      )
      for (const { code, stderr } of await each(["logout"])) assert.strictEqual(code, 0, stderr)
      assert.notInclude((await signedOut.run(["login", "--list"])).stdout, "at-once")
    })

    it.each(["--profile", "--cwd"])(
      "refuses an empty %s, which a script gives if its variable is not set",
      async (flag) => {
        const login = await signedOut.run(["login", "--base-url", service.url, flag, ""], { input: service.token })
        assert.strictEqual(login.code, 2, login.stderr)
        assert.include(login.stderr, `Missing value for flag ${flag}. Expected: a value that is not empty`)
      }
    )

    it.each([
      [["search", "events", "--types"], ","],
      [["identifiers", "create", "--type", "keyword", "--value", "quartz", "--categories"], " "],
      [["accounts", "--domains"], ""]
    ])("refuses a list without a value: %j %j", async (args, list) => {
      const { code, stderr } = await signedIn.run([...args, list])
      assert.strictEqual(code, 2)
      assert.match(stderr, new RegExp(`value for flag ${args.at(-1)}.* Expected:? a value that is not empty`, "u"))
    })

    it("ignores empty parts of a list", async () => {
      const { code, stderr } = await signedIn.run(["search", "events", "--types", "paste,,", "--limit", "1", "--json"])
      assert.deepStrictEqual([code, stderr.includes("is not known")], [0, false])
    })

    it.each([
      [["search", "events", "--limit", "hunter2quartz"], "--limit"],
      [["search", "events", "--order", "hunter2quartz"], "--order"],
      [["search", "events", "--types", "hunter2quartz"], "--types"],
      [["search", "events", "--since", "hunter2quartz"], "--since"],
      [["search", "events", "--domain", "hunter2quartz/x"], "--domain"],
      [["search", "events", "--json=hunter2quartz"], "--json"],
      [["search", "events", "--since", "-unter2quartz"], "Missing value for flag --since"]
    ])("does not repeat the refused value of %j", async (args, flag) => {
      const { code, stderr, stdout } = await signedIn.run(args)
      assert.strictEqual(code, 2)
      assert.include(stderr, flag)
      assert.notMatch(stderr + stdout, /hunter2quartz|-q\b/u)
    })

    it("takes the value of a switch after = only", async () => {
      for (const uid of ["1", "yes", "off"]) {
        const { code, stderr } = await signedIn.run(["event", "--json", uid])
        assert.strictEqual(code, 2)
        assert.include(stderr, `No event "${uid}" was found`)
      }
    })

    it("shows an event by its uid", async () => {
      const found = await signedIn.run(["search", "events", "--types", "paste", "--limit", "1", "--json"])
      const { uid } = JSON.parse(found.stdout).metadata
      const { code, stdout } = await signedIn.run(["event", uid])
      assert.strictEqual(code, 0)
      assert.match(stdout, new RegExp(`^UID +${uid}$`, "mu"))
      const wire = JSON.parse((await signedIn.run(["event", uid, "--json"])).stdout)
      assert.strictEqual(wire.metadata.uid, uid)
      assert.deepStrictEqual(parse((await signedIn.run(["event", uid, "--output", "yaml"])).stdout), wire)
      const unknown = await signedIn.run(["event", "nobody/has/this"])
      assert.strictEqual(unknown.code, 2)
      assert.include(unknown.stderr, 'No event "nobody/has/this" was found')
    })

    it("sends types of events that it does not know, with a warning, and says which the service takes", async () => {
      for (const [type, isWarned] of [
        ["leaked_credential", false],
        ["yet_unknown", true]
      ] as const) {
        const { code, stderr } = await signedIn.run(["search", "events", "--types", `leak,${type}`])
        assert.strictEqual(stderr.includes(`--types: ${type} is not known to this version`), isWarned)
        assert.include(stderr, "--types (value 2) is refused by the service: Input should be 'illicit_networks', ")
        assert.strictEqual(code, 2)
      }
    })

    it.each([
      [["search", "events", "--severity", "hgh"], "--severity: hgh is not one of info, low, medium, high, critical"],
      [["search", "credentials", "--domain", ""], "--domain"],
      [["search", "credentials", "--domain", "https://example.com"], "a value is not a host name"],
      [["search", "credentials", "--login-domain", "me@example.com"], "a value is not a host name"],
      [["search", "events", "--domain", "https://example.com"], "a value is not a host name"],
      [["search", "credentials", "--email", " "], "a value that is not empty"],
      [["search", "credentials", "--email", "jane"], "an address, such as jane@example.com"],
      [["search", "events", "--ip", "192.0.2"], "an address or a network, such as 192.0.2.1"],
      [["search", "events", "--ip", "192.0.2.0/33"], "an address or a network"],
      [["search", "events", "--query", "("], "--query is refused by the service: This bracket"],
      [
        ["export", "events", "--keyword", "x".repeat(300), "--to", "k.csv"],
        "--keyword is refused by the service: A term"
      ],
      [["identifiers", "create", "--type", "keyword", "--value", "x".repeat(300)], "--value is refused by the service"],
      [["identifiers", "create", "--type", "domain", "--value", "a.com", "--group", "99999"], "--group is refused by"],
      [
        ["identifiers", "create", "--type", "github_repository", "--value", "a"],
        "--value: --type github_repository takes OWNER/NAME"
      ],
      [
        ["policies", "create", "--name", "a", "--type", "LUCENE_QUERY", "--query", "("],
        "--query is refused by the service"
      ],
      [["groups", "create", "x".repeat(1001)], "NAME: Expected a value with a length of at most 1000"],
      [["events", "tag", "paste/a", "--tags", `a,${"x".repeat(101)}`], "--tags (value 2): Expected"],
      [["events", "note", "paste/a", "--text", "x".repeat(10_001)], "--text: Expected"],
      [["search", "events", "--identifier", "99999"], 'No identifier "99999" was found'],
      [["export", "events", "--identifier", "99998", "--to", "i.csv"], 'No identifier "99998" was found'],
      [["policies", "get", " "], "argument <UUID>"],
      [["reports", "download", "", "--format", "csv", "--to", "r.csv"], "argument <ID>"],
      [["export", "credentials", "--email", "a@b", "--to", ""], "flag --to. Expected: a value that is not empty"],
      [["export", "monitoring", "--to", ""], "flag --to. Expected: a value that is not empty"],
      [["feed", "--to", "-", "--state", ""], "flag --state. Expected: a value that is not empty"],
      [["check", "--findings", ""], "flag --findings. Expected: a value that is not empty"],
      [["feed", "--query", "(", "--to", "-", "--state", "refused", "--once"], "--query is refused by the service"],
      [["accounts", "--directory-columns", "email=Mail"], "--directory-columns needs --directory"],
      [["plan", ""], "argument <FILE>"],
      [["whoami", "--cwd", "nowhere"], "--cwd: "],
      [["search", "events", "--query", "a", "--since", "-5d"], "as in --flag=-value"],
      [["export", "events", "--bin", "4000-00", "--to", "a.csv"], "the first digits of a card number"],
      [["search", "events", "--since", "1d", "--until", "30d"], "nothing lies between them"],
      [["search", "events", "--strict", "--query", "a"], "--person"],
      [["login", "--tenant", "5"], "--api-key"],
      [["mcp", "--root", ""], "a value that is not empty"],
      [["reports", "create", "--title", ""], "a value that is not empty"],
      [["events", "ignore", "--from-file", ""], "a value that is not empty"],
      [["accounts", "--directory", ""], "a value that is not empty"],
      [["feed", "--state", "s", "--to", "file:a", "--to", "file:./a"], "a sink is given twice"],
      [
        ["feed", "--state", "s", "--to", "splunk-hec:https://example.com", "--to", "splunk-hec:https://EXAMPLE.com/"],
        "a sink is given twice"
      ],
      [["search", "events", "--tags", "a"], "--identifier"],
      [["search", "events", "--query", "a", "--domain", "example.com"], "one query"],
      [["search", "events", "--since", "tomorrow"], "--since"],
      [["search", "credentials"], "--domain"],
      [["search", "credentials", "--secret-env", "NOT_SET"], "NOT_SET"]
    ])("refuses %j and says why", async (args, word) => {
      const { code, stderr, stdout } = await signedIn.run(args)
      assert.strictEqual(code, 2)
      assert.include(stderr, word)
      assert.strictEqual(stdout, "")
    })
  })

  describe("exporting", () => {
    it("resumes to the same bytes as an export that was never interrupted", async () => {
      const args = ["export", "credentials", "--domain", "example.com", "--since", "3000d"]
      const whole = await signedIn.run([...args, "--to", "whole.csv"])
      assert.strictEqual(whole.code, 0, whole.stderr)
      const part = await signedIn.run([...args, "--to", "part.csv", "--max-searches", "1"])
      assert.strictEqual(part.code, 3)
      assert.include(part.stderr, "--resume")
      const file = join(signedIn.folder, "part.csv")
      // A run that was killed may have written more than its progress tells.
      await appendFile(file, "half a li")
      const progress = JSON.parse(await readFile(`${file}.resume`, "utf8"))
      const rest = await signedIn.run([...args, "--to", "part.csv", "--resume"])
      assert.strictEqual(rest.code, 0, rest.stderr)
      const content = await readFile(join(signedIn.folder, "whole.csv"), "utf8")
      assert.strictEqual(await readFile(file, "utf8"), content)
      assert.isAbove(content.split("\n").length, 200)
      assert.strictEqual((await stat(file)).mode & 0o777, 0o600)
      assert.notInclude(content.split("\n")[0] ?? "", ",hash,")
      // Killed after its last page, before it was marked as complete.
      const items = content.trimEnd().split("\n").length - 1
      const atEnd = { ...progress, from: null, bytes: Buffer.byteLength(content), items }
      await writeFile(`${file}.resume`, JSON.stringify(atEnd))
      const ended = await signedIn.run([...args, "--to", "part.csv", "--resume"])
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.strictEqual(await readFile(file, "utf8"), content)
      // Killed after it made the file, before or after it wrote its first progress, or its head.
      const none = { ...progress, from: null, bytes: 0, items: 0 }
      for (const [written, told] of [
        ["", undefined],
        ["", none],
        [content.slice(0, 20), none]
      ] as const) {
        await writeFile(file, written)
        if (told !== undefined) await writeFile(`${file}.resume`, JSON.stringify(told))
        const begun = await signedIn.run([...args, "--to", "part.csv", "--resume"])
        assert.strictEqual(begun.code, 0, begun.stderr)
        const lines = (await readFile(file, "utf8")).split("\n")
        assert.deepStrictEqual([lines.length, lines[0]], [content.split("\n").length, content.split("\n")[0]])
      }
      const complete = await signedIn.run([...args, "--to", "part.csv", "--resume"])
      assert.strictEqual(complete.code, 2)
      assert.include(complete.stderr, "part.csv is complete, or was not started by an export")
    })

    /** A limit on the size of files ends a write in its middle, as a full disk does. Resolves to the messages. */
    const onFullDisk = (args: ReadonlyArray<string>) =>
      promisify(execFile)("sh", ["-c", `ulimit -f 20; exec "${process.execPath}" "${mainFile}" ${args.join(" ")}`], {
        cwd: signedIn.folder,
        env: {
          PATH: process.env["PATH"],
          NODE_DISABLE_COMPILE_CACHE: "1",
          THREAT_EXPOSURE_BASE_URL: service.url,
          THREAT_EXPOSURE_TOKEN: service.token
        }
      }).then(
        () => assert.fail("the file is larger than its limit"),
        ({ stderr }: { readonly stderr: string }) => stderr
      )

    it.skipIf(process.platform === "win32")("keeps the accounts of an earlier run on a full disk", async () => {
      const file = join(signedIn.folder, "accounts.json")
      await writeFile(file, "earlier", { mode: 0o640 })
      const args = ["accounts", "--domains", "example.com", "--to", "accounts.json"]
      assert.include(await onFullDisk(args), "accounts.json cannot be written (file too large)")
      assert.strictEqual(await readFile(file, "utf8"), "earlier")
      assert.notInclude(await readdir(signedIn.folder), "accounts.json.tmp")
      const written = await signedIn.run(args)
      assert.strictEqual(written.code, 0)
      assert.include(written.stderr, `Written to ${file}.`)
      assert.isAbove(JSON.parse(await readFile(file, "utf8")).length, 100)
      assert.strictEqual((await stat(file)).mode & 0o777, 0o640)
    })

    it.skipIf(process.platform === "win32")("resumes after a full disk, and counts what is on it", async () => {
      const args = ["export", "credentials", "--domain", "example.com", "--since", "3000d"]
      assert.strictEqual((await signedIn.run([...args, "--to", "all.ndjson"])).code, 0)
      const stderr = await onFullDisk([...args, "--to", "full.ndjson"])
      assert.include(stderr, "full.ndjson cannot be written (file too large)")
      assert.notInclude(
        (await readdir(signedIn.folder)).join(),
        "full.ndjson",
        "nothing is left that stops a second try"
      )
      const resumed = await signedIn.run([...args, "--to", "full.ndjson", "--resume"])
      assert.strictEqual(resumed.code, 0, resumed.stderr)
      const contentOf = (name: string) => readFile(join(signedIn.folder, name), "utf8")
      assert.strictEqual(await contentOf("full.ndjson"), await contentOf("all.ndjson"))
    })

    it("names the file of its progress if that cannot be written, and begins no export (2)", async () => {
      await mkdir(join(signedIn.folder, "unsaved.ndjson.resume"))
      const { code, stderr } = await signedIn.run([
        "export",
        "credentials",
        "--domain",
        "example.com",
        "--to",
        "unsaved.ndjson"
      ])
      assert.strictEqual(code, 2)
      assert.include(stderr, "unsaved.ndjson.resume cannot be written (illegal operation on a directory): check its")
      assert.notInclude(await readdir(signedIn.folder), "unsaved.ndjson")
    })

    it("leaves no file where the search is refused", async () => {
      const { code } = await signedIn.run(["export", "events", "--identifier", "99999", "--to", "refused.csv"])
      assert.strictEqual(code, 2)
      assert.notInclude((await readdir(signedIn.folder)).join(), "refused.csv")
    })

    it("refuses to overwrite a file, or to resume another search", async () => {
      const export_ = (domain: string, ...more: ReadonlyArray<string>) =>
        signedIn.run(["export", "credentials", "--domain", domain, "--to", "kept.ndjson", ...more])
      assert.strictEqual((await export_("example.com", "--max-searches", "1")).code, 3)
      const again = await export_("example.com")
      assert.strictEqual(again.code, 2)
      assert.include(again.stderr, "kept.ndjson exists: continue it with --resume, or delete it")
      const other = await export_("example.net", "--resume")
      assert.strictEqual(other.code, 2)
      assert.include(other.stderr, "another search")
      assert.strictEqual((await export_("example.com", "--resume")).code, 0)
      const complete = await export_("example.com")
      assert.strictEqual(complete.code, 2)
      assert.include(
        complete.stderr,
        "kept.ndjson exists already, and is not overwritten: give another name, or delete it"
      )
    })

    it("writes events as they were received, one a line", async () => {
      const { code } = await signedIn.run(["export", "events", "--query", "example", "--to", "events.ndjson"])
      assert.strictEqual(code, 0)
      const lines = (await readFile(join(signedIn.folder, "events.ndjson"), "utf8")).trimEnd().split("\n")
      assert.isAbove(lines.length, 100)
      const uids = new Set(lines.map((line) => JSON.parse(line).metadata.uid))
      assert.strictEqual(uids.size, lines.length)
    })
  })

  it("continues past credentials that cannot be read, and says that they are left out", async () => {
    const answer = await fetch(`${service.url}/svc/v4/credentials/global/_search`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
      body: JSON.stringify({ query: { type: "domain", fqdn: "example.com" }, size: 1 })
    })
    const [good] = JSON.parse(await answer.text()).items
    const later = await startReceiver(({ path }) =>
      path.endsWith("/_search")
        ? { status: 200, body: { items: [{ id: "of a later version" }, good], next: null } }
        : { status: 404 }
    )
    const program = await makeProgram({ THREAT_EXPOSURE_BASE_URL: later.url, THREAT_EXPOSURE_TOKEN: "a-token" })
    for (const args of [
      ["search", "credentials", "--domain", "example.com", "--json"],
      ["accounts", "--domains", "example.com", "--json"],
      ["export", "credentials", "--domain", "example.com", "--to", "all.csv"]
    ]) {
      const { code, stderr, stdout } = await program.run(args)
      assert.strictEqual(code, 3, stderr)
      assert.include(stderr, "1 of the credentials cannot be read and was left out")
      const shown = args[0] === "export" ? await readFile(join(program.folder, "all.csv"), "utf8") : stdout
      assert.include(shown, good.identity_name)
    }
    const flags = ["--credentials", "--domains", "example.com", "--query", "nothing", "--since", "3000d"]
    const fed = await program.run(["feed", ...flags, "--to", "file:fed.ndjson", "--state", "feed.json", "--once"])
    assert.strictEqual(fed.code, 0, fed.stderr)
    assert.include(fed.stderr, "credentials of example.com: 1 item was left out: not readable by this version")
    assert.include(await readFile(join(program.folder, "fed.ndjson"), "utf8"), `"credential/${good.id}"`)
    await program.remove()
    await later.close()
  })

  it("writes an item into one line for readers that end lines at more than a line feed, as Node's readline does", async () => {
    const credential = { id: 7, identity_name: "jane\u2028\u2029\u0085doe@example.com", domain: "example.com" }
    const item = { ...credential, source_id: "s", imported_at: "2026-03-01T09:00:00Z", hash: null, source: null }
    const service = await startReceiver(({ path }) =>
      path.endsWith("/_search") ? { status: 200, body: { items: [item], next: null } } : { status: 404 }
    )
    const program = await makeProgram({ THREAT_EXPOSURE_BASE_URL: service.url, THREAT_EXPOSURE_TOKEN: "a-token" })
    const feed = ["--credentials", "--domains", "example.com", "--query", "nothing", "--since", "3000d", "--once"]
    for (const [file, ...args] of [
      ["credentials.ndjson", "export", "credentials", "--domain", "example.com", "--to", "credentials.ndjson"],
      ["accounts.ndjson", "accounts", "--domains", "example.com", "--to", "accounts.ndjson"],
      ["fed.ndjson", "feed", ...feed, "--to", "file:fed.ndjson", "--state", "feed.json"]
    ] as const) {
      const { stderr } = await program.run(args)
      const text = await readFile(join(program.folder, file), "utf8")
      assert.match(text, /jane\\u2028\\u2029\\u0085doe@example\.com.*\n$/u, stderr)
      const lines = createInterface({ input: createReadStream(join(program.folder, file)) })
      for await (const line of lines) assert.include(JSON.stringify(JSON.parse(line)), credential.identity_name)
    }
    await program.remove()
    await service.close()
  })

  describe("listing exposed accounts", () => {
    it("lists what it has read, and paid for, before the service failed", async () => {
      const item = { id: 1, identity_name: "jane@example.com", domain: "example.com", source_id: "s" }
      const failing = await startReceiver(({ body }) =>
        JSON.parse(body).from === undefined
          ? { status: 200, body: { items: [{ ...item, imported_at: "2026-03-01T09:00:00Z" }], next: "more" } }
          : { status: 500 }
      )
      const { code, stderr, stdout } = await signedIn.run(["accounts", "--domains", "example.com", "--json"], {
        env: { THREAT_EXPOSURE_BASE_URL: failing.url }
      })
      await failing.close()
      assert.strictEqual(code, 5, stderr)
      assert.include(stderr, "The list is not complete")
      assert.include(stderr, "error: The service answered 500")
      assert.strictEqual(JSON.parse(stdout).account, "jane@example.com")
    })

    it.each(["--to", "--new-since-last"])("spends no search where it cannot write the file of %s", async (flag) => {
      let requests = 0
      const counting = await startReceiver(() => {
        requests += 1
        return { status: 200, body: { items: [], next: null } }
      })
      const { code, stderr } = await signedIn.run(
        ["accounts", "--domains", "example.com", flag, "nonsuch/accounts.csv"],
        { env: { THREAT_EXPOSURE_BASE_URL: counting.url } }
      )
      await counting.close()
      assert.strictEqual(code, 2)
      assert.include(stderr, `${flag}: `)
      assert.include(stderr, "cannot be written (no such file or directory)")
      assert.strictEqual(requests, 0)
    })

    it("reads as much as --max-searches allows, in pages that are no larger", async () => {
      const { code, stderr, stdout } = await signedIn.run([
        "accounts",
        "--domains",
        "example.com",
        "--max-searches",
        "2"
      ])
      assert.strictEqual(code, 3)
      assert.include(stderr, "it stopped at 2 searches")
      assert.match(stdout, /^1\d\d exposed accounts/u)
    })

    it("shows no column at a terminal in which every account has the same nothing", async () => {
      const shown = await signedIn.atTerminal("accounts --domains example.com --no-color")
      assert.match(shown, /ACCOUNT .*LAST SEEN/u)
      assert.notMatch(shown, /STATUS|CHANGED SINCE| unknown/u)
    })

    it("prints one row each, and the second time only new accounts", async () => {
      const args = [
        "accounts",
        "--domains",
        "example.com",
        "--login-domains",
        "example.com",
        "--new-since-last",
        "known.json"
      ]
      if (process.platform === "linux") {
        for (const format of [[], ["--json"]]) {
          const lost = await signedIn.start([...args, ...format], { output: "/dev/full" }).ended
          assert.strictEqual(lost.code, 3, lost.stderr)
          assert.notInclude(await readdir(signedIn.folder), "known.json")
        }
      }
      const first = await signedIn.run([...args, "--to", "accounts.csv"])
      assert.strictEqual(first.code, 0, first.stderr)
      const [head, ...rows] = (await readFile(join(signedIn.folder, "accounts.csv"), "utf8")).trimEnd().split("\n")
      assert.strictEqual(
        head,
        "account,domain,login_domains,class,status,first_seen,last_seen,sources,password,stealer_log,changed_since"
      )
      assert.isAbove(rows.length, 100)
      assert.strictEqual(new Set(rows.map((row) => row.split(",")[0])).size, rows.length)
      const second = await signedIn.run([...args, "--json"])
      assert.strictEqual(second.code, 0, second.stderr)
      assert.strictEqual(second.stdout, "")
    })
  })
})
