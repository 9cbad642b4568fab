/**
 * The throughput of three service processes over that of one, where the cluster is not the bottleneck. They share this machine's processors with
 * the load generators and the stand-in for the cluster, so each is asked for a fraction of what it can do, and what counts is
 * the processor time of a look-up: as long as it does not grow with the number of processes, they add up on processors of
 * their own.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { openSearchCluster } from "@threat-exposure/programs/OpenSearchCluster"
import { clusterService } from "./ClusterService.ts"
import { ask, endAll, processorTimeOf, spawnServer } from "./ServerProcess.ts"
import { emailOf, writeCredentials } from "./SyntheticCredentials.ts"
import { median, printTable, type Row } from "./Table.ts"

const folder = mkdtempSync(join(tmpdir(), "threat-exposure-bench-"))
const service = clusterService(folder)
const count = 1_000

/** The connections to each process. With the pause, in milliseconds, they make some 300 look-ups a second. */
const connections = 4
const pause = 12

const measure = async (node: string): Promise<ReadonlyArray<Row>> => {
  const file = join(folder, "credentials.ndjson")
  await writeCredentials(file, count)
  await service.load(node, file, count, 60_000)
  const token = await service.token(node)
  const standIn = await spawnServer([fileURLToPath(import.meta.resolve("./StandIn.ts")), node], /listening on (\d+)/u)
  const url = `http://127.0.0.1:${standIn}`
  const ports = [await service.serve(url), await service.serve(url), await service.serve(url)]
  const search = { query: { type: "email", email: emailOf(1) }, size: 10 }

  /** Requests a second of all, and the milliseconds of a processor that each takes in the services. */
  const round = async (asked: ReadonlyArray<number>) => {
    const used = () => asked.reduce((sum, port) => sum + processorTimeOf(port), 0)
    const before = used()
    const startedAt = performance.now()
    const answers = await Promise.all(asked.map((port) => ask(port, token, [search], connections, { pause })))
    if (answers.some(({ failures }) => failures > 0)) throw new Error("Some searches were not answered with 200")
    const perSecond = answers.reduce((sum, answer) => sum + answer.perSecond, 0)
    // The load generators warm up at the same rate as they measure.
    const requests = (perSecond * (performance.now() - startedAt)) / 1_000
    return { perSecond, cost: (used() - before) / requests }
  }
  // This round warms both up and is not counted.
  for (const port of ports) await round([port])
  const one: Array<{ readonly perSecond: number; readonly cost: number }> = []
  const three: typeof one = []
  for (let turn = 0; turn < 3; turn += 1) {
    one.push(await round(ports.slice(0, 1)))
    three.push(await round(ports))
  }
  const of = (rounds: typeof one, which: "perSecond" | "cost") => median(rounds.map((round) => round[which]))
  const growth = of(three, "cost") / of(one, "cost")
  return [
    {
      what: `look-ups through three processes over one, each far from its limit, on ${cpus().length} processors`,
      ours: `${of(three, "perSecond").toFixed(0)} /s over ${of(one, "perSecond").toFixed(0)} /s; ${of(three, "cost").toFixed(3)} over ${of(one, "cost").toFixed(3)} ms of a processor each`,
      peer: "none",
      ratio: `${(3 / growth).toFixed(2)} times, if each had a processor`,
      target: "2.5",
      reached: 3 / growth >= 2.5
    }
  ]
}

const node = await openSearchCluster({ forThroughput: true, heap: "1g" })
if ("missing" in node) throw new Error(node.missing)
try {
  printTable("Several services on one cluster", await measure(node.urls[0] ?? ""))
} finally {
  endAll()
  await node.stop()
  rmSync(folder, { recursive: true, force: true })
}
