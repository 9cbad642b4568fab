/** What came in about a domain since the program ran last; the first time, in the last thirty days. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createClient } from "@threat-exposure/core/promise"

const client = createClient({
  baseUrl: process.env["THREAT_EXPOSURE_BASE_URL"] ?? "http://127.0.0.1:8787",
  token: process.env["THREAT_EXPOSURE_TOKEN"] ?? ""
})

const [fqdn] = process.argv.slice(2)
if (fqdn === undefined) {
  console.error("usage: node examples/what-is-new.ts DOMAIN")
  process.exit(2)
}

const place = `.what-is-new-${encodeURIComponent(fqdn)}`
const now = new Date()
const since = existsSync(place)
  ? readFileSync(place, "utf8").trim()
  : new Date(now.getTime() - 30 * 24 * 60 * 60 * 1000).toISOString()
const query = { type: "domain", fqdn } as const

// What comes from a leak is hostile: no control character of it reaches the terminal.
const shown = (text: string) => text.replace(/\p{C}/gu, "·")

let credentials = 0
const bySource = new Map<string, number>()
for await (const { source, source_id } of client.credentials.search({
  query,
  filters: { imported_at: { gte: since } },
  size: 100
})) {
  const name = source?.name ?? source_id
  bySource.set(name, (bySource.get(name) ?? 0) + 1)
  credentials++
}

let events = 0
for await (const { metadata } of client.events.search({ query, filters: { estimated_created_at: { gte: since } } })) {
  console.log(`${metadata.estimated_created_at}  ${metadata.severity.padEnd(8)}  ${shown(metadata.uid)}`)
  events++
}

for (const [name, count] of bySource) console.log(`${String(count).padStart(6)} credentials in ${shown(name)}`)
console.log(`${credentials} credentials and ${events} events about ${fqdn} since ${since}`)

// Only now: a run that failed is done again in full.
writeFileSync(place, now.toISOString())
