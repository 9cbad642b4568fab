/**
 * Reads the credentials of a domain for no more than so many units of the search quota, and says how to continue. A unit pays for
 * a search of up to 100 results; the service reports what is left in a header of every answer.
 */
import { createClient } from "@threat-exposure/core/promise"

const client = createClient({
  baseUrl: process.env["THREAT_EXPOSURE_BASE_URL"] ?? "http://127.0.0.1:8787",
  token: process.env["THREAT_EXPOSURE_TOKEN"] ?? ""
})

const [units, fqdn, from = null] = process.argv.slice(2)
if (fqdn === undefined || !Number.isInteger(Number(units)) || Number(units) < 1) {
  console.error("usage: npm run example -- examples/within-quota.ts UNITS DOMAIN [CURSOR]")
  process.exit(2)
}

let count = 0
let pages = 0
let next: string | null = from

do {
  // One page at a time and none ahead: leaving the loop at once is what keeps the next one from being asked for.
  for await (const page of client.credentials.pages({ query: { type: "domain", fqdn }, size: 100, from: next })) {
    count += page.items.length
    next = page.next
    pages++
    break
  }
} while (next !== null && pages < Number(units))

const { searchesRemaining } = client.quota()
console.log(
  `${count} credentials of ${fqdn} for at most ${pages} units; ${searchesRemaining ?? "an unknown number of"} left`
)
if (next !== null) console.log(`there is more: npm run example -- examples/within-quota.ts ${units} ${fqdn} '${next}'`)
