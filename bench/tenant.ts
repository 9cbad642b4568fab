/**
 * The listings of a tenant over HTTP, and actions while others search. `EVENTS`, `IDENTIFIERS`, `CREDENTIALS` and `DOMAINS`
 * give other numbers.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { PlainCredential } from "@threat-exposure/core/domain/Credential"
import { prepareEvent } from "@threat-exposure/service/events/PreparedEvent"
import { assetOf } from "@threat-exposure/service/identifiers/Identifiers"
import { newToken, permissionWords } from "@threat-exposure/service/keys/ApiKeys"
import { KeyStore } from "@threat-exposure/service/keys/KeyStore"
import { microsecondsOf } from "@threat-exposure/service/requests/Microseconds"
import { credentialLoader } from "@threat-exposure/service/sqlite/credentials/CredentialLoader"
import { Database, databaseFiles } from "@threat-exposure/service/sqlite/database/Database"
import { eventLoader } from "@threat-exposure/service/sqlite/events/EventLoader"
import { beginCreation } from "@threat-exposure/service/sqlite/IdentifierStoreSqlite"
import { learnIdentifiers } from "@threat-exposure/service/sqlite/IdentifierPercolator"
import { batchOf, publishWhole } from "@threat-exposure/service/testing/PublishedRecords"
import { sqliteSameThread } from "@threat-exposure/service/sqlite/Sqlite"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ask, connections, endAll, spawnServer } from "./ServerProcess.ts"
import { credentialAt } from "./SyntheticCredentials.ts"
import { median, printTable, quantile, type Row } from "./Table.ts"

const events = Number(process.env["EVENTS"] ?? 1_000_000)
const identifiers = Number(process.env["IDENTIFIERS"] ?? 10_000)
const credentials = Number(process.env["CREDENTIALS"] ?? 2_000_000)
const domains = Number(process.env["DOMAINS"] ?? 100)
const requests = Number(process.env["REQUESTS"] ?? 1_000)
const now = "2026-01-01T00:00:00Z"

const eventOf = (index: number) => ({
  event_type: "paste",
  metadata: {
    uid: `bench/paste/${index}`,
    severity: "low",
    estimated_created_at: new Date(1_700_000_000_000 + index * 1_000).toISOString()
  },
  data: { title: `paste ${index}`, content: `seen at h${(index * 7_919) % identifiers}.example.com` }
})

const decodeCredential = Schema.decodeSync(PlainCredential)

const credentialOf = (index: number) => {
  const credential = credentialAt(index)
  const identity_name = `person${index}@c${(index * 31) % (domains * 2)}.example.net`
  return decodeCredential({ ...credential, identity_name, domain: null, credential_hash: `hash-${index}` })
}

/** Each event of tenant 1 matches one identifier, and so does half of the credentials of tenant 2. */
const fill = Effect.gen(function* () {
  const { connection, vault } = yield* Database
  const keys = yield* KeyStore
  const database = { connection, vault }
  const tokens = [newToken(), newToken()] as const
  for (const [at, token] of tokens.entries()) {
    yield* keys.create({ token, tenantId: at + 1, permissions: Object.values(permissionWords), createdAt: now })
  }
  const create = (tenantId: number, name: string) =>
    beginCreation.run(database, { tenantId, asset: assetOf({ name, type: "domain" }, name, now) })
  connection.transaction(() => {
    for (let at = 0; at < identifiers; at += 1) create(1, `h${at}.example.com`)
    for (let at = 0; at < domains; at += 1) create(2, `c${at}.example.net`)
    connection.run("DELETE FROM identifier_creations")
  })
  learnIdentifiers(database)
  for (let from = 0; from < events; from += 5_000) {
    const batch = Array.from({ length: Math.min(5_000, events - from) }, (_, at) =>
      prepareEvent(vault, eventOf(from + at))
    )
    connection.transaction(() => publishWhole(database, eventLoader.store, [batch], now), 0, "deferred")
  }
  for (let from = 0; from < credentials; from += 50_000) {
    const batch = Array.from({ length: Math.min(50_000, credentials - from) }, (_, at) => {
      const credential = credentialOf(from + at)
      return { credential, importedAt: microsecondsOf(credential.imported_at) ?? 0 }
    })
    connection.transaction(
      () => publishWhole(database, credentialLoader.store, [batchOf(vault, batch)], now),
      0,
      "deferred"
    )
  }
  return tokens
})

const decodePage = Schema.decodeUnknownSync(
  Schema.Struct({ items: Schema.Array(Schema.Unknown), next: Schema.NullOr(Schema.String) })
)

/** Sends one request after the other, and returns the milliseconds of each. */
const latenciesOf = async (
  request: (at: number, next: string | null) => readonly [path: string, body: unknown],
  { port, token, isPaged = true }: { readonly port: number; readonly token: string; readonly isPaged?: boolean }
) => {
  const latencies: Array<number> = []
  let next: string | null = null
  for (let at = -100; at < requests; at += 1) {
    const [path, body] = request(Math.max(0, at), next)
    const startedAt = performance.now()
    const response = await fetch(`http://127.0.0.1:${port}/svc${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? undefined : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    const took = performance.now() - startedAt
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
    if (isPaged) {
      const page = decodePage(JSON.parse(text))
      if (page.items.length === 0) throw new Error(`${path} found nothing`)
      ;({ next } = page)
    }
    if (at >= 0) latencies.push(took)
  }
  return { median: median(latencies), p99: quantile(latencies, 0.99) }
}

type Latencies = Awaited<ReturnType<typeof latenciesOf>>

const spoken = ({ median, p99 }: Latencies) => `p99 ${p99.toFixed(1)} ms, median ${median.toFixed(1)} ms`

const row = (what: string, ours: Latencies, limit: number): Row => ({
  what,
  ours: spoken(ours),
  peer: "none",
  ratio: "",
  target: `p99 ≤ ${limit} ms`,
  reached: ours.p99 <= limit
})

const folder = mkdtempSync(join(tmpdir(), "threat-exposure-bench-"))
try {
  const files = databaseFiles(join(folder, "bench.sqlite"))
  const [token, tokenOfCredentials] = await Effect.runPromise(Effect.provide(fill, sqliteSameThread(files)))
  const program = fileURLToPath(new URL("../apps/service/bin/threat-exposure-service.mjs", import.meta.url))
  const limits = ["--searches-a-month", "1000000000", "--search-rate", "1000000", "--basic-rate", "1000000"]
  const port = await spawnServer(
    [program, "serve", "--port", "0", "--database", files.file, ...limits],
    /listening on \S+:(\d+)/u
  )
  const of = { port, token }
  const tenant = "/v4/events/tenant/_search"
  const ofTenant = await latenciesOf((_, from) => [tenant, { size: 10, from }], of)
  const ofIdentifier = await latenciesOf(
    (at) => [`/v4/events/identifiers/${(at % identifiers) + 1}/_search`, { size: 10 }],
    of
  )
  const byArrival = await latenciesOf(
    (_, from) => [tenant, { size: 10, from, order: "asc", filters: { materialized_at: { gt: now } } }],
    of
  )
  const ofIdentifiers = await latenciesOf(
    (_, from) => [`/v4/identifiers/?size=100${from === null ? "" : `&from=${from}`}`, undefined],
    of
  )
  const searching = ask(port, token, [{ query: { type: "domain", fqdn: "c1.example.net" }, size: 10 }], connections, {
    warmUp: 0,
    milliseconds: 600_000
  }).catch(() => undefined)
  const acting = await latenciesOf(
    (at) => [
      "/v4/events/actions",
      {
        targets: Array.from({ length: 10 }, (_, target) => ({ uid: `bench/paste/${(at * 10 + target) % events}` })),
        action: { type: at % 2 === 0 ? "ignore" : "unignore" }
      }
    ],
    { ...of, isPaged: false }
  )
  endAll()
  await searching
  const again = await spawnServer(
    [program, "serve", "--port", "0", "--database", files.file, ...limits],
    /listening on \S+:(\d+)/u
  )
  const ofCredentials = await latenciesOf(
    (_, from) => [`/v2/me/feed/credentials?size=100${from === null ? "" : `&from=${from}`}`, undefined],
    { port: again, token: tokenOfCredentials }
  )
  const many = (count: number) => count.toLocaleString("en-GB")
  const data = `${many(events)} events of ${many(identifiers)} identifiers`
  printTable(`The listings of a tenant (load average ${loadavg()[0]?.toFixed(1)})`, [
    row(`a page of 10 of ${data}`, ofTenant, 10),
    {
      ...row("the same, by p99, beside the listing of one identifier", ofTenant, 10),
      peer: spoken(ofIdentifier),
      ratio: `${(ofTenant.p99 / ofIdentifier.p99).toFixed(2)} times`,
      target: "at most 2 times",
      reached: ofTenant.p99 <= 2 * ofIdentifier.p99
    },
    row("the same in the order of arrival", byArrival, 10),
    row(`a page of 100 of ${many(identifiers)} identifiers with their event counts`, ofIdentifiers, 10),
    row(`an action on 10 events, while ${connections} connections search`, acting, 20),
    row(`a page of 100 of ${many(credentials)} credentials, ${many(domains)} domains`, ofCredentials, 20)
  ])
} finally {
  endAll()
  rmSync(folder, { recursive: true, force: true })
}
