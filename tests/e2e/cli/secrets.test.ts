/**
 * Every command as a process, with secrets in what it reads and in what it is answered: none stands in anything that it
 * writes, but where the person asks for it.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { leakedSecrets } from "@threat-exposure/sample/LeakedSecrets"
import { type RunningService, startService } from "@threat-exposure/service/testing/TestService"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { leakedInto } from "../../Leaked.ts"
import { paste } from "../vscode/SyntheticEvents.ts"
import { makeProgram, type Program, type RunOptions } from "./Program.ts"
import { type Receiver, startReceiver } from "./Receiver.ts"

/** Detection knows the format of each value, or the value is passed by name. */
const planted = {
  "a leaked password": leakedSecrets.databasePassword.value,
  "a leaked token": leakedSecrets.paymentsToken.value,
  "a password nobody leaked": "kR7!vQ2p-Lx9wZz4",
  "a searched password": "Plum-Ladder_4471/quartz+",
  "a searched password that looks like a word": "marbleharbour7",
  "a password in an event": "w8NqT5yUc3ZkRb6e",
  "a wrong token": "te_wrong_0b7e61c4d2a94fe8",
  "a wrong API key": "tk_wrong_5c1d77aa90b34e21",
  "the password of an index": "Velvet_Anchor-9931",
  "the secret of a webhook": "whsec-4c55b1e0aa7f4d6e9b2c",
  "the token of a collector": "b7a1f0de-52c8-4e0b-9f57-5f2f3a1c8d44"
}

const sinkVariables = {
  THREAT_EXPOSURE_SINK_USER: "feed",
  THREAT_EXPOSURE_SINK_PASSWORD: planted["the password of an index"],
  THREAT_EXPOSURE_WEBHOOK_SECRET: planted["the secret of a webhook"],
  THREAT_EXPOSURE_SPLUNK_TOKEN: planted["the token of a collector"]
}

const outputs = ["json", "markdown", "sarif", "junit", "gitlab-secret-detection", "gitlab-codequality", "console"]

/** Node prints more of a process that fails, and writes files for it. The others run here, ten times as fast. */
const processes = new Set([
  "login",
  "check",
  "check that is echoed",
  "search that is echoed",
  "feed that is refused",
  "mcp",
  "whoami of a damaged profile",
  "a token as an argument",
  "logout"
])

const message = (id: number, method: string, params: unknown) => JSON.stringify({ jsonrpc: "2.0", id, method, params })

const agent = (calls: ReadonlyArray<readonly [name: string, given: unknown]>) =>
  [
    message(0, "initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "test", version: "1" }
    }),
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
    ...calls.map(([name, given], index) => message(index + 1, "tools/call", { name, arguments: given }))
  ]
    .map((line) => `${line}\n`)
    .join("")

describe("secrets", () => {
  let service: RunningService
  let program: Program
  /** A server that echoes the request in its answer, as a proxy in debug mode does. */
  let echo: Receiver
  let sink: Receiver

  beforeAll(async () => {
    service = await startService({ sample: true })
    program = await makeProgram()
    await service.load("events", [
      {
        ...paste({ number: 1, severity: "high", at: new Date(Date.now() - 86_400_000), about: "planted" }),
        data: {
          url: null,
          title: `planted DB_PASSWORD=${planted["a password in an event"]}`,
          content: `planted\npassword: ${planted["a password in an event"]}\ntoken ${planted["a leaked token"]}\n`,
          actor: { id: null, name: null },
          expires_at: null,
          syntax: null
        }
      },
      {
        ...paste({ number: 2, severity: "high", at: new Date(Date.now() - 86_400_000), about: "words" }),
        data: {
          url: null,
          title: `Again ${planted["a searched password that looks like a word"]}`,
          content: `Say ${planted["a searched password that looks like a word"]}, and the door opens`,
          actor: { id: null, name: null },
          expires_at: null,
          syntax: null
        }
      }
    ])
    // A request without a body asks for the tenant, which this server does not know.
    echo = await startReceiver(({ body, headers }) => ({
      status: body === "" ? 404 : 422,
      body: { detail: [{ loc: ["body"], msg: `refused ${body} ${headers.authorization}`, type: "x", input: body }] }
    }))
    sink = await startReceiver(({ body, headers, path }) => ({
      status: path.startsWith("/refused") ? 401 : path.startsWith("/dead") ? 400 : 200,
      body: { error: `${body} ${JSON.stringify(headers)}`, items: [] }
    }))
  })
  afterAll(() => Promise.all([service?.stop(), echo?.close(), sink?.close(), program?.remove()]))

  it("are in no output, report, state, error or other file of any command", async () => {
    const { folder } = program
    const repository = join(folder, "repository")
    const temporary = join(folder, "temporary")
    for (const made of [repository, temporary]) mkdirSync(made)
    const git = (...args: ReadonlyArray<string>) => execFileSync("git", ["-C", repository, ...args])
    git("init", "--quiet")
    git("remote", "add", "origin", `https://user:${planted["a wrong token"]}@git.example.com/shop.git`)
    const inputs = [
      `DB_PASSWORD=${planted["a leaked password"]}`,
      `PAYMENTS_TOKEN=${planted["a leaked token"]}`,
      `CACHE_PASSWORD='${planted["a password nobody leaked"]}'`
    ].join("\n")
    writeFileSync(join(repository, "prod.env"), inputs)
    git("add", "--all")
    mkdirSync(join(folder, "inputs"))
    writeFileSync(join(folder, "inputs", "secrets.env"), inputs)
    const broken = `{"profiles":{"default":{"secret":"${planted["a wrong token"]}"`
    mkdirSync(join(folder, "inputs", "broken", "threat-exposure"), { recursive: true })
    writeFileSync(join(folder, "inputs", "broken", "threat-exposure", "profiles.json"), broken)

    const written = new Map<string, string | Uint8Array>()
    const signedIn = {
      THREAT_EXPOSURE_BASE_URL: service.url,
      THREAT_EXPOSURE_TOKEN: service.token,
      TMPDIR: temporary,
      XDG_CACHE_HOME: join(folder, "cache")
    }
    const run = async (
      expected: number,
      what: string,
      args: ReadonlyArray<string>,
      { env = {}, input = "" }: RunOptions = {}
    ) => {
      const options = { env: { ...signedIn, ...env }, input }
      const { code, stderr, stdout } = processes.has(what)
        ? await program.start(args, options).ended
        : await program.run(args, options)
      written.set(`standard output of ${what}`, stdout)
      written.set(`standard error of ${what}`, stderr)
      assert.strictEqual(code, expected, `${what}: ${stderr}`)
    }
    const inRepository = { THREAT_EXPOSURE_CALLED_FROM: repository }
    const echoed = { THREAT_EXPOSURE_BASE_URL: echo.url }
    const wrongToken = { THREAT_EXPOSURE_TOKEN: planted["a wrong token"] }
    const wrongKey = { THREAT_EXPOSURE_TOKEN: "", THREAT_EXPOSURE_API_KEY: planted["a wrong API key"] }
    const searched = { MINE: planted["a searched password"] }
    const word = { WORD: planted["a searched password that looks like a word"] }
    const ofWord = ["--secret-env", "WORD"]
    const events = ["--query", "planted"]
    const oneRound = ["--once", "--retry-for", "1s", "--since", "30d"]

    vi.stubEnv("TMPDIR", temporary)
    await run(0, "login", ["login", "--base-url", service.url], {
      env: { THREAT_EXPOSURE_TOKEN: "" },
      input: service.token
    })
    const runs: ReadonlyArray<
      readonly [code: number, what: string, args: ReadonlyArray<string>, options?: RunOptions]
    > = [
      [
        1,
        "check",
        ["check", "--staged", ...outputs.flatMap((format) => ["--output", `${format}=../report.${format}`])],
        { env: inRepository }
      ],
      [0, "check --offline", ["check", "--staged", "--offline", "--json"], { env: inRepository }],
      [4, "check that is refused", ["check"], { env: { ...inRepository, ...wrongToken } }],
      [5, "check that is echoed", ["check"], { env: { ...inRepository, ...echoed } }],
      [
        1,
        "check of names",
        ["check", "--secret-env", "MINE", "--secrets-file", "inputs/secrets.env"],
        { env: searched }
      ],
      [1, "check of a text", ["check", "--stdin"], { input: `notes\n${inputs}\n` }],
      [0, "search credentials", ["search", "credentials", "--domain", "example.com"]],
      [0, "search credentials --json", ["search", "credentials", "--domain", "example.com", "--json"]],
      [0, "search of a secret", ["search", "credentials", "--secret-stdin"], { input: planted["a leaked password"] }],
      [
        2,
        "search that is echoed",
        ["search", "credentials", "--secret-env", "MINE"],
        { env: { ...searched, ...echoed } }
      ],
      [2, "search with --reveal", ["search", "credentials", "--domain", "example.com", "--reveal"]],
      [0, "search events", ["search", "events", ...events]],
      [0, "search events --json", ["search", "events", ...events, "--json"]],
      [0, "search of a pair", ["search", "events", "--account", "me", "--secret-env", "MINE"], { env: searched }],
      [0, "search of a word", ["search", "events", ...ofWord], { env: word }],
      [0, "search of a word --json", ["search", "events", ...ofWord, "--json"], { env: word }],
      [0, "export of a word", ["export", "events", ...ofWord, "--to", "word.ndjson"], { env: word }],
      [0, "export of a word as CSV", ["export", "events", ...ofWord, "--to", "word.csv"], { env: word }],
      [0, "event", ["event", "paste/synthetic/000001"]],
      [0, "event --json", ["event", "paste/synthetic/000001", "--json"]],
      [0, "export credentials", ["export", "credentials", "--secret-env", "MINE", "--to", "c.csv"], { env: searched }],
      [
        0,
        "export of a leaked secret",
        ["export", "credentials", "--secret-stdin", "--to", "l.ndjson"],
        { input: planted["a leaked password"] }
      ],
      [
        3,
        "export that stops",
        ["export", "credentials", "--domain", "example.com", "--max-searches", "1", "--to", "p.ndjson"]
      ],
      [0, "export events", ["export", "events", ...events, "--to", "e.ndjson"]],
      [0, "export events as CSV", ["export", "events", ...events, "--to", "e.csv"]],
      [
        2,
        "export that is echoed",
        ["export", "events", "--secret-env", "MINE", "--to", "x.csv"],
        { env: { ...searched, ...echoed } }
      ],
      [
        0,
        "accounts",
        ["accounts", "--domains", "example.com", "--to", "accounts.csv", "--new-since-last", "accounts.state"]
      ],
      [0, "accounts on standard output", ["accounts", "--domains", "example.com", "--json"]],
      [
        0,
        "feed",
        [
          "feed",
          ...events,
          ...oneRound,
          "--to",
          "-",
          "--to",
          "file:feed.ndjson",
          "--to",
          `webhook:${sink.url}/hook`,
          "--to",
          `splunk-hec:${sink.url}`,
          "--state",
          "feed.state"
        ],
        { env: sinkVariables }
      ],
      [0, "feed as ECS", ["feed", ...events, ...oneRound, "--shape", "ecs", "--to", "-", "--state", "ecs.state"]],
      [0, "feed as OCSF", ["feed", ...events, ...oneRound, "--shape", "ocsf", "--to", "-", "--state", "ocsf.state"]],
      [
        0,
        "feed of credentials",
        [
          "feed",
          "--credentials",
          "--domains",
          "example.com",
          "--identifier",
          "1",
          ...oneRound,
          "--to",
          "-",
          "--state",
          "c.state"
        ]
      ],
      [
        3,
        "feed that is refused",
        [
          "feed",
          ...events,
          ...oneRound,
          "--to",
          `opensearch:${sink.url}/refused`,
          "--to",
          `webhook:${sink.url}/refused?key=${planted["the secret of a webhook"]}`,
          "--to",
          `splunk-hec:${sink.url}/refused`,
          "--state",
          "r.state"
        ],
        { env: sinkVariables }
      ],
      [
        0,
        "feed with dead letters",
        [
          "feed",
          ...events,
          ...oneRound,
          "--to",
          `webhook:${sink.url}/dead`,
          "--state",
          "d.state",
          "--dead-letter",
          "dead.ndjson"
        ],
        { env: sinkVariables }
      ],
      [
        2,
        "feed of an address with a password",
        [
          "feed",
          ...events,
          ...oneRound,
          "--to",
          `webhook:http://me:${planted["the secret of a webhook"]}@127.0.0.1:9/`,
          "--state",
          "u.state"
        ],
        { env: sinkVariables }
      ],
      [
        0,
        "mcp",
        ["mcp", "--root", "repository"],
        {
          input: agent([
            ["check_text", { text: inputs }],
            ["check_repository", { path: repository }],
            ["search_credentials", { type: "secret", value: planted["a leaked password"] }],
            ["search_credentials", { type: planted["a searched password"], value: planted["a searched password"] }],
            ["search_events", { query: "planted" }],
            ["search_events", { query: "planted", since: planted["a searched password"] }],
            ["get_event", { uid: "paste/synthetic/000001" }],
            ["check_text", { text: [planted["a searched password"]] }],
            ["list_recommendations", {}],
            ["quota", {}]
          ])
        }
      ],
      [
        0,
        "mcp that is echoed",
        ["mcp"],
        {
          env: echoed,
          input: agent([["search_credentials", { type: "secret", value: planted["a searched password"] }]])
        }
      ],
      [
        4,
        "login that is refused",
        ["login", "--profile", "x", "--base-url", service.url],
        { input: planted["a wrong token"] }
      ],
      [
        4,
        "login with a refused key",
        ["login", "--profile", "x", "--api-key", "--base-url", service.url],
        { input: planted["a wrong API key"] }
      ],
      [
        2,
        "login with a password in the address",
        ["login", "--profile", "x", "--base-url", `https://me:${planted["a wrong token"]}@127.0.0.1:9`],
        { input: "te_x" }
      ],
      [0, "whoami", ["whoami", "--json"]],
      [4, "whoami that is refused", ["whoami"], { env: wrongToken }],
      [4, "whoami with a refused key", ["whoami"], { env: wrongKey }],
      [
        2,
        "whoami of a damaged profile",
        ["whoami"],
        {
          env: {
            THREAT_EXPOSURE_TOKEN: "",
            THREAT_EXPOSURE_BASE_URL: "",
            XDG_CONFIG_HOME: join(folder, "inputs", "broken")
          }
        }
      ],
      [0, "quota", ["quota"]],
      [2, "quota that is echoed", ["quota"], { env: echoed }],
      [2, "ignore add", ["ignore", "add", planted["a leaked password"], "--reason", "x"], { env: inRepository }],
      [0, "ignore list", ["ignore", "list"], { env: inRepository }],
      [0, "ignore prune", ["ignore", "prune"], { env: inRepository }],
      [0, "hook install", ["hook", "install"], { env: inRepository }],
      [2, "an unknown flag", ["search", "credentials", `--password=${planted["a searched password"]}`]],
      [2, "a token as an argument", ["login", planted["a wrong token"]]],
      [2, "a token as a flag", ["login", "--token", planted["a wrong token"]]],
      [2, "a password as an argument", ["search", "credentials", planted["a searched password"]]],
      [2, "a password as a flag", ["search", "credentials", "--secret", planted["a searched password"]]]
    ]
    // Two run concurrently: most machines have at least two cores.
    const waiting = [...runs]
    const worker = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await run(...next)
    }
    await Promise.all([worker(), worker()])
    await run(0, "logout", ["logout"])
    vi.unstubAllEnvs()

    /** Files that the test itself wrote, and the token file while the person is signed in. */
    const isInput = (path: string) =>
      /^(?:inputs\/|repository\/(?:prod\.env$|\.git\/(?:objects\/|config$|index$)))/u.test(path)
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name)
      const path = file.slice(folder.length + 1)
      if (entry.isFile() && !isInput(path)) written.set(path, readFileSync(file))
    }
    for (const [index, { body }] of sink.taken.entries()) written.set(`what sink ${index} took`, body)
    assert.deepStrictEqual(leakedInto(written, { ...planted, "the token": service.token }), [])
  })

  it("are in no report if looking for them in it fails, and the report is still written", async () => {
    const secret = planted["a leaked password"]
    const report = join(program.folder, "unsearched.json")
    // Only the value index is filled with this byte. The error's message contains the value, which is the worst case.
    const { fill } = Uint8Array.prototype
    const spy = vi.spyOn(Uint8Array.prototype, "fill").mockImplementation(function (this: Uint8Array, byte, ...range) {
      if (byte === 0xff) throw new Error(secret)
      return fill.call(this, byte, ...range)
    })
    try {
      const { code, stderr, stdout } = await program.run(
        ["check", "--secret-env", "MINE", "--output", `json=${report}`, "--output", "console"],
        {
          env: {
            THREAT_EXPOSURE_BASE_URL: service.url,
            THREAT_EXPOSURE_TOKEN: service.token,
            MINE: secret
          }
        }
      )
      assert.strictEqual(code, 1, stderr)
      const written = readFileSync(report, "utf8")
      assert.match(written, /\[\d+ characters withheld\]/u)
      assert.strictEqual(JSON.parse(written).verdict, "leaked")
      assert.deepStrictEqual(leakedInto(new Map(Object.entries({ written, stderr, stdout })), { secret }), [])
    } finally {
      spy.mockRestore()
    }
  })
})
