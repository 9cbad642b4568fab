/** Answers of a real node, each altered in transit, must not be accepted as complete. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { localServer, passOn } from "@threat-exposure/programs/LocalServer"
import { Cluster } from "@threat-exposure/service/opensearch/cluster/Cluster"
import { clusterLayer } from "@threat-exposure/service/opensearch/cluster/ClusterStart"
import { unhurriedCluster } from "@threat-exposure/service/testing/Engines"
import { Cause, Effect, Exit, Schema } from "effect"
import { notes } from "./Notes.ts"

const node = await openSearchNode()

const one = { term: { word: "one" } }
const everyWord = { query: { match_all: {} }, sort: [{ word: "asc" }], size: 10 }

type Answer = { readonly status: number; readonly json: any }
type Work = (cluster: Cluster["Service"]) => Effect.Effect<unknown>

const operations: Readonly<Record<string, { readonly path: RegExp; readonly work: Work }>> = {
  search: { path: /\/_search/u, work: ({ search }) => search(notes, everyWord) },
  quickHits: { path: /\/_search/u, work: ({ quickHits }) => quickHits(notes, everyWord) },
  together: {
    // A failed search is repeated alone.
    path: /\/_m?search/u,
    work: ({ quickHits }) => Effect.all([quickHits(notes, everyWord), quickHits(notes, everyWord)], { concurrency: 2 })
  },
  count: { path: /\/_count/u, work: ({ count }) => count(notes, one) },
  get: { path: /\/_doc\//u, work: ({ get }) => get(notes, "1") },
  absent: { path: /\/_doc\//u, work: ({ get }) => get(notes, "absent") },
  fields: {
    path: /\/_mget/u,
    work: ({ fields }) => fields(notes, ["1", "absent"], ["word"], Schema.decodeUnknownOption(Schema.Unknown))
  },
  put: { path: /\/_doc\//u, work: ({ put }) => put(notes, "2", { word: "two" }) },
  write: { path: /\/_bulk/u, work: (cluster) => writeMany(cluster) },
  remove: { path: /\/_doc\//u, work: ({ remove }) => remove(notes, "absent") },
  removeAll: {
    path: /\/_delete_by_query/u,
    work: (cluster) => Effect.andThen(writeMany(cluster), removeMany(cluster))
  },
  refresh: { path: /\/_refresh/u, work: ({ refresh }) => refresh(notes) }
}

const writeMany = ({ write }: Cluster["Service"]) =>
  write([3, 4].map((id) => ({ index: notes, id: String(id), document: { word: "many" } })))
const removeMany = ({ removeAll }: Cluster["Service"]) => removeAll(notes, { term: { word: "many" } })

const alter = (change: (json: any) => void) => (answer: Answer) => {
  change(answer.json)
  return answer
}
const of = (part: any): ReadonlyArray<any> => part.responses ?? [part]
const searches = ["search", "quickHits", "together"]

const alterations: Readonly<Record<string, readonly [ReadonlyArray<string>, (answer: Answer) => Answer]>> = {
  "an empty object": [Object.keys(operations), ({ status }) => ({ status, json: {} })],
  "an empty object with 404": [
    Object.keys(operations).filter((name) => !["refresh"].includes(name)),
    () => ({ status: 404, json: {} })
  ],
  "one shard less": [[...searches, "count"], alter((json) => of(json).forEach((part) => (part._shards.total += 1)))],
  "no shards": [
    [...searches, "count"],
    alter((json) => of(json).forEach((part) => (part._shards = { total: 0, successful: 0, failed: 0 })))
  ],
  "an early end": [searches, alter((json) => of(json).forEach((part) => (part.terminated_early = true)))],
  "a time limit": [searches, alter((json) => of(json).forEach((part) => (part.timed_out = true)))],
  "no hits": [searches, alter((json) => of(json).forEach((part) => delete part.hits))],
  "no list of hits": [searches, alter((json) => of(json).forEach((part) => delete part.hits.hits))],
  "one part less": [["fields", "write"], alter((json) => (json.docs ?? json.items).pop())],
  "a document that is neither there nor absent": [
    ["fields"],
    alter((json) => json.docs.forEach((document: any) => delete document.found))
  ],
  "fewer deleted than found": [["removeAll"], alter((json) => (json.total += 1))]
}

describe.skipIf("missing" in node)("missing" in node ? node.missing : "an altered answer", () => {
  const { prefix, url } = "missing" in node ? { prefix: "", url: "" } : node
  const directory = mkdtempSync(join(tmpdir(), "threat-exposure-"))
  afterAll(() => rmSync(directory, { recursive: true }))

  it.live("is an error", () =>
    Effect.gen(function* () {
      let change: { readonly path: RegExp; readonly alter: (answer: Answer) => Answer } | undefined
      const proxied = yield* localServer(async (request, response) => {
        const { body, status } = await passOn(request, url)
        const given = { status, json: JSON.parse(body || "{}") }
        const altered = change?.path.test(request.url ?? "") === true ? change.alter(given) : given
        response.writeHead(altered.status, { "content-type": "application/json" }).end(JSON.stringify(altered.json))
      })
      yield* Effect.gen(function* () {
        const cluster = yield* Cluster
        yield* cluster.put(notes, "1", { word: "one" })
        const counted = []
        for (const [name, [names, altered]] of Object.entries(alterations)) {
          for (const operation of names) {
            const { path, work } = operations[operation] ?? assert.fail()
            change = undefined
            assert.isTrue(Exit.isSuccess(yield* Effect.exit(work(cluster))), operation)
            change = { path, alter: altered }
            const exit = yield* Effect.exit(work(cluster))
            if (Exit.isSuccess(exit)) counted.push(`${operation}: ${name}`)
          }
        }
        assert.deepStrictEqual(counted, [])

        // With its security plugin, OpenSearch answers 200 with an error for each document.
        const { path: ofMany, work: readMany } = operations["fields"] ?? assert.fail()
        const reason = "no permissions for [indices:data/read/mget[shard]] and User [name=a, backend_roles=[]]"
        const error = { type: "security_exception", reason }
        const refuse = (document: any) => Object.assign(document, { found: undefined, error })
        change = { path: ofMany, alter: alter((json) => json.docs.forEach(refuse)) }
        const exit = yield* Effect.exit(readMany(cluster))
        const cause = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
        assert.include(cause, "its user lacks the permission indices:data/read/mget[shard]")

        // The answer of the first attempt is lost.
        let attempts = 0
        const path = /\/_delete_by_query/u
        change = { path, alter: (answer) => ((attempts += 1) === 1 ? { status: 502, json: {} } : answer) }
        yield* writeMany(cluster)
        assert.strictEqual(yield* removeMany(cluster), 2)
        assert.strictEqual(attempts, 2)
      }).pipe(
        Effect.provide(
          clusterLayer({ ...unhurriedCluster, urls: [proxied], prefix, keyFile: join(directory, "key") }, [notes])
        )
      )
    }).pipe(Effect.scoped)
  )
})
