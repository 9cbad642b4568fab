import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { readKeyFile } from "@threat-exposure/service/crypto/KeyFile"
import { Vault } from "@threat-exposure/service/crypto/Vault"
import { credentialIndex } from "@threat-exposure/service/opensearch/CredentialIndex"
import { Cluster } from "@threat-exposure/service/opensearch/cluster/Cluster"
import { clusterLayer, ClusterState } from "@threat-exposure/service/opensearch/cluster/ClusterStart"
import { upgradeIndices } from "@threat-exposure/service/opensearch/cluster/copies/ClusterUpgrade"
import {
  type IndexDefinition,
  type IndexShape,
  largeIndex
} from "@threat-exposure/service/opensearch/cluster/IndexDefinition"
import { Cause, Effect, Exit, Schema } from "effect"
import { folder, killedAt, lastLine, line, run, serving } from "../../../commands/Command.ts"

const node = await openSearchNode()

const Note = Schema.Struct({ rank: Schema.Int, word: Schema.String })
const notes: IndexDefinition<typeof Note.Type> = {
  name: "notes",
  version: 1,
  settings: largeIndex,
  properties: { rank: { type: "long" }, word: { type: "keyword" } },
  document: Note
}

const LaterNote = Schema.Struct({ rank: Schema.String, word: Schema.String })
const decodeFormer = Schema.decodeUnknownSync(
  Schema.Struct({
    source: Schema.Struct({ word: Schema.String }),
    docValues: Schema.Struct({ rank: Schema.Tuple([Schema.Int]) })
  })
)
const later = {
  ...notes,
  version: 2,
  properties: { rank: { type: "keyword" }, word: { type: "keyword" } },
  upgrade: {
    docValues: ["rank"],
    document: (_: unknown, former: unknown) => {
      const { docValues, source } = decodeFormer(former)
      return { ...source, rank: `rank ${docValues.rank[0]}` }
    }
  },
  document: LaterNote
} satisfies IndexDefinition<typeof LaterNote.Type>

/** The index, and a similar empty one. */
const two = (index: IndexShape): ReadonlyArray<IndexShape> => [index, { ...index, name: "others" }]

const failureOf = (work: Effect.Effect<unknown, unknown>) =>
  Effect.map(Effect.exit(work), (exit) => (Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : ""))

describe.skipIf("missing" in node)("missing" in node ? node.missing : "an upgrade of indices", () => {
  const { prefix, url } = "missing" in node ? { prefix: "", url: "" } : node
  const ask = (method: string, path: string, body?: unknown) =>
    Effect.promise(async () => {
      const response = await fetch(url + path, {
        method,
        headers: { "content-type": "application/json" },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
      })
      return response.text()
    })

  it.effect("is complete or has no effect, is refused by an earlier version, and loses no write", () =>
    Effect.gen(function* () {
      const options = { urls: [url], prefix: `${prefix}-notes`, keyFile: join(yield* folder, "key") }
      const openCluster = (index: IndexShape) => Effect.provide(clusterLayer(options, two(index)))
      const upgrading = (
        shape: IndexShape,
        meanwhile: Effect.Effect<void> = Effect.void,
        confirm: Effect.Effect<void, unknown> = Effect.die("nothing is left of another one")
      ) =>
        upgradeIndices({
          options,
          indices: two(shape),
          confirm: () => confirm,
          progress: () => meanwhile
        })
      assert.include(yield* failureOf(upgrading(later)), "it holds no data under the prefix")
      // An index of a version that excluded fields from the source.
      const properties = { ...notes.properties, write_id: { type: "keyword", index: false, doc_values: false } }
      yield* ask("PUT", `/${options.prefix}-notes-v1`, {
        settings: notes.settings,
        mappings: { dynamic: "strict", _source: { includes: ["word"] }, properties },
        aliases: { [`${options.prefix}-notes`]: { is_write_index: true } }
      })
      yield* Effect.gen(function* () {
        const former = yield* Cluster
        const state = yield* ClusterState
        const put = (word: string) => former.put(notes, word, { rank: 1, word })
        yield* former.write(
          Array.from({ length: 3_500 }, (_, rank) => ({
            index: notes,
            id: String(rank),
            ...(rank % 2 === 0 ? {} : { routing: "odd" }),
            document: { rank, word: "many" }
          }))
        )
        assert.include(
          yield* failureOf(Effect.void.pipe(openCluster(later))),
          "is of an earlier version of this program"
        )
        assert.deepStrictEqual(yield* upgrading(notes), [])

        // The state of a version that could not upgrade.
        const stateIndex = `/${options.prefix}-state-v1`
        const { _source } = JSON.parse(yield* ask("GET", `${stateIndex}/_doc/state`))
        const { indices: _indices, ...formerState } = _source
        yield* ask("DELETE", stateIndex)
        const kept = { type: "keyword", index: false }
        const properties = { key_check: kept, next_check: kept, revision: { type: "long", index: false } }
        yield* ask("PUT", stateIndex, {
          mappings: { dynamic: "strict", properties: { ...properties, write_id: { ...kept, doc_values: false } } },
          aliases: { [`${options.prefix}-state`]: { is_write_index: true } }
        })
        assert.include(yield* ask("PUT", `${stateIndex}/_doc/state?refresh=true`, formerState), "created")

        // A failed upgrade changes nothing, even after some documents were copied.
        let copied = 0
        const failAfter = (count: number): IndexShape => ({
          ...later,
          upgrade: {
            ...later.upgrade,
            document: (vault, note) => {
              copied += 1
              if (copied > count) throw new Error("not this one")
              return later.upgrade.document(vault, note)
            }
          }
        })
        assert.match(yield* failureOf(upgrading(failAfter(2_000))), /this program did not write \d+ documents of /u)
        assert.isTrue(yield* put("after a failure"))

        const looked: Array<string> = []
        const meanwhile = Effect.gen(function* () {
          if (looked.length > 0) return
          looked.push(yield* failureOf(put("lost")))
          looked.push(String(yield* former.count(notes, { match_all: {} })))
          looked.push(String(yield* state.revision))
          looked.push(yield* failureOf(upgrading(later)))
        })
        // While an upgrade asks about the remains of another one, a third one ends.
        yield* ask("PUT", `/${options.prefix}-notes-v2`)
        const ending = Effect.map(upgrading(later, meanwhile, Effect.void), (names) => {
          assert.deepStrictEqual(names, ["notes", "others"])
        })
        assert.include(yield* failureOf(upgrading(later, Effect.void, ending)), "another upgrade of it is running or")
        assert.include(looked[0], "an upgrade of its indices or a rotation of its key is not finished")
        assert.strictEqual(looked[1], "3501")
        assert.strictEqual(looked[2], "0")
        assert.include(looked[3], "nothing is left of another one", "two at once would copy twice")

        assert.include(yield* failureOf(state.revision), "a later version of this program upgraded its indices")
        assert.include(yield* failureOf(Effect.void.pipe(openCluster(notes))), "is of a later version of this program")
      }).pipe(openCluster(notes))

      assert.notMatch(yield* ask("GET", `/_cat/indices/${options.prefix}-*`), /-(?:notes|others)-v1/u)
      yield* Effect.gen(function* () {
        const cluster = yield* Cluster
        assert.isTrue(yield* cluster.put(later, "new", { rank: "rank 7", word: "new" }))
        const all = yield* cluster.all(later, { query: { match_all: {} }, sort: [{ rank: "asc" }] })
        const ranks = Array.from({ length: 3_500 }, (_, rank) => `rank ${rank}`)
        assert.deepStrictEqual(
          all.map(({ document }) => document.rank).toSorted(),
          [...ranks, "rank 1", "rank 7"].toSorted()
        )
        const odd = yield* cluster.search(later, {
          query: { term: { _routing: "odd" } },
          sort: [{ rank: "asc" }],
          size: 10_000
        })
        assert.lengthOf(odd, 1_750)
      }).pipe(openCluster(later))
    }).pipe(Effect.scoped)
  )

  it.live(
    "rebuilds the search terms of credentials, and continues after it was killed",
    () =>
      Effect.gen(function* () {
        const directory = yield* folder
        const own = `${prefix}-credentials`
        const on = (cluster: string) => [
          "--opensearch",
          cluster,
          "--index-prefix",
          own,
          "--key-file",
          join(directory, "key")
        ]
        const many = Array.from({ length: 3_500 }, (_, at) => line(1_000 + at, { hash: `many ${at % 7}` }))
        writeFileSync(join(directory, "many.ndjson"), many.join(""))
        const load = run(directory, "load", "credentials", "many.ndjson", ...on(url))
        assert.strictEqual((yield* load).code, 0)
        const key = yield* run(directory, "keys", "create", "--tenant", "1", "--permission", "read-tenant", ...on(url))
        const service = yield* serving(directory, ...on(url))
        const answers = Effect.forEach(
          [
            { type: "domain", fqdn: "example.com" },
            { type: "secret", secret: "many 3" },
            { type: "email", email: "a1007@example.com" }
          ],
          (query) =>
            Effect.promise(async () => {
              const response = await fetch(`${service.url}/svc/v4/credentials/global/_search`, {
                method: "POST",
                headers: { authorization: `Bearer ${lastLine(key.out)}`, "content-type": "application/json" },
                body: JSON.stringify({
                  query,
                  size: 2_000,
                  include: ["urls", "auth_domains", "known_password_id"]
                })
              })
              return `${response.status} ${await response.text()}`
            })
        )
        const before = yield* answers
        for (const answer of before) assert.match(answer, /^200 .*"id":\d+/u)

        // An index of the first version, which excluded the terms from the source.
        const [present, former] = [`${own}-credentials-v3`, `${own}-credentials-v1`]
        yield* ask("PUT", `/${former}`, {
          settings: { ...credentialIndex.settings, "index.number_of_shards": 3 },
          mappings: {
            dynamic: "strict",
            _source: { includes: ["digest", "document"] },
            properties: {
              ...credentialIndex.properties,
              id: { type: "long" },
              write_id: { type: "keyword", index: false, doc_values: false }
            }
          }
        })
        const [rootKey = assert.fail()] = readKeyFile(join(directory, "key")) ?? []
        const vault = new Vault(rootKey)
        const { hits } = JSON.parse(yield* ask("POST", `/${present}/_search`, { size: 10_000 }))
        assert.lengthOf(hits.hits, 3_500)
        // Documents were bound to their id only.
        for (let at = 0; at < hits.hits.length; at += 500) {
          const lines = hits.hits.slice(at, at + 500).map(({ _id, _source: source }: any) => {
            const { digest, id, imported_at, terms } = source
            const text = vault.decrypt(
              source.document,
              `credentials.document/${id}/${imported_at}/${digest}/${terms.join(" ")}`
            )
            const document = vault.encryptToBase64(text, `credentials.document/${id}`)
            return `${JSON.stringify({ index: { _id } })}\n${JSON.stringify({ ...source, document })}\n`
          })
          yield* ask("POST", `/${former}/_bulk?refresh=true`, lines.join(""))
        }
        const alias = { alias: `${own}-credentials`, index: former, is_write_index: true }
        yield* ask("POST", "/_aliases", { actions: [{ remove_index: { index: present } }, { add: alias }] })
        const refused = yield* run(directory, "keys", "list", ...on(url))
        assert.include(refused.err, "Run upgrade, which copies it while services answer searches")

        yield* killedAt(
          url,
          (_, path) => path.includes(`${former}/_search?preference=_shards:1`),
          directory,
          (cluster) => ["upgrade", ...on(cluster)]
        )
        const unconfirmed = yield* run(directory, "upgrade", ...on(url))
        assert.include(unconfirmed.out, `what an interrupted upgrade has left: ${present}.`)
        assert.strictEqual(unconfirmed.code, 1)
        const upgraded = yield* run(directory, "upgrade", ...on(url), "--yes")
        assert.strictEqual(upgraded.code, 0, upgraded.err)
        assert.include(upgraded.out, "are of this version: credentials.")
        assert.deepStrictEqual(yield* answers, before)

        const again = yield* load
        assert.strictEqual(again.code, 0, again.err)
        assert.include(again.out, "loaded 0 credentials, 3,500 were there already")
        assert.include((yield* run(directory, "upgrade", ...on(url))).out, "need no upgrade")
        const embedded = yield* run(directory, "upgrade")
        assert.include(embedded.err, "An embedded database is upgraded when it is opened")
      }).pipe(Effect.scoped),
    1_800_000
  )
})
