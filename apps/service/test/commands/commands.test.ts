import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  closeSync,
  createWriteStream,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync
} from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Connection } from "@threat-exposure/service/sqlite/database/Connection"
import { Effect } from "effect"
import {
  ended,
  folder,
  createKey,
  damage,
  lastLine,
  line,
  main,
  output,
  run,
  runWith,
  runProcess,
  search,
  serving,
  spawned,
  until
} from "./Command.ts"

describe("commands", () => {
  it.live("are described, each with its flags", () =>
    Effect.gen(function* () {
      const where = yield* folder
      // A completion of a command or of a flag has its description behind it.
      const { out } = yield* run(where, "--completions", "fish")
      const completed = out.split("\n").filter((line) => / -[al] /u.test(line))
      assert.isAbove(completed.length, 100)
      assert.deepStrictEqual(
        completed.filter((line) => !/ -d '[^']/u.test(line)),
        []
      )
    })
  )

  it.live("reports which database failed, what is kept and what to do", () =>
    Effect.gen(function* () {
      const where = yield* folder
      const database = join(where, "threat-exposure.sqlite")
      const token = yield* createKey(where, "1", "write-tenant")
      damage(database, ["credentials", "matching_policies", "reports"])
      writeFileSync(join(where, "a.ndjson"), line(1))
      for (const args of [
        ["load", "credentials", "a.ndjson"],
        ["policies", "create", "--tenant", "1", "--name", "a", "--keywords", "a"],
        ["serve", "--sample", "--port", "0"]
      ]) {
        const { code, err, out } = yield* run(where, ...args)
        assert.deepEqual([code, out], [1, ""])
        const failed = `error: The database ${database} failed: database disk image is malformed.`
        // On a busy machine, progress lines come first.
        assert.include(err, `${failed} What was reported as done is kept: `)
      }

      const { text, url } = yield* serving(where)
      const { status } = yield* Effect.promise(() =>
        fetch(`${url}/svc/v2/reporting/reports`, {
          method: "POST",
          headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
          body: "{}"
        })
      )
      assert.strictEqual(status, 500)
      yield* Effect.promise(() => until(() => text.err.includes("disk image is malformed")))
      assert.include(text.err, `database=${database}`)
    }).pipe(Effect.scoped)
  )

  it.live("wait for the write of another process and say so; a request that cannot wait is answered with 503", () =>
    Effect.gen(function* () {
      const where = yield* folder
      const permission = "write-tenant,read-tenant"
      const token = yield* createKey(where, "1", permission)
      const other = new Connection(join(where, "threat-exposure.sqlite"))
      other.prepare("BEGIN IMMEDIATE").run()

      // Starting and reading need no lock.
      assert.match((yield* run(where, "keys", "list")).out, /^1 +1 /m)
      const { url } = yield* serving(where)
      assert.strictEqual((yield* search(url, token, { type: "email", email: "a@example.com" })).status, 200)
      const refused = yield* Effect.promise(async () => {
        const response = await fetch(`${url}/svc/v2/reporting/reports`, {
          method: "POST",
          headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
          body: "{}"
        })
        return {
          status: response.status,
          retryAfter: response.headers.get("Retry-After"),
          body: await response.text()
        }
      })
      assert.strictEqual(refused.status, 503)
      assert.include(refused.body, '"code":"UNAVAILABLE"')
      assert.isAtMost(Number(refused.retryAfter), 60)

      const revoking = spawned(where, ["keys", "revoke", "1"])
      const text = output(revoking)
      const ending = ended(revoking)
      yield* Effect.promise(() => until(() => text.err.includes("waiting for another process")))
      other[Symbol.dispose]()
      assert.strictEqual(yield* Effect.promise(() => ending), 0)
      assert.strictEqual((yield* search(url, token, { type: "email", email: "a@example.com" })).status, 401)
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(!existsSync("/usr/bin/prlimit"))(
    "a service that cannot write to the disk says so, answers reads, and recovers",
    () =>
      Effect.gen(function* () {
        const where = yield* folder
        const permission = "write-tenant,read-tenant"
        const token = yield* createKey(where, "1", permission)
        const { child, url } = yield* serving(where)
        const limitFiles = (bytes: string) =>
          execFileSync("/usr/bin/prlimit", ["--pid", String(child.pid), `--fsize=${bytes}:`])
        const health = async () => {
          const response = await fetch(`${url}/healthz`)
          return { status: response.status, body: await response.text() }
        }
        const create = () =>
          fetch(`${url}/svc/v2/reporting/reports`, {
            method: "POST",
            headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
            body: "{}"
          })
        yield* Effect.promise(async () => {
          assert.strictEqual((await health()).status, 200)
          limitFiles("1")
          const refused = await create()
          assert.strictEqual(refused.status, 503)
          assert.isAtMost(Number(refused.headers.get("Retry-After")), 60)
          assert.include(await refused.text(), '"code":"UNAVAILABLE"')
          // The result of a check is valid for a second.
          let sick = await health()
          while (sick.status === 200) sick = await health()
          assert.strictEqual(sick.status, 503)
          assert.match(sick.body, /The database is unavailable: /)
        })
        assert.strictEqual((yield* search(url, token, { type: "email", email: "a@example.com" })).status, 200)
        yield* Effect.promise(async () => {
          limitFiles("unlimited")
          assert.strictEqual((await create()).status, 200)
          while ((await health()).status !== 200);
        })
      }).pipe(Effect.scoped)
  )

  it.live("print help on request, and one error that names the fault otherwise", () =>
    Effect.gen(function* () {
      const there = yield* folder
      const help = yield* run(there, "--help")
      assert.strictEqual(help.code, 0)
      for (const command of ["serve", "load", "keys", "policies", "recommendations"]) assert.include(help.out, command)
      for (const [args, named] of [
        [["lod"], "did you mean load?"],
        [["serve", "--nonsense"], "--nonsense"],
        [["keys", "create", "--tenant", "1"], "--permission"],
        [["keys", "create", "--tenant", "1", "--permission", "read"], "read-tenant"],
        [["load", "credentials"], "FILE"],
        [
          ["load", "credentials", "gone.ndjson"],
          `${join(there, "gone.ndjson")} cannot be read: no such file or directory`
        ],
        [["policies", "create", "--tenant", "1", "--name", "x", "--keywords", ","], "--keywords"],
        [["policies", "create", "--tenant", "1", "--name", " ", "--keywords", "a"], "--name"],
        [["policies", "create", "--tenant", "1", "--name", "x", "--keywords", "fine,!!"], "--keywords"],
        [["keys", "list", "--database", "no-folder/x.sqlite"], join(there, "no-folder", "x.sqlite")]
      ] as const) {
        const { code, err, out } = yield* run(there, ...args)
        // A file that is missing on the disk is not a misuse of the command.
        assert.strictEqual(code, named.startsWith(there) ? 1 : 2)
        assert.strictEqual(out, "")
        const errors = err.split("\n").filter((line) => line.startsWith("error: "))
        assert.strictEqual(errors.length, 1, err)
        assert.include(errors[0], named)
      }
      for (const value of ["fast", "0", "Infinity"]) {
        const expected = "a number greater than 0, here or in THREAT_EXPOSURE_SEARCH_RATE"
        const message = `error: Invalid value for flag --search-rate (not repeated here, as it may be a secret). Expected: ${expected}`
        const byVariable = yield* runWith({ THREAT_EXPOSURE_SEARCH_RATE: value }, there, "serve", "--port", "0")
        const byFlag = yield* run(there, "serve", "--port", "0", "--search-rate", value)
        for (const { code, err } of [byVariable, byFlag]) {
          assert.strictEqual(code, 2)
          assert.strictEqual(err.split("\n")[0], message)
        }
      }
    }).pipe(Effect.scoped)
  )

  it.live("repeat no value that they refuse", () =>
    Effect.gen(function* () {
      const there = yield* folder
      const key = ["keys", "create", "--tenant", "1", "--permission"]
      for (const [args, named] of [
        [["hunter2quartz"], "Unknown command"],
        [["serve", "hunter2quartz"], "Unexpected argument"],
        [["serve", "--port", "hunter2quartz"], "--port"],
        [["serve", "--path-prefix", "hunter2/quartz"], "--path-prefix"],
        [["serve", "--metrics=hunter2quartz"], "--metrics"],
        [["serve", "--opensearch", "hunter2quartz", "--key-file", "key"], "URLs"],
        [["keys", "revoke", "hunter2quartz"], "<ID>"],
        [[...key, "hunter2quartz"], "--permission"],
        [[...key, "read-tenant", "--expires", "hunter2quartz"], "--expires"],
        [["credentials", "delete", "--query", "hunter2quartz"], "--query"],
        [["credentials", "delete", "--older-than", "hunter2quartz"], "--older-than"]
      ] as const) {
        const { code, err, out } = yield* run(there, ...args)
        assert.strictEqual(code, 2, named)
        assert.include(err, named)
        assert.notMatch(err + out, /hunter2|quartz/u)
      }
    }).pipe(Effect.scoped)
  )

  it.live("load data and manage keys in a file relative to the working directory, while it is served", () =>
    Effect.gen(function* () {
      const there = yield* folder
      writeFileSync(join(there, "credentials.ndjson"), `${line(1)}nonsense\n${line(2, { hash: "planted-password" })}`)
      const created = yield* run(there, "keys", "create", "--tenant", "3", "--permission", "read-tenant")
      const token = lastLine(created.out)
      assert.match(token, /^te_[\w-]{43}$/)
      const { child, text, url } = yield* serving(there)
      const query = { type: "secret", secret: "planted-password" }
      assert.deepEqual((yield* search(url, token, query)).body.items, [])
      const loaded = yield* runProcess(there, "load", "credentials", "credentials.ndjson")
      assert.deepEqual([loaded.code, loaded.out], [1, "loaded 2 credentials, 1 refused\n"])
      assert.include(loaded.err, "line 2: it is not JSON")
      assert.deepEqual(
        (yield* search(url, token, query)).body.items.map(({ id }) => id),
        [2]
      )
      const list = yield* run(there, "keys", "list")
      assert.match(list.out, /^id +tenant +label +permissions /)
      assert.match(list.out, /^1 +3 +Read Tenant /m)
      assert.notInclude(list.out, token)
      assert.strictEqual((yield* run(there, "keys", "revoke", "1")).code, 0)
      assert.strictEqual((yield* search(url, token, query)).status, 401)

      child.kill("SIGTERM")
      assert.strictEqual(yield* Effect.promise(() => ended(child)), 0)
      const logged = (status: number, who: string) =>
        new RegExp(
          `^\\S+Z info request request_id=\\S+ ${who}address=127\\.0\\.0\\.1 operation=credentials\\.search status=${status} duration_ms=[\\d.]+ bytes=\\d+$`,
          "m"
        )
      assert.match(text.err, logged(200, "key_id=1 tenant_id=3 "))
      assert.match(text.err, logged(401, ""))
      // Neither the password nor the token is in a log or in one of the database's files.
      const files = readdirSync(there).filter((name) => name.includes("sqlite"))
      assert.include(files, "threat-exposure.sqlite")
      for (const [name, content] of [
        ["log", text.err],
        ["output", text.out],
        ...files.map((name) => [name, readFileSync(join(there, name), "latin1")] as const)
      ] as const) {
        for (const secret of ["planted-password", token]) assert.notInclude(content, secret, name)
      }
    }).pipe(Effect.scoped)
  )

  it.live("labels keys, lets them expire, and lists when they were last used", () =>
    Effect.gen(function* () {
      const there = yield* folder
      const key = ["keys", "create", "--tenant", "1", "--permission", "read-tenant"]
      for (const when of ["0d", "yesterday", "90", "2020-01-01", "90 d", "", "2999-02-30"]) {
        const { code, err } = yield* run(there, ...key, "--expires", when)
        assert.deepEqual([when, code], [when, 2])
        assert.include(err, "error: --expires takes a duration")
      }
      const created = yield* run(there, ...key, "--label", "SIEM \u001b[31m", "--expires", "90d")
      assert.match(created.out, /^Key 1 of tenant 1: Read Tenant, expires \d{4}-\d\d-\d\dT\S+Z\. /)
      const dated = yield* run(there, ...key, "--expires", "2999-02-01")
      assert.include(dated.out, "expires 2999-02-01T00:00:00.000Z")
      const { child, url } = yield* serving(there)
      const query = { type: "email", email: "a@example.com" }
      assert.strictEqual((yield* search(url, lastLine(created.out), query)).status, 200)
      child.kill("SIGTERM")
      assert.strictEqual(yield* Effect.promise(() => ended(child)), 0)
      const { out } = yield* run(there, "keys", "list")
      const [, labelled = "", unused = ""] = out.split("\n")
      assert.match(labelled, /^1 +1 +SIEM \?\[31m +Read Tenant +\d{4}-\S+Z +\d{4}-\S+Z +\d{4}-\S+Z$/)
      assert.match(unused, /^2 +1 +Read Tenant +\d{4}-\S+Z +never +2999-02-01T00:00:00\.000Z$/)
    }).pipe(Effect.scoped)
  )

  it.live("logs requests, failures and faults in one format, as JSON when asked, and answers the request id", () =>
    Effect.gen(function* () {
      const there = yield* folder
      const permission = "read-tenant,write-tenant"
      const token = yield* createKey(there, "3", permission)
      damage(join(there, "threat-exposure.sqlite"), ["reports"])
      const { child, text, url } = yield* serving(there, "--log", "json")
      const planted = "planted-value-4711"
      const ask = (path: string, headers: Record<string, string>, body?: string) =>
        Effect.promise(async () => {
          const response = await fetch(`${url}${path}`, {
            method: body === undefined ? "GET" : "POST",
            headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...headers },
            ...(body === undefined ? undefined : { body })
          })
          const length = (await response.text()).length
          return { id: response.headers.get("X-Request-Id") ?? "", status: response.status, length }
        })
      const search = JSON.stringify({ query: { type: "secret", secret: planted } })
      const credentials = "/svc/v4/credentials/global/_search"
      const asked = [
        ["credentials.search", yield* ask(credentials, { "X-Request-Id": "proxy-1:2.3_4" }, search)],
        ["credentials.search", yield* ask(credentials, { "Content-Type": "application/json; a=b" }, search)],
        ["events.get", yield* ask(`/svc/v4/events/?uid=${planted}`, { "X-Request-Id": `a b ${planted}` })],
        ["events.get", yield* ask(`/svc/v4/events/?uid=${planted}`, { Authorization: `Bearer ${planted}` })],
        ["unknown", yield* ask(`/${planted};${planted}?${planted}`, {})],
        ["healthz", yield* ask("/healthz", {})],
        ["reports.create", yield* ask("/svc/v2/reporting/reports", {}, "{}")]
      ] as const
      assert.strictEqual(asked[0][1].id, "proxy-1:2.3_4")
      child.kill("SIGTERM")
      assert.strictEqual(yield* Effect.promise(() => ended(child)), 0)
      const lines: ReadonlyArray<Record<string, unknown>> = text.err
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      for (const [operation, { id, length, status }] of asked) {
        const line = lines.find(({ message, request_id }) => message === "request" && request_id === id)
        assert.deepInclude(line, { level: "info", address: "127.0.0.1", operation, status, bytes: length })
        assert.match(String(line?.["time"]), /^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/)
        assert.isNumber(line?.["duration_ms"])
        if (status !== 401 && operation.includes(".")) {
          assert.deepInclude(line, { key_id: "1", tenant_id: 3 })
        }
      }
      const failure = lines.find(({ level }) => level === "error")
      assert.deepInclude(failure, { request_id: asked[6][1].id, operation: "reports.create" })
      assert.include(String(failure?.["cause"]), "disk image is malformed")
      for (const secret of [planted, token]) assert.notInclude(text.err, secret)
    }).pipe(Effect.scoped)
  )

  it.live("writes notices and failures to the log, too, if that is JSON", () =>
    Effect.gen(function* () {
      const there = yield* folder
      const database = join(there, "threat-exposure.sqlite")
      yield* run(there, "keys", "list")
      chmodSync(database, 0o644)
      const notice = `${database} was readable by other users; its mode is 0600 now`
      const { err } = yield* run(there, "keys", "list", "--log", "json")
      const [line = ""] = err.trimEnd().split("\n")
      assert.deepInclude(JSON.parse(line), { level: "info", message: notice })
      for (const flags of [["--log", "json"], ["--log=json"]]) {
        const { code, err, out } = yield* run(there, "keys", "revoke", "7", ...flags)
        assert.deepEqual([code, out], [1, ""])
        const message = "Key 7 not found: keys list shows every key"
        assert.deepInclude(JSON.parse(err), { level: "error", message })
        assert.match(JSON.parse(err).time, /^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/)
      }
      assert.strictEqual(
        (yield* run(there, "keys", "revoke", "7")).err,
        "error: Key 7 not found: keys list shows every key\n"
      )
    }).pipe(Effect.scoped)
  )

  it.live("serves the sample data, and prints a token for it", () =>
    Effect.gen(function* () {
      const { text, url } = yield* serving(yield* folder, "--sample")
      yield* Effect.promise(() => until(() => text.out.split("\n").length > 2))
      const token = /^token: (\S+)$/m.exec(text.out)?.[1] ?? ""
      const { body, status } = yield* search(url, token, { type: "domain", fqdn: "example.com" })
      assert.strictEqual(status, 200)
      assert.isAbove(body.items.length, 0)
    }).pipe(Effect.scoped)
  )

  it.live("serve where nobody reads the log", () =>
    Effect.gen(function* () {
      const where = yield* folder
      const child = spawn(process.execPath, [main, "serve", "--port", "0"], {
        cwd: where,
        stdio: ["ignore", "pipe", "pipe"]
      })
      child.stderr.destroy()
      const closed = once(child, "close")
      const [listening] = yield* Effect.promise(() => once(child.stdout, "data"))
      const url = String(listening).trim().replace("listening on ", "")
      const response = yield* Effect.promise(() => fetch(`${url}/svc/v4/identifier-recommendations/`))
      assert.strictEqual(response.status, 401)
      child.kill("SIGTERM")
      assert.deepStrictEqual(yield* Effect.promise(() => closed), [0, null])
    }).pipe(Effect.scoped)
  )

  it.skipIf(process.platform !== "linux")("fail when standard output does not take what they print", () => {
    const full = openSync("/dev/full", "w")
    const { status, stderr } = spawnSync(process.execPath, [main, "--help"], { stdio: ["ignore", full, "pipe"] })
    closeSync(full)
    assert.include(String(stderr), "error: Standard output cannot be written: no space left on device.")
    assert.strictEqual(status, 1)
  })

  it.effect.each([
    {
      program: "sources",
      start: import.meta.resolve("@threat-exposure/service/main"),
      sqlite: /\/src\/sqlite\/Sqlite\.ts$/u,
      cluster: /\/undici\/|\/ClusterClient|OpenSearch\.ts$/u,
      command: /\/src\/commands\/[a-z]\w*\.ts$/u
    },
    {
      program: "bundle",
      start: new URL("../dist/main.js", pathToFileURL(main)).href,
      sqlite: /\/dist\/Sqlite-[^/]+\.js$/u,
      cluster: /\/dist\/OpenSearch-[^/]+\.js$/u,
      command: /\/dist\/(?:keys|load|serve)-[^/]+\.js$/u
    }
  ])("load an engine only to use it, and on SQLite nothing of a cluster ($program)", ({ start, ...modules }) =>
    Effect.gen(function* () {
      const { cluster, command, sqlite } = modules
      const database = join(yield* folder, "engines.sqlite")
      for (const [args, absent, present] of [
        [["--version"], [sqlite, cluster, command], []],
        [["-v"], [sqlite, cluster, command], []],
        [["keys", "--help"], [sqlite, cluster], [command]],
        [["keys", "list", "--database", database], [cluster], [command, sqlite]]
      ] as const) {
        const loaded = modulesLoadedBy(start, args)
        for (const pattern of absent)
          assert.isUndefined(
            loaded.find((url) => pattern.test(url)),
            args.join(" ")
          )
        for (const pattern of present)
          assert.isDefined(
            loaded.find((url) => pattern.test(url)),
            args.join(" ")
          )
      }
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(process.platform === "win32")("stops with the npx that runs it, which passes no signal on", () =>
    Effect.gen(function* () {
      const there = yield* folder
      const command = `"${process.execPath}" "${main}" serve --port 0 --database "${join(there, "npm.sqlite")}"`
      const npm = yield* Effect.acquireRelease(
        // In a separate process group, so that all of its processes can be killed.
        Effect.sync(() => spawn("npm", ["exec", "--offline", "-c", command], { cwd: there, detached: true })),
        ({ pid = 0 }) => Effect.ignore(Effect.try(() => process.kill(-pid, "SIGKILL")))
      )
      const text = output(npm)
      yield* Effect.promise(() => until(() => text.out.includes("listening on ") || npm.exitCode !== null))
      npm.kill("SIGTERM")
      // npm ends after the service, which has inherited its output.
      yield* Effect.promise(() => ended(npm))
      assert.include(text.err, "stopping")
    }).pipe(Effect.scoped)
  )

  it.live("complete running work when they are stopped, and say if the port is in use", () =>
    Effect.gen(function* () {
      const there = yield* folder
      const { child, url } = yield* serving(there)
      const taken = yield* run(there, "serve", "--port", new URL(url).port)
      assert.strictEqual(taken.code, 1)
      assert.include(taken.err, `Cannot listen on 127.0.0.1:${new URL(url).port}`)
      const token = yield* createKey(there, "1", "read-tenant")
      const file = createWriteStream(join(there, "many.ndjson"))
      for (let id = 1; id <= 10_000; id += 1) file.write(line(id))
      yield* Effect.promise(() => new Promise((resolve) => file.end(resolve)))
      yield* run(there, "load", "credentials", "many.ndjson")
      const answers = yield* Effect.promise(async () => {
        const running = Array.from({ length: 8 }, () => {
          const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" }
          const sent = request(`${url}/svc/v4/credentials/global/_search`, {
            method: "POST",
            // The service confirms that it has received the request: an earlier signal would find no running request.
            headers: { ...headers, Expect: "100-continue" }
          })
          sent.flushHeaders()
          const received = once(sent, "continue").then(() =>
            sent.end(JSON.stringify({ query: { type: "domain", fqdn: "example.com" }, size: 10_000 }))
          )
          const answer = once(sent, "response").then(async ([response]) => [
            response.statusCode,
            (await text(response)).length > 1_000_000
          ])
          return { answer, received }
        })
        await Promise.all(running.map(({ received }) => received))
        child.kill("SIGTERM")
        return Promise.all(running.map(({ answer }) => answer))
      })
      assert.deepEqual(new Set(answers.map(String)), new Set(["200,true"]))
      assert.strictEqual(
        yield* Effect.promise(() => (child.exitCode === null ? ended(child) : Promise.resolve(child.exitCode))),
        0
      )
    }).pipe(Effect.scoped)
  )
})

const modulesLoadedBy = (start: string, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const program = `
    import { registerHooks } from "node:module"
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    process.once("exit", () => console.log(JSON.stringify(loaded)))
    process.argv.splice(1, 1, "main.ts", ...${JSON.stringify(args)})
    await import(${JSON.stringify(start)})`
  const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" })
  return JSON.parse(lastLine(printed))
}
