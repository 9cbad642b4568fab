/**
 * Measures how one tenant's expensive requests slow another tenant's e-mail look-ups and `/healthz`, on SQLite or, with
 * `ENGINE=opensearch`, on one node of OpenSearch. `CREDENTIALS=20000 EVENTS=5000` makes it a quick look.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { openSearchCluster } from "@threat-exposure/programs/OpenSearchCluster"
import type { Answered } from "./LoadProgram.ts"
import { ask, endAll, spawnServer } from "./ServerProcess.ts"
import { eventAt } from "./SyntheticEvents.ts"
import { largeDomain, searchByEmail, spreadIndexes, writeCredentials } from "./SyntheticCredentials.ts"
import { printTable, quantile, type Row } from "./Table.ts"

const credentials = Number(process.env["CREDENTIALS"] ?? 200_000)
const events = Number(process.env["EVENTS"] ?? 50_000)
const main = fileURLToPath(new URL("../apps/service/src/main.ts", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "threat-exposure-bench-"))
const node =
  process.env["ENGINE"] === "opensearch" ? await openSearchCluster({ forThroughput: true, heap: "1g" }) : undefined
if (node !== undefined && "missing" in node) throw new Error(node.missing)
const store =
  node === undefined
    ? ["--database", join(folder, "bench.sqlite")]
    : ["--opensearch", node.urls[0] ?? "", "--key-file", join(folder, "key")]

const command = (...args: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [main, ...args, ...store], { encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

const tokenOf = (tenant: number): string =>
  command("keys", "create", "--tenant", String(tenant), "--permission", "read-tenant").trim().split("\n").at(-1) ?? ""

/** Seconds until each answer to `/healthz` while `work` runs, with its status. */
const healthDuring = async <A>(port: number, work: Promise<A>) => {
  const state = { isRunning: true }
  const result = work.finally(() => (state.isRunning = false))
  const answers: Array<{ readonly seconds: number; readonly status: number }> = []
  while (state.isRunning) {
    const startedAt = performance.now()
    const { status } = await fetch(`http://127.0.0.1:${port}/healthz`)
    answers.push({ seconds: (performance.now() - startedAt) / 1_000, status })
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return { answers, result: await result }
}

const measure = async (): Promise<ReadonlyArray<Row>> => {
  const credentialFile = join(folder, "credentials.ndjson")
  const eventFile = join(folder, "events.ndjson")
  await writeCredentials(credentialFile, credentials)
  writeFileSync(eventFile, Array.from({ length: events }, (_, index) => `${JSON.stringify(eventAt(index))}\n`).join(""))
  command("load", "credentials", credentialFile)
  command("load", "events", eventFile)
  const [busy, other] = [tokenOf(1), tokenOf(2)]
  const port = await spawnServer(
    [main, "serve", "--port", "0", "--searches-a-month", "2000000000", ...store],
    /listening on http:\/\/127\.0\.0\.1:(\d+)/u
  )
  const emails = spreadIndexes(5_000, credentials).map(searchByEmail)
  // The look-ups come at a constant pace, so that they do not saturate the machine themselves.
  const lookUps = (warmUp: number) => ask(port, other, emails, 4, { pause: 20, warmUp, milliseconds: 10_000 })
  const rowsFor = async (what: string, target: number, load: () => Promise<Answered>): Promise<ReadonlyArray<Row>> => {
    const idle = await lookUps(1_000)
    const { answers, result } = await healthDuring(port, Promise.all([lookUps(3_000), load()]))
    const [beside] = result
    if (idle.failures + beside.failures > 0) throw new Error("A look-up was not answered with 200")
    const [before, during] = [quantile(idle.latencies, 0.99), quantile(beside.latencies, 0.99)]
    const slowest = Math.max(...answers.map(({ seconds }) => seconds))
    const isAlwaysReady = answers.every(({ seconds, status }) => status === 200 && seconds < 2)
    return [
      {
        what: `p99 of e-mail look-ups beside another tenant's ${what}`,
        ours: `${during.toFixed(1)} ms`,
        peer: `idle: ${before.toFixed(1)} ms`,
        ratio: (during / before).toFixed(2),
        target: `${target}`,
        reached: during / before <= target
      },
      {
        what: `/healthz beside ${what}`,
        ours: `${answers.filter(({ status }) => status === 200).length} of ${answers.length} ready, at most ${slowest.toFixed(2)} s`,
        peer: "none",
        ratio: "",
        target: "always, within 2 s",
        reached: isAlwaysReady
      }
    ]
  }
  const letters = "abcdefghijklmnopqrstuvwxyz"
  const prefixes = Array.from({ length: 40 }, (_, at) => ({
    query: {
      type: "query_string",
      // The search cannot end early: it has many prefixes, and a word that no event has.
      query_string: `nowhere AND (${[...letters].map((letter) => `${letter}${letters[at % 26]}*`).join(" OR ")})`
    },
    size: 10
  }))
  const busyFor = { warmUp: 0, milliseconds: 14_000 }
  return [
    ...(await rowsFor("40 concurrent prefix searches", 3, () =>
      ask(port, busy, prefixes, 40, { ...busyFor, target: "POST /svc/v4/events/global/_search" })
    )),
    ...(await rowsFor("200 concurrent pages of 10,000", 4, () =>
      ask(port, busy, [{ query: { type: "domain", fqdn: largeDomain }, size: 10_000 }], 200, busyFor)
    ))
  ]
}

try {
  printTable(`Fairness${node === undefined ? "" : " on OpenSearch"}`, await measure())
} finally {
  endAll()
  await node?.stop()
  rmSync(folder, { recursive: true })
}
