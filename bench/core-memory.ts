/**
 * The largest resident set of a process that streams credentials, at 500,000 and at 5,000,000 of them, over a server that
 * repeats a page with new ids and cursors. `CREDENTIALS` makes it smaller.
 */
import { execFile } from "node:child_process"
import { loadavg } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { pageSize } from "./CorePages.ts"
import { standIn } from "./CoreServers.ts"
import { printTable, type Row } from "./Table.ts"

const credentials = Number(process.env["CREDENTIALS"] ?? 500_000)

interface Peak {
  readonly count: number
  /** Bytes, before the first request and at the most. */
  readonly before: number
  readonly peak: number
}

const peakOf = async (reader: string, count: number): Promise<Peak> => {
  const server = await standIn(count / pageSize)
  try {
    const args = [join(import.meta.dirname, "CoreMemory.ts"), reader, server.baseUrl, server.token]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const peak: Peak = JSON.parse(stdout)
    if (peak.count !== count) throw new Error(`${peak.count} credentials came, not ${count}`)
    return peak
  } finally {
    server.stop()
  }
}

const loop = "JSON.parse(await response.text())"
const plain = { few: await peakOf(loop, credentials), many: await peakOf(loop, credentials * 10) }

const rows: Array<Row> = []
for (const reader of ["Credentials.search", "createClient"]) {
  const few = await peakOf(reader, credentials)
  const many = await peakOf(reader, credentials * 10)
  const growth = many.peak / few.peak
  rows.push({
    what: `${reader}, ${spoken(credentials)} and ${spoken(credentials * 10)}`,
    ours: `${megabytes(few.peak)} and ${megabytes(many.peak)}, ${megabytes(few.before)} of it before the first request`,
    peer: `${loop}: ${megabytes(plain.few.peak)} and ${megabytes(plain.many.peak)}`,
    ratio: `${growth.toFixed(2)} of the smaller stream's`,
    mustReach: "no growth (1.1)",
    reached: growth <= 1.1
  })
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}

function spoken(count: number): string {
  return count.toLocaleString("en-GB")
}

printTable(`Memory of a stream, over a page server from memory (load average ${loadavg()[0]?.toFixed(1)})`, rows)
