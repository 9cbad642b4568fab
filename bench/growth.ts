/**
 * Measures the cost of loading credentials into SQLite as the store grows: speed, processor time, and bytes written to
 * the disk; then that of adding `ADDED` more, and searches by e-mail address beside the store after the first step.
 * `STEPS=10 STEP=2000000` takes half an hour. `MAIN=FILE` measures another build. Needs Linux.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Answered } from "./LoadProgram.ts"
import { ask, endAll, spawnServer } from "./ServerProcess.ts"
import { searchByEmail, spreadIndexes, writeCredentials } from "./SyntheticCredentials.ts"
import { median, printTable, quantile, type Row } from "./Table.ts"

const steps = Number(process.env["STEPS"] ?? 4)
const step = Number(process.env["STEP"] ?? 500_000)
const added = Number(process.env["ADDED"] ?? 50_000)
const main = process.env["MAIN"] ?? fileURLToPath(new URL("../apps/service/src/main.ts", import.meta.url))
const folder = mkdtempSync(join(process.env["FOLDER"] ?? tmpdir(), "threat-exposure-bench-"))
const store = join(folder, "store")
const firstStore = join(folder, "first")
const databaseIn = (folder: string): string => join(folder, "bench.sqlite")
const database = databaseIn(store)

interface Cost {
  readonly seconds: number
  readonly processorSeconds: number
  readonly peakMegabytes: number
  readonly written: number
  readonly grown: number
}

const sizeOf = (): number => statSync(database, { throwIfNoEntry: false })?.size ?? 0

const load = async (file: string): Promise<Cost> => {
  const before = sizeOf()
  const startedAt = performance.now()
  const child = spawn(process.execPath, [main, "load", "credentials", file, "--database", database], {
    stdio: ["ignore", "ignore", "inherit"]
  })
  const read = (name: string) => readFileSync(`/proc/${child.pid}/${name}`, "utf8")
  let [written, peakMegabytes, processorSeconds] = [0, 0, 0]
  const sampling = setInterval(() => {
    try {
      written = Number(/^write_bytes: (\d+)$/mu.exec(read("io"))?.[1] ?? written)
      peakMegabytes = Number(/^VmHWM:\s+(\d+) kB$/mu.exec(read("status"))?.[1] ?? 0) / 1_000
      const [user, system] = read("stat").split(") ")[1]?.split(" ").slice(11, 13) ?? []
      processorSeconds = (Number(user) + Number(system)) / 100
    } catch {
      // The process has ended.
    }
  }, 50)
  const [code] = await once(child, "exit")
  clearInterval(sampling)
  if (code !== 0) throw new Error("The credentials could not be loaded")
  return {
    seconds: (performance.now() - startedAt) / 1_000,
    processorSeconds,
    peakMegabytes,
    written,
    grown: sizeOf() - before
  }
}

/** Loads `count` credentials, the first of which is `from`. */
const add = async (count: number, from: number): Promise<Cost> => {
  const file = join(folder, "credentials.ndjson")
  await writeCredentials(file, count, from)
  const cost = await load(file)
  rmSync(file)
  console.error(
    `up to ${(from + count).toLocaleString("en-GB")}: ${Math.round(count / cost.seconds).toLocaleString("en-GB")} rows/s, ${cost.processorSeconds.toFixed(1)} s of processor time, ${Math.round(cost.peakMegabytes)} MB, ${(cost.written / 1e9).toFixed(2)} GB written, ${(cost.grown / 1e9).toFixed(2)} GB larger`
  )
  return cost
}

/** A function that searches a store by e-mail address; the addresses are among the first `among` credentials. */
const spawnSearches = async (folder: string, among: number) => {
  const common = ["--database", databaseIn(folder)]
  const keys = [main, "keys", "create", "--tenant", "1", "--permission", "read-tenant", ...common]
  const token = spawnSync(process.execPath, keys, { encoding: "utf8" }).stdout.trim().split("\n").at(-1) ?? ""
  const port = await spawnServer(
    [main, "serve", "--port", "0", "--searches-a-month", "2000000000", ...common],
    /listening on http:\/\/127\.0\.0\.1:(\d+)/u
  )
  const searches = spreadIndexes(20_000, among).map(searchByEmail)
  return () => ask(port, token, searches)
}

/** Compares searches of the whole store with those of the store after the first step. */
const measureSearches = async (): Promise<ReadonlyArray<Row>> => {
  const searchFirst = await spawnSearches(firstStore, step)
  const searchAll = await spawnSearches(store, steps * step)
  const rounds: Array<Record<"first" | "all", Answered>> = []
  for (let round = 0; round < 5; round += 1) rounds.push({ first: await searchFirst(), all: await searchAll() })
  const ratio = median(rounds.map(({ all, first }) => all.perSecond / first.perSecond))
  const p99 = (answered: Answered): number => quantile(answered.latencies, 0.99)
  return [
    {
      what: `searches by e-mail address per second: ${((steps * step) / 1e6).toFixed(1)} against ${(step / 1e6).toFixed(1)} million`,
      ours: String(Math.round(median(rounds.map(({ all }) => all.perSecond)))),
      peer: String(Math.round(median(rounds.map(({ first }) => first.perSecond)))),
      ratio: ratio.toFixed(2),
      target: "0.8",
      reached: ratio >= 0.8
    },
    {
      what: "their p99 in ms",
      ours: median(rounds.map(({ all }) => p99(all))).toFixed(1),
      peer: median(rounds.map(({ first }) => p99(first))).toFixed(1),
      ratio: "",
      target: "",
      reached: "not measured"
    }
  ]
}

const measure = async (): Promise<ReadonlyArray<Row>> => {
  mkdirSync(store)
  const costs: Array<Cost> = []
  for (let at = 0; at < steps; at += 1) {
    costs.push(await add(step, at * step))
    if (at === 0) cpSync(store, firstStore, { recursive: true })
  }
  const written = costs.reduce((sum, cost) => sum + cost.written, 0) / sizeOf()
  const more = await add(added, steps * step)
  const slowdown = (costs[0]?.processorSeconds ?? 0) / (costs.at(-1)?.processorSeconds ?? 1)
  return [
    {
      what: `loading ${((steps * step) / 1e6).toFixed(1)} million credentials: processor time of the first over that of the last ${(step / 1e6).toFixed(1)}`,
      ours: slowdown.toFixed(2),
      peer: "none",
      ratio: "",
      target: "0.8",
      reached: slowdown >= 0.8
    },
    {
      what: "the same: bytes written for each byte of the file",
      ours: written.toFixed(1),
      peer: "none",
      ratio: "",
      target: "6",
      reached: written <= 6
    },
    {
      what: `adding ${added.toLocaleString("en-GB")}: seconds; bytes written for each byte that the file grows`,
      ours: `${more.seconds.toFixed(1)}; ${(more.written / more.grown).toFixed(1)}`,
      peer: "none",
      ratio: "",
      target: "",
      reached: "not measured"
    },
    ...(await measureSearches())
  ]
}

try {
  printTable("Growth", await measure())
} finally {
  endAll()
  rmSync(folder, { recursive: true })
}
