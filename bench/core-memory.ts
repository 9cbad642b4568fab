/**
 * The largest resident set of a process that streams credentials, at 500,000 and at 5,000,000 of them, over a server that
 * repeats a page with new ids and cursors. Where V8 begins to collect differs from run to run, so each is the median of
 * several. `CREDENTIALS` makes it smaller, `RUNS` quicker.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { rolldown } from "rolldown"
import { pageSize } from "./CorePages.ts"
import { standIn } from "./CoreServers.ts"
import { median, printTable, type Row } from "./Table.ts"

const credentials = Number(process.env["CREDENTIALS"] ?? 500_000)
const runs = Number(process.env["RUNS"] ?? 3)

const folder = mkdtempSync(join(tmpdir(), "threat-exposure-bench-"))
const program = join(folder, "program.mjs")

interface Peak {
  readonly count: number
  /** Bytes, before the first request and at the most. */
  readonly before: number
  readonly peak: number
  /** Bytes of the heap that were in use near the end. */
  readonly live: number
}

const peakOf = async (reader: string, count: number): Promise<Peak> => {
  const server = await standIn(count / pageSize)
  try {
    const args = [program, reader, server.baseUrl, server.token, String(count / pageSize)]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const peak: Peak = JSON.parse(stdout)
    if (peak.count !== count) throw new Error(`${peak.count} credentials came, not ${count}`)
    return peak
  } finally {
    server.stop()
  }
}

const measure = async (): Promise<ReadonlyArray<Row>> => {
  // Bundled, as a program in use is: what strips types from the sources would take most of the memory.
  const bundle = await rolldown({ input: join(import.meta.dirname, "CoreMemory.ts"), platform: "node" })
  await bundle.write({ file: program, format: "esm", minify: true })
  await bundle.close()

  const loop = "JSON.parse(await response.text())"
  const ours = ["Credentials.search", "createClient"]
  const taken = new Map([loop, ...ours].map((reader) => [reader, new Array<{ few: Peak; many: Peak }>()]))
  for (let run = 1; run <= runs; run += 1) {
    for (const [reader, rounds] of taken) {
      process.stderr.write(`${reader}: round ${run} of ${runs}\r`)
      rounds.push({ few: await peakOf(reader, credentials), many: await peakOf(reader, credentials * 10) })
    }
  }
  const typical = (reader: string, stream: "few" | "many", what: Exclude<keyof Peak, "count">) =>
    megabytes(median((taken.get(reader) ?? []).map((round) => round[stream][what])))
  return ours.map((reader): Row => {
    const growth = median((taken.get(reader) ?? []).map(({ few, many }) => many.peak / few.peak))
    return {
      what: `${reader}, ${spoken(credentials)} and ${spoken(credentials * 10)}`,
      ours: `${typical(reader, "few", "peak")} and ${typical(reader, "many", "peak")}, ${typical(reader, "few", "before")} of it before the first request; in use near the end: ${typical(reader, "few", "live")} and ${typical(reader, "many", "live")}`,
      peer: `${loop}: ${typical(loop, "few", "peak")} and ${typical(loop, "many", "peak")}, in use ${typical(loop, "few", "live")} and ${typical(loop, "many", "live")}`,
      ratio: `${growth.toFixed(2)} of the smaller stream's`,
      target: "no growth (1.1)",
      reached: growth <= 1.1
    }
  })
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}

function spoken(count: number): string {
  return count.toLocaleString("en-GB")
}

try {
  const rows = await measure()
  printTable(
    `Memory of a stream, medians of ${runs}, over a page server from memory (load average ${loadavg()[0]?.toFixed(1)})`,
    rows
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
