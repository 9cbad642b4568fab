import { execFileSync } from "node:child_process"
import { createServer as createSecureServer } from "node:https"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { systemProgram } from "@threat-exposure/programs/SystemProgram"
import { localServer } from "@threat-exposure/programs/LocalServer"
import { Backups } from "@threat-exposure/service/backup/Backups"
import { createKeyFile } from "@threat-exposure/service/crypto/KeyFile"
import { Cluster } from "@threat-exposure/service/opensearch/cluster/Cluster"
import { clusterLayer, ClusterState } from "@threat-exposure/service/opensearch/cluster/ClusterStart"
import {
  type IndexDefinition,
  type IndexShape,
  largeIndex
} from "@threat-exposure/service/opensearch/cluster/IndexDefinition"
import { openSearchBackups } from "@threat-exposure/service/opensearch/OpenSearch"
import { StoreUnavailable } from "@threat-exposure/service/requests/StoreUnavailable"
import { unhurriedCluster } from "@threat-exposure/service/testing/Engines"
import { Cause, Effect, Exit, Layer, Schema } from "effect"

const node = await openSearchNode()
const openssl = await systemProgram(["openssl"], ["openssl"])

const Note = Schema.Struct({ rank: Schema.Int, word: Schema.String })
const notes: IndexDefinition<typeof Note.Type> = {
  name: "notes",
  version: 1,
  properties: { rank: { type: "long" }, word: { type: "keyword" } },
  document: Note
}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "threat-exposure-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const refusal = (work: Effect.Effect<unknown, unknown>) =>
  Effect.map(Effect.exit(work), (exit) => {
    const failure = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
    return failure instanceof Error ? failure.message : ""
  })

describe.skipIf("missing" in node)("missing" in node ? node.missing : "the cluster", () => {
  const { prefix, url } = "missing" in node ? { prefix: "", url: "" } : node
  const open = (
    keyFile: string,
    also: { readonly prefix?: string; readonly urls?: ReadonlyArray<string>; readonly startTimeLimit?: number } = {}
  ) => clusterLayer({ ...unhurriedCluster, urls: [url], prefix, keyFile, ...also }, [notes])

  it.effect("stores, finds, changes and removes documents, visible at once", () =>
    Effect.gen(function* () {
      const keyFile = join(yield* folder, "key")
      yield* Effect.gen(function* () {
        const cluster = yield* Cluster
        assert.isTrue(yield* cluster.put(notes, "a/1", { rank: 1, word: "one" }, "absent"))
        assert.isFalse(yield* cluster.put(notes, "a/1", { rank: 2, word: "two" }, "absent"))
        const stored = yield* cluster.get(notes, "a/1")
        assert.deepStrictEqual(stored?.document, { rank: 1, word: "one" })
        assert.isTrue(yield* cluster.put(notes, "a/1", { rank: 3, word: "three" }, stored?.revision))
        assert.isFalse(yield* cluster.put(notes, "a/1", { rank: 4, word: "four" }, stored?.revision))
        // An id from a request that no index can contain is neither an address nor refused.
        for (const id of ["", "a".repeat(513), "ü".repeat(257)]) assert.isUndefined(yield* cluster.get(notes, id))
        assert.isUndefined(yield* cluster.get(notes, "ü".repeat(256)))
        const increments = Effect.forEach(
          Array.from({ length: 8 }),
          () => cluster.update(notes, "count", (note) => ({ rank: (note?.rank ?? 0) + 1, word: "count" })),
          { concurrency: 8 }
        )
        yield* increments
        assert.strictEqual((yield* cluster.get(notes, "count"))?.document.rank, 8)

        const many = Array.from({ length: 10_050 }, (_, rank) => ({
          index: notes,
          id: `many-${rank}`,
          document: { rank, word: "many" }
        }))
        assert.deepInclude(yield* cluster.write(many), { created: 10_050, updated: 0 })
        const again = many.slice(0, 3).map(({ document, id, index }) => ({ index, id, document, keep: true }) as const)
        assert.deepInclude(yield* cluster.write(again), { created: 0, kept: again })
        const query = { term: { word: "many" } }
        const all = yield* cluster.all(notes, { query, sort: [{ rank: "asc" }] })
        assert.deepStrictEqual(
          all.map(({ document }) => document.rank),
          Array.from({ length: 10_050 }, (_, rank) => rank)
        )
        assert.strictEqual(yield* cluster.count(notes, query), 10_050)

        const wordOf = Schema.decodeUnknownOption(Schema.Struct({ word: Schema.String }))
        const words = cluster.fields(notes, ["many-7", "none"], ["word"], wordOf)
        assert.deepStrictEqual([...(yield* words)], [["many-7", { word: "many" }]])
        const change = (how: "close" | "open") =>
          cluster.call({ method: "POST", path: `/${cluster.nameOf(notes)}/_${how}` })
        yield* change("close")
        assert.include(yield* refusal(words), "is closed: open it", "what cannot be read is not missing")
        yield* change("open")

        assert.strictEqual(yield* cluster.removeAll(notes, { range: { rank: { gte: 5 } } }), 10_046)
        assert.isTrue(yield* cluster.remove(notes, "a/1"))
        assert.isFalse(yield* cluster.remove(notes, "a/1"))
        assert.isUndefined(yield* cluster.get(notes, "a/1"))
        const numbers = yield* Effect.forEach(Array.from({ length: 20 }), () => cluster.nextNumber("notes"), {
          concurrency: 20
        })
        assert.strictEqual(new Set(numbers).size, 20)
      }).pipe(Effect.provide(open(keyFile)))
    })
  )

  it.effect("refuses a wrong key and a server that is not OpenSearch, with one message, and writes nothing", () =>
    Effect.gen(function* () {
      const own = `${prefix}-refusals`
      const directory = yield* folder
      const keyFile = join(directory, "key")
      const revision = Effect.flatMap(ClusterState, (state) => state.revision)
      assert.strictEqual(yield* revision.pipe(Effect.provide(open(keyFile, { prefix: own }))), 0)
      const advanced = Effect.gen(function* () {
        const state = yield* ClusterState
        yield* state.advance
        return yield* Effect.all([state.revision, state.revision], { concurrency: 2 })
      })
      assert.deepStrictEqual(yield* advanced.pipe(Effect.provide(open(keyFile, { prefix: own }))), [1, 1])

      const other = join(directory, "other-key")
      createKeyFile(other)
      const start = (layer: ReturnType<typeof open>) => refusal(Effect.scoped(Layer.build(layer)))
      assert.include(yield* start(open(other, { prefix: own })), "it belongs to other data")
      assert.include(yield* start(open(join(directory, "none"), { prefix: own })), "it is missing")

      const startAnswering = (status: number, body: unknown) =>
        localServer((_, response) =>
          response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
        )
      const old = yield* startAnswering(200, { version: { number: "2.19.1", distribution: "opensearch" } })
      assert.include(yield* start(open(keyFile, { urls: [old] })), "2.19.1, and OpenSearch 3 or later is needed")
      const unableToRestore = yield* startAnswering(200, { version: { number: "3.4.0", distribution: "opensearch" } })
      const restoring = Effect.flatMap(Backups, (backups) => backups.restore("/backup", () => Effect.void)).pipe(
        Effect.provide(openSearchBackups({ urls: [unableToRestore], prefix: own, keyFile }))
      )
      assert.include(
        yield* refusal(restoring),
        "it is opensearch 3.4.0, and versions 3.3 and 3.4 cannot restore a backup"
      )
      const web = yield* startAnswering(200, "hello")
      assert.include(yield* start(open(keyFile, { urls: [web] })), "is not OpenSearch")
      const locked = yield* startAnswering(401, "Unauthorized")
      assert.include(yield* start(open(keyFile, { urls: [locked] })), "THREAT_EXPOSURE_OPENSEARCH_PASSWORD")
      const busy = yield* startAnswering(503, {})
      assert.include(yield* start(open(keyFile, { urls: [busy], startTimeLimit: 5_000 })), "it answers 503")
      // The answer of a node whose search lost another node.
      const broken = yield* startAnswering(500, { error: { type: "search_phase_execution_exception" }, status: 500 })
      // A failing node is skipped in favour of one that answers.
      const urls = [busy, broken, url]
      assert.strictEqual(yield* revision.pipe(Effect.provide(open(keyFile, { prefix: own, urls }))), 1)
    })
  )

  it.effect(
    "adds the fields of a later version, and refuses an index of another version before it writes anything",
    () =>
      Effect.gen(function* () {
        const keyFile = join(yield* folder, "key")
        const own = `${prefix}-versions`
        const startCluster = <A>(shapes: ReadonlyArray<IndexShape>, work: Effect.Effect<A, unknown, Cluster>) =>
          work.pipe(Effect.provide(clusterLayer({ urls: [url], prefix: own, keyFile }, shapes)))
        const start = (...shapes: ReadonlyArray<IndexShape>) => refusal(startCluster(shapes, Effect.void))
        const nested = { type: "object", properties: { place: { type: "keyword" } } }
        const first = { ...notes, properties: { ...notes.properties, nested } }
        const members = { type: "object", properties: { ...nested.properties, page: { type: "long" } } }
        const Later = Schema.Struct({ ...Note.fields, tag: Schema.optional(Schema.String) })
        const later: IndexDefinition<typeof Later.Type> = {
          ...first,
          properties: { ...first.properties, tag: { type: "keyword" }, nested: members },
          document: Later
        }
        const mapping = Effect.flatMap(Cluster, ({ call }) =>
          Effect.map(call({ method: "GET", path: `/${own}-*/_mapping` }), ({ text }) => text)
        )
        const before = yield* startCluster(
          [first],
          Effect.gen(function* () {
            const cluster = yield* Cluster
            yield* cluster.put(first, "old", { rank: 1, word: "old" })
            // A changed type or parameter is refused before a field is added, even to another index.
            const retyped = { ...first, properties: { ...first.properties, rank: { type: "keyword" } } }
            const hidden = { ...first, properties: { ...first.properties, word: { type: "keyword", index: false } } }
            const before = yield* mapping
            for (const shape of [retyped, hidden]) {
              assert.include(
                yield* start({ ...notes, name: "others" }, shape),
                `the index ${own}-notes-v1 has other fields`
              )
            }
            assert.strictEqual(yield* mapping, before)
            return before
          })
        )
        // Services of both versions may run, and several may start at once.
        const found = yield* startCluster(
          [first],
          Effect.gen(function* () {
            const former = yield* Cluster
            assert.deepStrictEqual(yield* Effect.all([start(later), start(later)], { concurrency: 2 }), ["", ""])
            assert.notStrictEqual(yield* mapping, before)
            const query = { term: { tag: "new" } }
            yield* former.put(later, "new", { rank: 2, word: "new", tag: "new" })
            assert.deepStrictEqual((yield* former.get(first, "new"))?.document, { rank: 2, word: "new" })
            return yield* former.all(later, { query, sort: [{ rank: "asc" }] })
          })
        )
        assert.deepStrictEqual(
          found.map(({ document }) => document),
          [{ rank: 2, word: "new", tag: "new" }]
        )
        assert.match(yield* start(first), /-notes-v1 has the field (?:tag|nested.page), which is of a later version/u)
        assert.include(yield* start({ ...later, version: 0 }), "-notes-v1 is of a later version of this program")
      })
  )

  it.effect("creates growing indices with the number of shards that the operator chose", () =>
    Effect.gen(function* () {
      const keyFile = join(yield* folder, "key")
      const logs = { ...notes, name: "logs", settings: largeIndex }
      const shardsOf = (prefix: string, shards?: number) =>
        Effect.gen(function* () {
          const { call } = yield* Cluster
          const { text } = yield* call({ method: "GET", path: `/${prefix}-*/_settings?flat_settings=true` })
          const found: Record<string, { readonly settings: Record<string, string> }> = JSON.parse(text)
          return [`${prefix}-logs-v1`, `${prefix}-notes-v1`].map(
            (index) => found[index]?.settings["index.number_of_shards"]
          )
        }).pipe(Effect.provide(clusterLayer({ urls: [url], prefix, keyFile, shards }, [logs, notes])))
      assert.deepStrictEqual(yield* shardsOf(`${prefix}-few`), ["3", "1"])
      assert.deepStrictEqual(yield* shardsOf(`${prefix}-many`, 5), ["5", "1"])
    }).pipe(Effect.scoped)
  )

  it.live.skipIf("missing" in openssl)(
    "missing" in openssl
      ? openssl.missing
      : "refuses an expired and an unknown certificate at once, and says what to do",
    () =>
      Effect.gen(function* () {
        const directory = yield* folder
        const program = "missing" in openssl ? "" : openssl.path
        const [key, request] = [join(directory, "tls.key"), join(directory, "tls.csr")]
        const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        const self = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
        execFileSync(program, ["req", "-new", ...kind, "-nodes", "-keyout", key, "-out", request, ...self], {
          stdio: "ignore"
        })
        const startSpeaking = Effect.fnUntraced(function* (days: number) {
          const file = join(directory, `${days}.pem`)
          const signed = ["-signkey", key, "-copy_extensions", "copy", "-days", String(days), "-out", file]
          execFileSync(program, ["x509", "-req", "-in", request, ...signed], { stdio: "ignore" })
          const cert = readFileSync(file)
          const server = createSecureServer({ key: readFileSync(key), cert }, (_, response) => {
            response.end(JSON.stringify({ version: { number: "3.8.0", distribution: "opensearch" } }))
          })
          yield* Effect.acquireRelease(
            Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
            () => Effect.sync(() => server.close().closeAllConnections())
          )
          const address = server.address()
          return { cert, url: `https://127.0.0.1:${typeof address === "object" ? address?.port : ""}` }
        })
        const expired = yield* startSpeaking(-1)
        const unknown = yield* startSpeaking(1)
        const start = ({ cert, url }: typeof expired, ca = cert) =>
          refusal(
            Effect.scoped(
              Layer.build(
                // If it were not refused at once, the test would take this long.
                clusterLayer({ ...unhurriedCluster, urls: [url], prefix, keyFile: join(directory, "key"), ca }, [])
              )
            )
          )
        assert.match(
          yield* start(expired),
          /certificate of 127.0.0.1:\d+ is refused: certificate has expired. Renew it$/u
        )
        assert.match(yield* start(unknown, expired.cert), /self-signed certificate. .*THREAT_EXPOSURE_OPENSEARCH_CA$/u)
        assert.isFalse(existsSync(join(directory, "key")))
      }).pipe(Effect.scoped)
  )

  it.effect("reports the store as unavailable when an index is blocked, and names the block", () =>
    Effect.gen(function* () {
      const keyFile = join(yield* folder, "key")
      const own = `${prefix}-blocked`
      yield* Effect.gen(function* () {
        const cluster = yield* Cluster
        const document = { rank: 1, word: "x" }
        const put = cluster.put(notes, "x", document)
        const bulk = cluster.write([{ index: notes, id: "x", document }])
        const search = cluster.search(notes, { query: { match_all: {} }, sort: [{ rank: "asc" }] })
        const cases: ReadonlyArray<readonly [string, string, ReadonlyArray<Effect.Effect<unknown>>]> = [
          ["read_only_allow_delete", "disk usage exceeded flood-stage watermark", [put, bulk]],
          ["write", "index write (api)", [put, bulk]],
          ["read", "index read (api)", [search]]
        ]
        for (const [setting, reason, works] of cases) {
          const block = (isBlocked: boolean) =>
            cluster.call({
              method: "PUT",
              path: `/${cluster.nameOf(notes)}/_settings`,
              body: JSON.stringify({ [`index.blocks.${setting}`]: isBlocked })
            })
          yield* block(true)
          for (const work of works) {
            const exit = yield* Effect.exit(work)
            const fault = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
            assert.instanceOf(fault, StoreUnavailable)
            assert.include(fault.message, `the index ${own}-notes-v1 is blocked (${reason}`)
          }
          yield* block(false)
        }
        assert.isUndefined(yield* cluster.get(notes, "x"))
      }).pipe(Effect.provide(open(keyFile, { prefix: own })))
    })
  )
})
