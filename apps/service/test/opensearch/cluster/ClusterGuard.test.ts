/** A cluster that hides or replaces data is reported and refused. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { localServer, passOn } from "@threat-exposure/programs/LocalServer"
import { Cluster } from "@threat-exposure/service/opensearch/cluster/Cluster"
import { claimIndex, clusterLayer, ClusterState } from "@threat-exposure/service/opensearch/cluster/ClusterStart"
import { createIndices } from "@threat-exposure/service/opensearch/cluster/ClusterIndices"
import { ClusterClient } from "@threat-exposure/service/opensearch/cluster/ClusterClient"
import { unhurriedCluster } from "@threat-exposure/service/testing/Engines"
import { Cause, Effect, Exit, Layer } from "effect"
import { line, run } from "../../commands/Command.ts"
import { notes } from "./Notes.ts"

const node = await openSearchNode()

const refusal = (work: Effect.Effect<unknown, unknown>) =>
  Effect.map(Effect.exit(work), (exit) => {
    const failure = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
    return failure instanceof Error ? failure.message : ""
  })

describe.skipIf("missing" in node)("missing" in node ? node.missing : "a cluster that hides something", () => {
  const { prefix, url } = "missing" in node ? { prefix: "", url: "" } : node
  const directory = mkdtempSync(join(tmpdir(), "threat-exposure-"))
  afterAll(() => rmSync(directory, { recursive: true }))
  const keyFile = join(directory, "key")
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}/${path}`, {
      method,
      ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) })
    })
    return { status: response.status, text: await response.text() }
  }
  const done = (method: string, path: string, body?: unknown) =>
    Effect.promise(async () => {
      const { status, text } = await ask(method, path, body)
      assert.isBelow(status, 300, `${method} ${path}: ${text}`)
    })
  const aliases = (...actions: ReadonlyArray<unknown>) => done("POST", "_aliases", { actions })

  it.live(
    "is named at the start and while a service runs, until it is mended",
    () =>
      Effect.gen(function* () {
        const own = `${prefix}-guard`
        const alias = `${own}-notes`
        const index = `${alias}-v1`
        const layer = clusterLayer({ ...unhurriedCluster, urls: [url], prefix: own, keyFile }, [notes])
        const start = refusal(Effect.scoped(Layer.build(Layer.fresh(layer))))
        yield* Effect.gen(function* () {
          const cluster = yield* Cluster
          const { check, revision } = yield* ClusterState
          yield* cluster.put(notes, "1", { word: "one" })
          yield* cluster.put(notes, "2", { word: "two" })
          const settings = { number_of_shards: 1, number_of_replicas: 0 }
          const mappings = { properties: { word: { type: "keyword" } } }
          const other = `${own}-other`
          const faults: ReadonlyArray<readonly [Effect.Effect<void>, reason: string, Effect.Effect<void>]> = [
            [
              aliases({ add: { index, alias, filter: { term: { word: "one" } }, is_write_index: true } }),
              `the alias ${alias} has a filter or a routing`,
              aliases({ remove: { index, alias } }, { add: { index, alias, is_write_index: true } })
            ],
            [
              done("PUT", other, { settings, mappings, aliases: { [alias]: {} } }),
              `the alias ${alias} stands for `,
              done("DELETE", other)
            ],
            [
              Effect.andThen(
                done("PUT", other, { settings, mappings }),
                aliases({ remove: { index, alias } }, { add: { index: other, alias } })
              ),
              `the alias ${alias} stands for ${other}: `,
              aliases({ remove_index: { index: other } }, { add: { index, alias, is_write_index: true } })
            ],
            [aliases({ remove: { index, alias } }), "has lost its alias", aliases({ add: { index, alias } })],
            ...(
              [
                ["index.max_result_window", 10],
                ["index.max_terms_count", 1],
                ["index.default_pipeline", "other"],
                ["index.search.default_pipeline", "other"]
              ] as const
            ).map(
              ([setting, value]) =>
                [
                  done("PUT", `${index}/_settings`, { [setting]: value }),
                  `the index ${index} has the setting ${setting}=${value}: `,
                  done("PUT", `${index}/_settings`, { [setting]: null })
                ] as const
            ),
            [
              done("PUT", `${index}/_mapping`, { properties: { word: { type: "keyword", ignore_above: 1 } } }),
              `the index ${index} has other fields than this version writes, such as word`,
              done("PUT", `${index}/_mapping`, { properties: { word: { type: "keyword" } } })
            ],
            [
              done("POST", `${index}/_close`),
              `the index ${index} is closed: open it with POST /${index}/_open`,
              Effect.andThen(
                done("POST", `${index}/_open`),
                done("GET", `_cluster/health/${index}?wait_for_status=yellow`)
              )
            ]
          ]
          yield* revision
          assert.strictEqual(yield* refusal(check), "")
          for (const [cause, reason, mend] of faults) {
            yield* cause
            assert.include(yield* refusal(check), reason)
            assert.include(yield* start, reason)
            yield* mend
            assert.strictEqual(yield* refusal(check), "", reason)
          }
          assert.strictEqual(yield* start, "")

          // The state after a restore of only this index.
          yield* done("DELETE", index)
          assert.include(yield* refusal(check), `the index ${index} was deleted`)
          assert.include(yield* start, `the index ${index} was deleted`)
          yield* done("PUT", index, { settings, mappings, aliases: { [alias]: { is_write_index: true } } })
          assert.include(yield* refusal(check), "is another one than this program used before")
          assert.include(yield* start, "is another one than this program used before")
        }).pipe(Effect.provide(layer))
      }).pipe(Effect.scoped),
    1_800_000
  )

  it.live(
    "is no reason to create an empty data set",
    () =>
      Effect.gen(function* () {
        const own = `${prefix}-empty`
        const start = refusal(
          Effect.scoped(
            Layer.build(Layer.fresh(clusterLayer({ ...unhurriedCluster, urls: [url], prefix: own, keyFile }, [notes])))
          )
        )
        const client = yield* Effect.acquireRelease(
          Effect.sync(() => new ClusterClient({ urls: [url] })),
          (client) => Effect.promise(() => client.close())
        )
        // A restore was killed before it created an index.
        yield* Effect.promise(() => createIndices(client, own, [claimIndex]))
        assert.include(yield* start, `a restore under the prefix ${own} is under way, or was cut off`)
        assert.strictEqual(
          JSON.parse((yield* Effect.promise(() => ask("GET", `${own}-notes*`))).text).length,
          undefined
        )
        yield* done("DELETE", `${own}-restore-v1`)
        assert.strictEqual(yield* start, "")
        // The state is lost, but the data exists.
        yield* done("PUT", `${own}-notes/_doc/1?refresh=true`, { word: "one" })
        yield* done("DELETE", `${own}-state-v1`)
        assert.include(yield* start, `the index ${own}-notes-v1 has data, and ${own}-state has no state`)
      }).pipe(Effect.scoped),
    1_800_000
  )

  it.live(
    "cannot add fields, pipelines, limits or blocks to new indices by a template",
    () =>
      Effect.gen(function* () {
        const own = `${prefix}-template`
        const start = refusal(
          Effect.scoped(
            Layer.build(Layer.fresh(clusterLayer({ ...unhurriedCluster, urls: [url], prefix: own, keyFile }, [notes])))
          )
        )
        yield* done("PUT", `_index_template/${own}`, {
          index_patterns: [`${own}*`],
          priority: 1,
          template: {
            settings: {
              "index.default_pipeline": "absent",
              "index.final_pipeline": "absent",
              "index.max_result_window": 10,
              "index.max_terms_count": 1,
              "index.blocks.write": true,
              "index.hidden": true
            },
            mappings: { _routing: { required: true }, properties: { "@timestamp": { type: "date" } } }
          }
        })
        assert.strictEqual(yield* start, "")
        yield* done("DELETE", `_index_template/${own}`)
        assert.strictEqual(yield* start, "")
        yield* done("PUT", `${own}-notes/_doc/1?refresh=true`, { word: "one" })
        assert.strictEqual((yield* Effect.promise(() => ask("POST", `${own}-notes/_search?size=10000`))).status, 200)
        // A field that this program itself added still counts as one of a later version.
        yield* done("PUT", `${own}-notes-v1/_mapping`, { _meta: { version: 1, fields: ["word", "write_id", "later"] } })
        assert.include(yield* start, "has the field later, which is of a later version")
      }).pipe(Effect.scoped),
    1_800_000
  )

  it.live(
    "loses nothing by a rotation of the key, a backup or a start, if a role hides documents or masks fields",
    () =>
      Effect.gen(function* () {
        const own = `${prefix}-role`
        let role: "all" | "hiding" | "masking" = "all"
        // The security plugin does this for a role: it adds a filter to searches, and refuses updates.
        const proxied = yield* localServer(async (request, response) => {
          const { url: path = "" } = request
          const body = await text(request)
          const answer = (status: number, json: string) =>
            response.writeHead(status, { "content-type": "application/json" }).end(json)
          if (role === "masking" && path.startsWith("/_bulk") && body.includes('{"update"')) {
            const reason = "Update is not supported when FLS or DLS or Fieldmasking is activated"
            return answer(500, JSON.stringify({ status: 500, error: { type: "security_exception", reason } }))
          }
          const isFiltered = role === "hiding" && /_(?:m?search|count)/u.test(path)
          const hidden = { bool: { must_not: [{ term: { _id: "2" } }] } }
          const filtered = (line: string) => {
            const search = line === "" ? {} : JSON.parse(line)
            const filter = search.query === undefined ? [hidden] : [hidden, search.query]
            return "index" in search ? line : JSON.stringify({ ...search, query: { bool: { filter } } })
          }
          const sent = isFiltered ? body.trimEnd().split("\n").map(filtered).join("\n") : body
          const passed = await passOn(request, url, {
            body: path.includes("_msearch") ? `${sent.trimEnd()}\n` : sent,
            ...(isFiltered ? { method: "POST" } : {})
          })
          return answer(passed.status, passed.body)
        })
        const on = (cluster: string) => ["--opensearch", cluster, "--index-prefix", own, "--key-file", keyFile]
        writeFileSync(join(directory, "load.ndjson"), [1, 2, 3].map((id) => line(id)).join(""))
        const loaded = yield* run(directory, "load", "credentials", "load.ndjson", ...on(proxied))
        assert.include(loaded.out, "loaded 3 credentials", loaded.err)
        const counted = Effect.promise(
          async () => JSON.parse((await ask("GET", `${own}-credentials/_count`)).text).count
        )
        const key = readFileSync(keyFile, "utf8")
        for (const [given, reason] of [
          ["hiding", "has 3 documents, and a search finds 2"],
          ["masking", "hides or masks documents or fields"]
        ] as const) {
          role = given
          for (const command of [
            ["rotate-key", "--yes"],
            ["backup", join(directory, "backup")],
            ["keys", "list"]
          ]) {
            const { code, err } = yield* run(directory, ...command, ...on(proxied))
            assert.strictEqual(code, 1)
            assert.include(err, reason)
          }
          assert.strictEqual(yield* counted, 3)
        }
        role = "all"
        assert.strictEqual(readFileSync(keyFile, "utf8"), key)
        const rotated = yield* run(directory, "rotate-key", "--yes", ...on(proxied))
        assert.strictEqual(rotated.code, 0, rotated.err)
      }).pipe(Effect.scoped),
    1_800_000
  )
})
