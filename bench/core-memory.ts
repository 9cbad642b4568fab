/**
 * The largest resident set of a process that streams credentials, at 500,000 and at 5,000,000 of them, over a server that
 * repeats a page with new ids and cursors. `CREDENTIALS` makes it smaller.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { rolldown } from "rolldown"
import { pageSize } from "./CorePages.ts"
import { standIn } from "./CoreServers.ts"
import { printTable, type Row } from "./Table.ts"

const credentials = Number(process.env["CREDENTIALS"] ?? 500_000)

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

  const peaks = async (reader: string) => ({
    few: await peakOf(reader, credentials),
    many: await peakOf(reader, credentials * 10)
  })
  const loop = "JSON.parse(await response.text())"
  const plain = await peaks(loop)
  const rows: Array<Row> = []
  for (const reader of ["Credentials.search", "createClient"]) {
    const { few, many } = await peaks(reader)
    const growth = many.peak / few.peak
    rows.push({
      what: `${reader}, ${spoken(credentials)} and ${spoken(credentials * 10)}`,
      ours: `${megabytes(few.peak)} and ${megabytes(many.peak)}, ${megabytes(few.before)} of it before the first request; in use near the end: ${megabytes(few.live)} and ${megabytes(many.live)}`,
      peer: `${loop}: ${megabytes(plain.few.peak)} and ${megabytes(plain.many.peak)}, in use ${megabytes(plain.few.live)} and ${megabytes(plain.many.live)}`,
      ratio: `${growth.toFixed(2)} of the smaller stream's`,
      mustReach: "no growth (1.1)",
      reached: growth <= 1.1
    })
  }
  return rows
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}

function spoken(count: number): string {
  return count.toLocaleString("en-GB")
}

try {
  const rows = await measure()
  printTable(`Memory of a stream, over a page server from memory (load average ${loadavg()[0]?.toFixed(1)})`, rows)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
