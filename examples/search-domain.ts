/** Who of a domain has leaked, where and when. Each account is shown once, masked; passwords are not shown at all. */
import { createClient } from "@threat-exposure/core/promise"

const client = createClient({
  baseUrl: process.env["THREAT_EXPOSURE_BASE_URL"] ?? "http://127.0.0.1:8787",
  token: process.env["THREAT_EXPOSURE_TOKEN"] ?? ""
})

const domains = process.argv.slice(2)
if (domains.length === 0) {
  console.error("usage: npm run example -- examples/search-domain.ts DOMAIN…")
  process.exit(2)
}

const masked = (account: string) => account.replace(/^(.).*@/u, "$1…@")
// Text of a leak is hostile: no control character of it reaches the terminal.
const shown = (text: string) => text.replace(/\p{C}/gu, "·")

// A reader such as `head` may close standard output early.
process.stdout.on("error", () => process.exit())

for (const fqdn of domains) {
  const seen = new Set<string>()
  // Newest first, so the first of an account is the last time it was seen.
  for await (const credential of client.credentials.search({ query: { type: "domain", fqdn }, size: 100 })) {
    const account = credential.identity_name.toLowerCase()
    if (seen.has(account)) continue
    seen.add(account)
    const source = credential.source?.name ?? credential.source_id
    console.log(`${credential.imported_at.slice(0, 10)}  ${shown(masked(account)).padEnd(30)}  ${shown(source)}`)
  }
  console.log(`${fqdn}: ${seen.size} accounts leaked`)
}
