/** How many events hold some words, by type and severity. Nothing of what leaked is shown. */
import { createClient, type Severity } from "@threat-exposure/core/promise"

const client = createClient({
  baseUrl: process.env["THREAT_EXPOSURE_BASE_URL"] ?? "http://127.0.0.1:8787",
  token: process.env["THREAT_EXPOSURE_TOKEN"] ?? ""
})

const words = process.argv.slice(2).join(" ")
if (words === "") {
  console.error("usage: npm run example -- examples/count-events.ts WORDS")
  process.exit(2)
}

const severities: ReadonlyArray<Severity> = ["critical", "high", "medium", "low", "info"]
const counts = new Map<string, Record<string, number>>()

for await (const { metadata } of client.events.search({ query: { type: "query_string", query_string: words } })) {
  const row = counts.get(metadata.type) ?? Object.fromEntries(severities.map((severity) => [severity, 0]))
  row[metadata.severity] = (row[metadata.severity] ?? 0) + 1
  counts.set(metadata.type, row)
}

console.table(Object.fromEntries([...counts].toSorted(([a], [b]) => a.localeCompare(b))))
