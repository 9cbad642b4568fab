/**
 * Measures the cost of loading credentials into SQLite as the store grows: speed, processor time, and bytes written to the disk.
 * `STEPS=10 STEP=2000000` takes half an hour. `MAIN=FILE` measures another build. Needs Linux.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { printTable, type Row } from "./Table.ts"
import { writeCredentials } from "./SyntheticCredentials.ts"

const steps = Number(process.env["STEPS"] ?? 4)
const step = Number(process.env["STEP"] ?? 500_000)
const main = process.env["MAIN"] ?? fileURLToPath(new URL("../apps/service/src/main.ts", import.meta.url))
const folder = mkdtempSync(join(process.env["FOLDER"] ?? tmpdir(), "threat-exposure-bench-"))
const database = join(folder, "bench.sqlite")

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

const measure = async (): Promise<ReadonlyArray<Row>> => {
  const costs: Array<Cost> = []
  for (let at = 0; at < steps; at += 1) {
    const file = join(folder, "credentials.ndjson")
    await writeCredentials(file, step, at * step)
    const cost = await load(file)
    rmSync(file)
    costs.push(cost)
    console.error(
      `up to ${((at + 1) * step).toLocaleString("en-GB")}: ${Math.round(step / cost.seconds).toLocaleString("en-GB")} rows/s, ${cost.processorSeconds.toFixed(1)} s of processor time, ${Math.round(cost.peakMegabytes)} MB, ${(cost.written / 1e9).toFixed(2)} GB written, ${(cost.grown / 1e9).toFixed(2)} GB larger`
    )
  }
  const written = costs.reduce((sum, cost) => sum + cost.written, 0) / sizeOf()
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
    }
  ]
}

try {
  printTable("Growth", await measure())
} finally {
  rmSync(folder, { recursive: true })
}
