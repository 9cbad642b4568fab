/**
 * The service on one node of OpenSearch: loading, look-ups, pages and percolation. Says on standard error what it does.
 * `CREDENTIALS=50000` makes it a quick look; `CREDENTIALS=0` measures percolation alone.
 *
 * What it is compared with are the requests that the service itself sends, recorded by a proxy and repeated by a bare loop, each
 * alone and for all items of a page at once.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { pipeThrough, startServer } from "@threat-exposure/programs/LocalServer"
import { type OpenSearchCluster, openSearchCluster } from "@threat-exposure/programs/OpenSearchCluster"
import { eventIndexer } from "@threat-exposure/service/opensearch/events/EventIndexer"
import { prepareEvent } from "@threat-exposure/service/events/PreparedEvent"
import { assetOf } from "@threat-exposure/service/identifiers/Identifiers"
import { identifierIndex, sealAsset } from "@threat-exposure/service/opensearch/IdentifierIndex"
import type { Cluster } from "@threat-exposure/service/opensearch/cluster/Cluster"
import { KeyedCluster } from "@threat-exposure/service/opensearch/cluster/ClusterStart"
import { openSearch } from "@threat-exposure/service/opensearch/OpenSearch"
import * as Effect from "effect/Effect"
import { clusterService } from "./ClusterService.ts"
import type { Answered } from "./LoadProgram.ts"
import { ask, connections, endAll, generate, processorTimeOf } from "./ServerProcess.ts"
import { largeDomain, searchByEmail, spreadIndexes, writeCredentials } from "./SyntheticCredentials.ts"
import { eventAt, phraseAt } from "./SyntheticEvents.ts"
import { median, printTable, quantile, type Row } from "./Table.ts"

const credentials = Number(process.env["CREDENTIALS"] ?? 400_000)
const identifiers = 10_000
const events = 5_000
const eventsAtOnce = 500
const now = "2026-01-01T00:00:00Z"
const folder = mkdtempSync(join(tmpdir(), "threat-exposure-bench-"))
const service = clusterService(folder)

/** Milliseconds. */
const maxStepTime = 600_000

const spoken = (count: number) => Math.round(count).toLocaleString("en-GB")

const tell = (step: string) => console.error(`${(performance.now() / 1_000).toFixed(0)} s: ${step}`)

const measure = async (url: string): Promise<ReadonlyArray<Row>> => [
  ...(credentials === 0 ? [] : await searches(url)),
  await percolation(url)
]

const searches = async (url: string): Promise<ReadonlyArray<Row>> => {
  const load = (file: string, count: number) => {
    tell(`loading ${spoken(count)} credentials`)
    return service.load(url, file, count, maxStepTime)
  }
  const half = credentials / 2
  const files = [join(folder, "first.ndjson"), join(folder, "second.ndjson")] as const
  await Promise.all(files.map((file, at) => writeCredentials(file, half, at * half)))
  const cold = await load(files[0], half)
  const warm = await load(files[1], half)

  const token = await service.token(url)
  const ours = await service.serve(url)
  const compare = async (what: string, searches: ReadonlyArray<object>, size: number, concurrent: number) => {
    tell(`${what}: recording ${spoken(searches.length)} searches`)
    const { bodies, path } = await recordRequests(url, token, searches)
    // The service requests one more item, which shows whether there is a next page.
    const whole = bodies.map((body) => JSON.stringify({ ...JSON.parse(body), size: size + 1 }))
    const timed = async (send: Promise<Answered>) => {
      const before = { service: processorTimeOf(ours), node: await processorTimeOfNode(url) }
      const { failures, latencies, perSecond, processorTime, requests } = await send
      if (failures > 0) throw new Error("Some searches were not answered with 200")
      return {
        perSecond,
        p50: quantile(latencies, 0.5),
        loop: processorTime / requests,
        service: (processorTimeOf(ours) - before.service) / requests,
        node: ((await processorTimeOfNode(url)) - before.node) / requests
      }
    }
    const rounds = []
    for (let round = 0; round < warmUpRounds + comparedRounds; round += 1) {
      tell(`${what}: round ${round + 1} of ${warmUpRounds + comparedRounds}`)
      const time = round < warmUpRounds ? { warmUp: 3_000, milliseconds: 1_000 } : { warmUp: 500, milliseconds: 1_500 }
      const loop = { origin: url, path, bodies: whole, connections: concurrent, ...time }
      const bare = () => timed(generate("./UndiciLoop.ts", loop))
      const service = () => timed(ask(ours, token, searches, concurrent, time))
      // Neither is always the first of a round.
      rounds.push(
        round % 2 === 0 ? { bare: await bare(), ours: await service() } : { ours: await service(), bare: await bare() }
      )
    }
    return rounds.slice(warmUpRounds)
  }
  const lookUps = await compare(
    "look-ups",
    spreadIndexes(2_000, credentials).map((index) => Object.assign(searchByEmail(index), { size: 10 })),
    10,
    connections
  )
  const pages = await compare("pages", [{ query: { type: "domain", fqdn: largeDomain }, size: 10_000 }], 10_000, 1)

  const row = (what: string, rounds: typeof lookUps, target: number): Row => {
    const figures = (who: "bare" | "ours") => {
      const of = (figure: keyof (typeof rounds)[number]["ours"], digits: number) =>
        median(rounds.map((round) => round[who][figure])).toFixed(digits)
      const ofService = who === "ours" ? `, ${of("service", 2)} ms in the service` : ""
      return `${of("perSecond", 1)} /s, p50 ${of("p50", 1)} ms; processor time: ${of("node", 2)} ms in the node${ofService}, ${of("loop", 2)} ms in the loop`
    }
    const ratio = median(rounds.map((round) => round.ours.perSecond / round.bare.perSecond))
    return {
      what,
      ours: figures("ours"),
      peer: `bare undici loop: ${figures("bare")}`,
      ratio: `${ratio.toFixed(2)} of it`,
      target: String(target),
      reached: ratio >= target
    }
  }
  return [
    {
      what: `loading ${spoken(half)} credentials into a warm node (the same number into a cold one before)`,
      ours: `${spoken(warm)} rows/s (cold: ${spoken(cold)})`,
      peer: "none",
      ratio: "",
      target: "20,000 rows/s",
      reached: warm >= 20_000
    },
    row(`one e-mail, newest 10, ${connections} connections`, lookUps, 0.8),
    row("a page of 10,000, one connection", pages, 0.7)
  ]
}

/** Short ones, so that other work on the machine meets both sides of a comparison alike. */
const comparedRounds = 11
const warmUpRounds = 2

/** The requests of a service to the index of credentials, one for each of these searches: the first of several parts of a page. */
const recordRequests = async (url: string, token: string, searches: ReadonlyArray<object>) => {
  const bodies: Array<string> = []
  let path = ""
  let search = 0
  const proxy = await startServer(async (request, response) => {
    pipeThrough(request, response, url)
    const body = await text(request)
    if (request.url === undefined || !/-credentials-v\d+\/_search/u.test(request.url)) return
    path = request.url
    bodies[search] ??= body
  })
  const port = await service.serve(proxy.url)
  for (const [at, asked] of searches.entries()) {
    search = at
    await fetch(`http://127.0.0.1:${port}/svc/v4/credentials/global/_search`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(asked)
    }).then((response) => response.arrayBuffer())
  }
  await proxy.close()
  return { bodies, path }
}

/** The median of five rounds, after two that warm the node up. */
const percolation = (url: string): Promise<Row> =>
  Effect.gen(function* () {
    const { cluster, vault } = (yield* KeyedCluster).now
    const stored = Array.from({ length: identifiers }, (_, index) => {
      const id = index + 1
      const asset = sealAsset(vault, { id, tenantId: 1 }, assetOf({ name: phraseAt(index) }, `${index}`, now))
      return { index: identifierIndex, id: String(id), document: { id, tenantId: 1, asset, policies: [] } }
    })
    yield* cluster.write(stored)
    let findings = 0
    const counting: Cluster["Service"] = {
      ...cluster,
      write: (operations, options) => {
        if (operations[0]?.index.name === "findings") findings += operations.length
        return cluster.write(operations, options)
      }
    }
    const indexer = eventIndexer({ now: { cluster: counting, vault } })
    const { keyId } = vault
    const rounds: Array<{ readonly perSecond: number; readonly ours: number; readonly node: number }> = []
    for (let round = 0; round < 7; round += 1) {
      tell(`percolation: round ${round + 1} of 7`)
      const prepared = Array.from({ length: events }, (_, at) => prepareEvent(vault, eventAt(round * events + at)))
      const batches = Array.from({ length: events / eventsAtOnce }, (_, at) =>
        prepared.slice(at * eventsAtOnce, (at + 1) * eventsAtOnce)
      )
      const used = process.cpuUsage()
      const usedByNode = yield* Effect.promise(() => processorTimeOfNode(url))
      const startedAt = performance.now()
      // A load writes its batches in the same way.
      yield* Effect.forEach(batches, (batch) => indexer.write(batch, { keep: false, strict: false, now, keyId }), {
        concurrency: 3
      })
      const seconds = (performance.now() - startedAt) / 1_000
      const { system, user } = process.cpuUsage(used)
      const byNode = (yield* Effect.promise(() => processorTimeOfNode(url))) - usedByNode
      rounds.push({ perSecond: events / seconds, ours: (user + system) / 1_000 / events, node: byNode / events })
    }
    const warm = rounds.slice(2)
    const perSecond = median(warm.map((round) => round.perSecond))
    const [ours, node] = [median(warm.map((round) => round.ours)), median(warm.map((round) => round.node))]
    return {
      what: `events in batches of ${eventsAtOnce}, stored and matched with ${spoken(identifiers)} identifiers, ${(findings / (rounds.length * events)).toFixed(1)} matches an event`,
      ours: `${spoken(perSecond)} events/s; processor time an event: ${ours.toFixed(2)} ms here, ${node.toFixed(2)} ms in the node`,
      peer: "none",
      ratio: "",
      target: "1,500 events/s",
      reached: perSecond >= 1_500
    }
  }).pipe(
    Effect.provide(openSearch({ urls: [url], prefix: "percolation", keyFile: service.keyFile })),
    Effect.scoped,
    Effect.runPromise
  )

/** Milliseconds since the node started. */
const processorTimeOfNode = async (url: string) => {
  const response = await fetch(`${url}/_nodes/stats/process?filter_path=nodes.*.process.cpu.total_in_millis`)
  return Number(/\d+(?=\}\}\}\}\}$)/u.exec(await response.text())?.[0])
}

const node: OpenSearchCluster | { readonly missing: string } = await openSearchCluster({
  forThroughput: true,
  heap: "1g"
})
if ("missing" in node) throw new Error(node.missing)
try {
  const rows = await measure(node.urls[0] ?? "")
  printTable(`The service on one node of OpenSearch (load average ${loadavg()[0]?.toFixed(1)})`, rows)
} finally {
  endAll()
  await node.stop()
  rmSync(folder, { recursive: true, force: true })
}
