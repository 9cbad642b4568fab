/**
 * 500,000 credentials streamed in pages of 10,000, every record validated, against plain loops that validate nothing, over
 * the service and over a server that needs no time. `CREDENTIALS` and `RUNS` make it quicker.
 */
import { loadavg } from "node:os"
import { pageSize } from "./CorePages.ts"
import { type Reader, readers } from "./CoreReaders.ts"
import { type Running, service, standIn } from "./CoreServers.ts"
import { median, printTable, type Row } from "./Table.ts"

const credentials = Number(process.env["CREDENTIALS"] ?? 500_000)
const runs = Number(process.env["RUNS"] ?? 3)

interface Run {
  /** Seconds that passed, and seconds this process computed. */
  readonly elapsed: number
  readonly computed: number
}

const names = [
  "JSON.parse(await response.text())",
  "await response.json()",
  "Credentials.search, readAhead",
  "createClient, readAhead"
] as const
type Name = (typeof names)[number]

const runOnce = async (reader: Reader, running: Running): Promise<Run> => {
  const startedAt = performance.now()
  const cpu = process.cpuUsage()
  const count = await reader(running)
  const elapsed = (performance.now() - startedAt) / 1_000
  const { system, user } = process.cpuUsage(cpu)
  if (count !== credentials) throw new Error(`${count} credentials came, not ${credentials}`)
  return { elapsed, computed: (user + system) / 1e6 }
}

/** Runs the readers in turn, so that all run under the same load; each round begins with another reader. */
const measure = async (over: string, running: Running): Promise<ReadonlyArray<Row>> => {
  const rounds: Array<Record<Name, Run>> = []
  for (let round = -1; round < runs; round += 1) {
    const taken = new Map<Name, Run>()
    for (let at = 0; at < names.length; at += 1) {
      const name = names[(round + 1 + at) % names.length] ?? names[0]
      taken.set(name, await runOnce(readers[name], running))
    }
    // The first round warms up.
    if (round >= 0) rounds.push(Object.fromEntries(taken) as Record<Name, Run>)
    process.stderr.write(`${over}: round ${round + 2} of ${runs + 1}\r`)
  }
  running.stop()
  const [first, second, ...ours] = names
  return ours.flatMap((name) =>
    ([first, second] as const).map((peer): Row => {
      const ratio = median(rounds.map((run) => run[peer].elapsed / run[name].elapsed))
      return {
        what: `${name}, over ${over}`,
        ours: spoken(rounds.map((run) => run[name])),
        peer: `${peer}: ${spoken(rounds.map((run) => run[peer]))}`,
        ratio: `${ratio.toFixed(2)} times as fast`,
        target: "1.1",
        reached: ratio >= 1.1
      }
    })
  )
}

const spoken = (all: ReadonlyArray<Run>) =>
  `${median(all.map(({ elapsed }) => elapsed)).toFixed(2)} s (CPU ${median(all.map(({ computed }) => computed)).toFixed(2)} s)`

const rows = [
  ...(await measure("the service", await service(credentials))),
  ...(await measure("a page server from memory", await standIn(credentials / pageSize)))
]
printTable(
  `${credentials.toLocaleString("en-GB")} credentials streamed in pages of 10,000 (load average ${loadavg()[0]?.toFixed(1)})`,
  rows
)
