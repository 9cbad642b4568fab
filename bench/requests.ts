/**
 * The CPU time of a request of the service, by kind of request, beside a server of `node:http` alone and, with
 * `BASELINE=folder`, beside the service of another checkout. `CREDENTIALS=200000` makes it a quick look.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { DatabaseSync } from "node:sqlite"
import { ask, endAll, processorTimeOf, spawnServer, stop } from "./ServerProcess.ts"
import { searchByEmail, spreadIndexes, writeCredentials } from "./SyntheticCredentials.ts"
import { median, printTable, type Row } from "./Table.ts"

const credentials = Number(process.env["CREDENTIALS"] ?? 2_000_000)
const rounds = Number(process.env["ROUNDS"] ?? 5)
const baseline = process.env["BASELINE"]
const folder = mkdtempSync(join(tmpdir(), "threat-exposure-bench-"))

const refusedSearch = "a search for events that is refused"

/** Words and values that may be secrets, each time with another fault. */
const refused = ['"', "(", "AND"].map((fault, at) => ({
  size: at === 0 ? 100 : 10,
  query: {
    type: "query_string",
    query_string: `acme vpn access password=Tr0ub4dor&3 ghp_16C7e42F292c6912E7710c83 ${fault}`
  }
}))

interface Service {
  readonly port: number
  readonly token: string
  readonly database: string
}

const startService = async (checkout: string, file: string): Promise<Service> => {
  const main = join(checkout, "apps/service/src/main.ts")
  const database = join(folder, `${checkout === baseline ? "baseline" : "ours"}.sqlite`)
  const run = (...args: ReadonlyArray<string>) =>
    spawnSync(process.execPath, [main, ...args, "--database", database], { encoding: "utf8" }).stdout
  const serve = (...args: ReadonlyArray<string>) =>
    spawnServer(
      [main, "serve", "--port", "0", "--database", database, "--searches-a-month", "2000000000", ...args],
      /listening on http:\/\/127\.0\.0\.1:(\d+)/u
    )
  await stop(await serve("--sample"))
  run("load", "credentials", file)
  const token = run("keys", "create", "--tenant", "1", "--permission", "read-tenant").trim().split("\n").at(-1) ?? ""
  return { port: await serve(), token, database }
}

const measure = async (): Promise<ReadonlyArray<Row>> => {
  const file = join(folder, "credentials.ndjson")
  await writeCredentials(file, credentials)
  const ours = await startService(fileURLToPath(new URL("..", import.meta.url)), file)
  const before = baseline === undefined ? undefined : await startService(baseline, file)
  rmSync(file)
  const bare = {
    ...ours,
    port: await spawnServer(
      [fileURLToPath(import.meta.resolve("./BareServer.ts")), ours.database],
      /listening on (\d+)/u
    )
  }

  const emails = spreadIndexes(20_000, credentials).map(searchByEmail)
  const identifier = new DatabaseSync(ours.database, { readOnly: true })
    .prepare("SELECT identifier_id AS id FROM identifier_events GROUP BY 1 ORDER BY count(*) DESC LIMIT 1")
    .get()?.["id"]
  const kinds: ReadonlyArray<readonly [name: string, bodies: ReadonlyArray<unknown>, order: object]> = [
    ["one e-mail", emails, {}],
    ["one e-mail, as JSON with a charset", emails, { contentType: "application/json; charset=utf-8" }],
    [
      "a page of events of one identifier",
      [{ size: 10 }],
      { target: `POST /svc/v4/events/identifiers/${String(identifier)}/_search` }
    ],
    ["a listing of recommendations", [undefined], { target: "GET /svc/v4/identifier-recommendations/" }],
    [refusedSearch, refused, { target: "POST /svc/v4/events/global/_search" }]
  ]
  const microsecondsOf = async (service: Service, [, bodies, order]: (typeof kinds)[number]) => {
    const { port, token } = service
    const from = processorTimeOf(port)
    const { failures, requests } = await ask(port, token, bodies, undefined, {
      warmUp: 0,
      milliseconds: 4_000,
      ...order
    })
    if (failures > 0 !== (bodies === refused)) throw new Error(`${failures} requests were not answered with 200`)
    return ((processorTimeOf(port) - from) * 1_000) / requests
  }
  const counted = new Map<string, Array<number>>()
  const count = async (name: string, service: Service | undefined, kind: (typeof kinds)[number], round: number) => {
    if (service === undefined) return
    const microseconds = await microsecondsOf(service, kind)
    // The first round warms up.
    if (round > 0) counted.set(name, [...(counted.get(name) ?? []), microseconds])
  }
  for (let round = 0; round <= rounds; round += 1) {
    for (const kind of kinds) {
      if (kind === kinds[0]) await count("bare", bare, kind, round)
      await count(kind[0], ours, kind, round)
      await count(`${kind[0]} before`, before, kind, round)
    }
  }
  const of = (name: string) => median(counted.get(name) ?? [])
  const show = (microseconds: number) => `${microseconds.toFixed(0)} µs`
  return kinds.map(([name], at) => {
    const [peer, other, target] =
      at === 0
        ? (["bare node:http, same prepared statement", of("bare"), 1 / 0.6] as const)
        : at === 1
          ? (["without the charset", of(kinds[0]?.[0] ?? ""), 1.05] as const)
          : (["none", Number.NaN, 0] as const)
    const ratio = of(name) / other
    return {
      what: name,
      ours: `${show(of(name))}${before === undefined ? "" : `; before: ${show(of(`${name} before`))}, ${(of(name) / of(`${name} before`)).toFixed(2)} of it`}`,
      peer: Number.isNaN(other) ? peer : `${peer}: ${show(other)}`,
      ratio: Number.isNaN(ratio) ? "" : `${ratio.toFixed(2)} of it`,
      target: target === 0 ? "" : target.toFixed(2),
      reached: target === 0 ? "not measured" : ratio <= target
    }
  })
}

try {
  printTable("The CPU time of a request", await measure())
} finally {
  endAll()
  rmSync(folder, { recursive: true, force: true })
}
