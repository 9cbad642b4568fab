/**
 * Exports the events that hold some words to a file, a line of JSON each. The cursor and the length of the file are kept
 * beside it after every page: stopped at any moment and run again, the program continues without losing or repeating an event.
 */
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs"
import { open, writeFile } from "node:fs/promises"
import { createClient } from "@threat-exposure/core/promise"

const client = createClient({
  baseUrl: process.env["THREAT_EXPOSURE_BASE_URL"] ?? "http://127.0.0.1:8787",
  token: process.env["THREAT_EXPOSURE_TOKEN"] ?? ""
})

const [words, file] = process.argv.slice(2)
if (words === undefined || file === undefined) {
  console.error("usage: npm run example -- examples/export-events.ts WORDS FILE")
  process.exit(2)
}

const place = `${file}.cursor`
const kept: { readonly from: string | null; readonly length: number } = existsSync(place)
  ? JSON.parse(readFileSync(place, "utf8"))
  : { from: null, length: 0 }

const output = await open(file, kept.from === null ? "w" : "r+")
// Events that were written after the cursor was kept come again.
await output.truncate(kept.length)
let { length } = kept
let count = 0

const query = { type: "query_string", query_string: words } as const
for await (const { items, next } of client.events.pages({ query, order: "asc", from: kept.from })) {
  const lines = Buffer.from(items.map((event) => `${JSON.stringify(event)}\n`).join(""))
  await output.write(lines, 0, lines.byteLength, length)
  length += lines.byteLength
  count += items.length
  if (next === null) break
  await output.sync()
  await writeFile(`${place}.new`, JSON.stringify({ from: next, length }))
  renameSync(`${place}.new`, place)
}

await output.close()
rmSync(place, { force: true })
console.log(`${count} events exported to ${file}`)
