/**
 * The cost of a look-up as the data on one node of OpenSearch grows. `SIZES=20000,200000` makes it a quick look. Says on
 * standard error what it does.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { openSearchCluster } from "@threat-exposure/programs/OpenSearchCluster"
import { clusterService } from "./ClusterService.ts"
import { ask, endAll } from "./ServerProcess.ts"
import { domainOf, emailOf, passwordOf, spreadIndexes, writeCredentials } from "./SyntheticCredentials.ts"
import { median, printTable, quantile, type Row } from "./Table.ts"

const sizes = (process.env["SIZES"] ?? "100000,1000000,5000000").split(",").map(Number)
const folder = mkdtempSync(join(tmpdir(), "threat-exposure-bench-"))
const service = clusterService(folder)
const queries = {
  "e-mail": (index: number) => ({ type: "email", email: emailOf(index) }),
  domain: (index: number) => ({ type: "domain", fqdn: domainOf(index) }),
  secret: (index: number) => ({ type: "secret", secret: passwordOf(index) })
}
const kinds = ["e-mail", "domain", "secret"] as const

const spoken = (count: number) => count.toLocaleString("en-GB")
const tell = (step: string) => console.error(`${(performance.now() / 1_000).toFixed(0)} s: ${step}`)

const measure = async (url: string): Promise<ReadonlyArray<Row>> => {
  /** Milliseconds at the median. */
  const costs: Array<Record<(typeof kinds)[number], number>> = []
  const token = await service.token(url)
  const port = await service.serve(url)
  let stored = 0
  for (const size of sizes) {
    tell(`loading up to ${spoken(size)} credentials`)
    const file = join(folder, "credentials.ndjson")
    await writeCredentials(file, size - stored, stored)
    await service.load(url, file, size - stored, 3_600_000)
    rmSync(file)
    stored = size
    const sample = spreadIndexes(2_000, size)
    const p50 = async (kind: (typeof kinds)[number]) => {
      tell(`${spoken(size)} credentials: by ${kind}`)
      const searches = sample.map((index) => ({ query: queries[kind](index), size: 10 }))
      const rounds = []
      for (let round = 0; round < 3; round += 1) rounds.push(await ask(port, token, searches, 1))
      if (rounds.some(({ failures }) => failures > 0)) throw new Error("Some searches were not answered with 200")
      return median(rounds.map(({ latencies }) => quantile(latencies, 0.5)))
    }
    costs.push({ "e-mail": await p50("e-mail"), domain: await p50("domain"), secret: await p50("secret") })
  }
  return kinds.map((kind): Row => {
    const milliseconds = costs.map((cost) => cost[kind])
    const ratio = (milliseconds.at(-1) ?? Number.NaN) / (milliseconds[0] ?? Number.NaN)
    return {
      what: `look-up by ${kind}, newest 10, one connection, at ${sizes.map(spoken).join("; ")} credentials`,
      ours: `p50 ${milliseconds.map((p50) => p50.toFixed(2)).join("; ")} ms`,
      peer: "none",
      ratio: `${ratio.toFixed(2)} times the first at the last`,
      target: "2",
      reached: ratio <= 2
    }
  })
}

const node = await openSearchCluster({ forThroughput: true, heap: "1g" })
if ("missing" in node) throw new Error(node.missing)
try {
  const rows = await measure(node.urls[0] ?? "")
  printTable(`A look-up on OpenSearch as data grows (load average ${loadavg()[0]?.toFixed(1)})`, rows)
} finally {
  endAll()
  await node.stop()
  rmSync(folder, { recursive: true, force: true })
}
