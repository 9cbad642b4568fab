/**
 * `threat-exposure accounts` over a million credentials of 100,000 accounts, and a directory of 50,000 users: whether every
 * row is right, and the largest resident set. `CREDENTIALS` makes it smaller; `PROGRAM` names the `threat-exposure.mjs` of
 * another checkout, to compare with.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { type Answering, startServer } from "@threat-exposure/programs/LocalServer"
import { makeProgram } from "@threat-exposure/tests/e2e/cli/Program"
import { setup } from "@threat-exposure/tests/build"
import { printTable } from "./Table.ts"

const credentials = Number(process.env["CREDENTIALS"] ?? 1_000_000)
const perAccount = 10
const accounts = credentials / perAccount
/** The first half are employees, whose addresses are of the organisation. */
const isEmployee = (account: number) => account < accounts / 2
const addressOf = (account: number) =>
  isEmployee(account)
    ? `person.${account}@${account % 3 === 0 ? "mail." : ""}example.com`
    : `person.${account}@mail${account % 997}.example.org`
const importedAt = (account: number, sighting: number) =>
  new Date(1_600_000_000_000 + ((account * 7_919 + sighting * 104_729) % 150_000_000) * 1_000)
    .toISOString()
    .replace(".000Z", "Z")
const statusOf = (account: number) => ["active", "disabled", "of another kind"][account % 3] ?? ""
const changedAt = (account: number) =>
  new Date(1_675_000_000_000 + (account % 1_000) * 60_000).toISOString().replace(".000Z", "Z")

const credentialAt = (account: number, sighting: number) => {
  const source = (account + sighting) % 40
  const id = source === 7 ? "stealer-7" : `breach-${source}`
  return {
    id: account * perAccount + sighting,
    identity_name: sighting % 2 === 0 ? addressOf(account) : addressOf(account).toUpperCase(),
    domain: addressOf(account).split("@")[1],
    source_id: id,
    imported_at: importedAt(account, sighting),
    hash: account % 4 === 0 ? null : `correct-horse-${account}`,
    hash_type: account % 4 === 0 ? null : account % 4 === 1 && sighting === 3 ? "unknown" : "bcrypt",
    source: {
      id,
      name: `Source ${source}`,
      description_en: "A synthetic source, described in some words",
      description_fr: null,
      breached_at: null,
      leaked_at: null,
      is_alert_enabled: true,
      pii_tags: ["email"],
      url: null
    },
    known_password_id: null,
    credential_hash: "0123456789abcdef0123456789abcdef",
    event_uid: `leak/${id}/${account}`
  }
}

const expectedRow = (account: number) => {
  const sightings = Array.from({ length: perAccount }, (_, sighting) => credentialAt(account, sighting))
  const times = sightings.map(({ imported_at }) => imported_at).toSorted()
  const last = times.at(-1) ?? ""
  return {
    account: addressOf(account),
    login_domains: isEmployee(account) ? [] : ["app.example.com"],
    class: isEmployee(account) ? "employee" : "customer",
    status: isEmployee(account) ? (["active", "gone", "unknown"][account % 3] ?? "") : "unknown",
    first_seen: times[0],
    last_seen: last,
    sources: sightings.map(({ source_id }) => source_id).toSorted(),
    password: account % 4 === 0 ? "none" : account % 4 === 1 ? "clear" : "hashed",
    stealer_log: sightings.some(({ source_id }) => source_id === "stealer-7") ? "yes" : "no",
    changed_since: isEmployee(account) ? (changedAt(account) > last ? "yes" : "no") : "unknown"
  }
}

const answer: Answering = async (request, response) => {
  const { from, query, size } = JSON.parse(await text(request))
  const start = from == null ? 0 : Number(from)
  const first = query.type === "domain" ? 0 : credentials / 2
  // Sightings of one account are far apart.
  const items = Array.from({ length: Math.min(size, credentials / 2 - start) }, (_, at) => {
    const place = start + at
    const half = accounts / 2
    return credentialAt(first / perAccount + (place % half), Math.floor(place / half))
  })
  const next = start + items.length < credentials / 2 ? String(start + items.length) : null
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ items, next }))
}

setup()
const server = await startServer(answer)
const program = await makeProgram(
  {
    THREAT_EXPOSURE_BASE_URL: server.url,
    THREAT_EXPOSURE_TOKEN: "te_bench"
  },
  process.env["PROGRAM"]
)
try {
  const users = Array.from(
    { length: accounts / 2 },
    (_, account) => `${addressOf(account)},${statusOf(account)},${changedAt(account)}\n`
  )
  writeFileSync(join(program.folder, "users.csv"), `email,status,password_changed_at\n${users.join("")}`)
  const args = ["--domains", "example.com", "--login-domains", "app.example.com", "--directory", "users.csv"]
  const tellsPeak = `process.on("exit", () => process._rawDebug("peak " + process.resourceUsage().maxRSS))`
  const startedAt = performance.now()
  const { ended } = program.start(["accounts", ...args, "--to", "accounts.ndjson"], {
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tellsPeak)}` }
  })
  const { code, stderr } = await ended
  const seconds = (performance.now() - startedAt) / 1000
  if (code !== 0) throw new Error(`accounts ended with ${code}:\n${stderr}`)
  const megabytes = Math.round(Number(/^peak (\d+)$/mu.exec(stderr)?.[1]) / 1_000)

  const expected = new Map(
    Array.from({ length: accounts }, (_, account) => [addressOf(account), JSON.stringify(expectedRow(account))])
  )
  const rows = readFileSync(join(program.folder, "accounts.ndjson"), "utf8").trimEnd().split("\n")
  const right = rows.filter((line) => {
    const { domain: _, ...row } = JSON.parse(line)
    return expected.get(row.account) === JSON.stringify({ ...row, sources: row.sources.toSorted() })
  }).length
  const row = (what: string, ours: string, target: string, reached: boolean) => ({
    what,
    ours,
    peer: "none",
    ratio: "",
    target,
    reached
  })
  printTable(`accounts over ${credentials.toLocaleString("en-GB")} credentials`, [
    row("rows that are right", `${right} of ${accounts}`, "all", right === accounts && rows.length === accounts),
    row("memory at the most", `${megabytes} MB`, "150 MB", megabytes <= 150),
    row("time", `${seconds.toFixed(1)} s`, "", true)
  ])
} finally {
  await server.close()
  await program.remove()
}
