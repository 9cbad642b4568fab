import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { Readable } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import type { ClusterOptions } from "@threat-exposure/service/ClusterEngine"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { credentialIndex } from "@threat-exposure/service/opensearch/CredentialIndex"
import { termsSought } from "@threat-exposure/service/credentials/CredentialTerm"
import { CredentialStore } from "@threat-exposure/service/credentials/CredentialStore"
import { EventStore } from "@threat-exposure/service/events/EventStore"
import { assetOf, IdentifierStore } from "@threat-exposure/service/identifiers/Identifiers"
import { IdentifierStoreOpenSearch } from "@threat-exposure/service/opensearch/IdentifierStoreOpenSearch"
import { load } from "@threat-exposure/service/load/Load"
import { LoadTargets } from "@threat-exposure/service/load/LoadTarget"
import { eventIndex, findingIndex } from "@threat-exposure/service/opensearch/events/EventIndex"
import { openSearch } from "@threat-exposure/service/opensearch/OpenSearch"
import type { Cluster } from "@threat-exposure/service/opensearch/cluster/Cluster"
import { ClusterState, KeyedCluster } from "@threat-exposure/service/opensearch/cluster/ClusterStart"
import { emptyCluster, unhurried } from "@threat-exposure/service/testing/Engines"
import { Context, Effect, Layer } from "effect"
import { ended, folder, line, output, proxy, run, spawned, until } from "../../commands/Command.ts"

const time = "2026-01-01T00:00:00Z"

const node = await openSearchNode()

describe.skipIf("missing" in node)("missing" in node ? node.missing : "a strict load into OpenSearch", () => {
  const url = "missing" in node ? "" : node.url

  /** A separate process on the same cluster. */
  const openProcess = Effect.fnUntraced(function* (options: ClusterOptions) {
    const context = yield* Layer.build(Layer.fresh(openSearch(options)).pipe(Layer.provide(unhurried)))
    const { revision } = Context.get(context, ClusterState)
    const keyed = Context.get(context, KeyedCluster)
    const { page } = Context.get(context, CredentialStore)
    const targets = Context.get(context, LoadTargets)
    const events = Context.get(context, EventStore)
    const all = (order: "asc" | "desc") =>
      Effect.gen(function* () {
        yield* revision
        const { items } = yield* page({
          tenantId: 1,
          terms: termsSought(keyed.now.vault, { type: "domain", fqdn: "example.com" }),
          include: [],
          keyId: keyed.now.vault.keyId,
          order,
          size: 10_000,
          since: 0,
          until: Number.MAX_SAFE_INTEGER,
          after: undefined
        })
        return items
      })
    const matchesOf = (identifier: number) =>
      Effect.gen(function* () {
        yield* revision
        const hits = yield* keyed.now.cluster.all(findingIndex, {
          query: { term: { identifier } },
          sort: [{ created_at: "asc" }, { uid_order: "asc" }]
        })
        return hits.map(({ document }) => Number(document.uid.split("/")[1])).toSorted((a, b) => a - b)
      })
    return {
      /** Creates an identifier. `stored` runs after it was stored, and before the search for its events. */
      watch: Effect.fnUntraced(function* (keyword: string, stored: Effect.Effect<void> = Effect.void) {
        yield* revision
        const delayed = {
          get now() {
            const { cluster, vault } = keyed.now
            const put: Cluster["Service"]["put"] = (...given) => Effect.tap(cluster.put(...given), () => stored)
            return { cluster: { ...cluster, put }, vault }
          }
        }
        const services = yield* Layer.build(
          Layer.fresh(IdentifierStoreOpenSearch).pipe(
            Layer.provide(Layer.succeed(KeyedCluster, delayed)),
            Layer.provide(Layer.succeedContext(context))
          )
        )
        const { id } = yield* Context.get(services, IdentifierStore).insert({
          tenantId: 1,
          asset: assetOf({ name: keyword, type: "keyword", data: {} }, "00000000-0000-4000-8000-000000000000", time)
        })
        return id
      }, Effect.scoped),
      matchesOf,
      untilMatches: Effect.fnUntraced(function* (identifier: number, expected: ReadonlyArray<number>) {
        while (!isDeepStrictEqual(yield* matchesOf(identifier), expected)) yield* Effect.sleep(100)
      }),
      /** The events that readers see, whatever their documents are. */
      events: Effect.gen(function* () {
        yield* revision
        const hits = yield* keyed.now.cluster.all(eventIndex, {
          query: { match_all: {} },
          sort: [{ created_at: "asc" }, { uid_order: "asc" }]
        })
        return hits.map(({ document: { added_by: _added, replaced_by: _replaced, ...document } }) => document)
      }),
      contentOf: (id: number) =>
        Effect.andThen(revision, events.get(1, `chat/${id}`)).pipe(
          Effect.map((event) => JSON.stringify(event.data)),
          Effect.catchTag("NotFound", () => Effect.undefined)
        ),
      /** The events that readers see, in both orders. */
      found: Effect.all([all("asc"), all("desc")]),
      /** All documents, visible or not. */
      documents: Effect.gen(function* () {
        const everything = keyed.now.cluster.withLoads(undefined)
        for (const index of [credentialIndex, eventIndex, findingIndex]) yield* everything.refresh(index)
        return yield* everything.count(credentialIndex, { match_all: {} })
      }),
      load: (records: ReadonlyArray<string>, strict = true, kind: "credentials" | "events" = "credentials") =>
        load({
          target: targets[kind],
          files: ["-"],
          standardInput: Readable.from(records.map((record) => Buffer.from(record))),
          strict,
          keep: false,
          report: { refused: () => {}, progress: () => {}, published: () => {} }
        }),
      /** Begins a load that does not end. */
      begun: Effect.fnUntraced(function* (
        kind: "credentials" | "events",
        ...batches: ReadonlyArray<ReadonlyArray<string>>
      ) {
        const target = yield* targets[kind]({ keep: false, strict: true, now: time })
        const publisher = yield* target.publisher
        for (const records of batches) {
          const text = Buffer.from(records.join(""))
          const chunk = { text, firstNumber: 1, format: { type: "lines" } } as const
          yield* publisher.write(yield* Effect.promise(() => target.prepare(chunk)))
        }
        yield* publisher.flush
        return publisher
      })
    }
  })

  /** Some records equal those in `stored`, some replace one of them, some are new. */
  const stored = Array.from({ length: 900 }, (_, id) => line(id))
  const loaded = Array.from({ length: 1_200 }, (_, at) => line(at + 300, at % 2 === 0 ? {} : { hash: "changed" }))

  /** The load contains these records again, with other content. */
  const drafts = Array.from({ length: 300 }, (_, at) => line(at + 750, { hash: "draft" }))

  it.live("becomes visible completely with its publication, and not at all if it ends before", () =>
    Effect.gen(function* () {
      const options = yield* emptyCluster(url)
      const writer = yield* openProcess(options)
      const reader = yield* openProcess(options)
      yield* writer.load(stored, false)
      const before = yield* reader.found

      yield* Effect.scoped(
        Effect.andThen(writer.begun("credentials", drafts, loaded), Effect.all([reader.documents, reader.found]))
      ).pipe(
        Effect.map(([documents, during]) => {
          assert.strictEqual(documents, 900 + 600 + 375)
          assert.deepStrictEqual(during, before)
        })
      )
      assert.deepStrictEqual(yield* reader.found, before)
      assert.strictEqual(yield* reader.documents, 900)

      yield* Effect.scoped(
        Effect.gen(function* () {
          const publisher = yield* writer.begun("credentials", drafts, loaded)
          yield* reader.documents
          assert.deepStrictEqual(yield* reader.found, before)
          assert.deepStrictEqual(publisher.counts(), { added: 600, replaced: 675, unchanged: 225 })
          yield* Effect.flatten(publisher.publish)
        })
      )
      const after = yield* reader.found
      const expected = yield* openProcess(options)
      yield* expected.load([...loaded, ...loaded.slice(0, 10)])
      assert.strictEqual(yield* expected.documents, 1_500)
      assert.deepStrictEqual(yield* expected.found, after)
      assert.notDeepEqual(after, before)
    }).pipe(Effect.scoped)
  )

  const eventOf = (id: number, content: string) =>
    `${JSON.stringify({
      event_type: "chat_message",
      metadata: { uid: `chat/${id}`, severity: "low", estimated_created_at: time },
      data: { content, posted_at: time, actor: { name: "nobody" }, context: { conversation_name: "room" } }
    })}\n`

  it.live(
    "of events becomes visible with all matches or not at all, also for identifiers that are created meanwhile",
    () =>
      Effect.gen(function* () {
        const options = yield* emptyCluster(url)
        const writer = yield* openProcess(options)
        const reader = yield* openProcess(options)
        const vpn = yield* reader.watch("vpn")
        const first = Array.from({ length: 10 }, (_, id) => eventOf(id, id % 2 === 0 ? "vpn" : "mail"))
        yield* writer.load(first, false, "events")
        const changed = [
          eventOf(0, "mail"),
          eventOf(1, "vpn"),
          eventOf(2, "vpn, and more"),
          eventOf(4, "vpn"),
          eventOf(20, "vpn"),
          eventOf(21, "mail")
        ]
        const evens = [0, 2, 4, 6, 8]
        const odds = [1, 3, 5, 7, 9]
        const before = yield* reader.events
        assert.deepStrictEqual(yield* reader.matchesOf(vpn), evens)

        const mail = yield* Effect.scoped(
          Effect.gen(function* () {
            yield* writer.begun("events", [...changed, eventOf(3, "vpn")])
            yield* reader.documents
            assert.deepStrictEqual(yield* reader.events, before)
            assert.deepStrictEqual(yield* reader.matchesOf(vpn), evens)
            assert.include(yield* reader.contentOf(0), '"content":"vpn"')
            assert.isUndefined(yield* reader.contentOf(20))
            const mail = yield* reader.watch("mail")
            assert.includeMembers(odds, yield* reader.matchesOf(mail))
            return mail
          })
        )
        assert.deepStrictEqual(yield* reader.events, before)
        assert.deepStrictEqual(yield* reader.matchesOf(vpn), evens)

        const more = yield* Effect.scoped(
          Effect.gen(function* () {
            const publisher = yield* writer.begun("events", changed)
            assert.deepStrictEqual(publisher.counts(), { added: 2, replaced: 3, unchanged: 1 })
            return yield* reader.watch("more", Effect.flatten(publisher.publish))
          })
        )
        assert.deepStrictEqual(yield* reader.matchesOf(vpn), [1, 2, 4, 6, 8, 20])
        // Both identifiers were created while a load was running.
        yield* reader.untilMatches(more, [2])
        yield* reader.untilMatches(mail, [0, 3, 5, 7, 9, 21])
        assert.include(yield* reader.contentOf(0), '"content":"mail"')
        yield* writer.load(changed, false, "events")
        assert.strictEqual((yield* reader.events).length, 12)
      }).pipe(Effect.scoped)
  )

  it.live(
    "is undone by the next load if its process stops, and fails if the process continues later",
    () =>
      Effect.gen(function* () {
        const directory = yield* folder
        const options = yield* emptyCluster(url)
        const reader = yield* openProcess(options)
        yield* reader.load(stored, false)
        const before = yield* reader.found
        writeFileSync(join(directory, "loaded.ndjson"), loaded.join(""))
        const flags = ["--index-prefix", options.prefix, "--key-file", options.keyFile, "--opensearch"]
        const command = (cluster: string) => ["load", "credentials", "loaded.ndjson", ...flags, cluster]
        // All records are written, but not published.
        let isStopped = false
        const between = yield* proxy((_method, path) => {
          if (!isStopped && /-credentials-v\d+\/_refresh/u.test(path)) isStopped = child.kill("SIGSTOP")
          return url
        })
        const child = spawned(directory, [...command(between), "--strict"])
        const text = output(child)
        const end = ended(child)
        yield* Effect.promise(() => until(() => isStopped))
        assert.strictEqual(yield* reader.documents, 900 + 600 + 300)
        assert.deepStrictEqual(yield* reader.found, before)

        const { code, out } = yield* run(directory, ...command(url))
        assert.strictEqual(code, 0)
        assert.include(out, "loaded 600 credentials, 300 replaced, 300 were there already")
        const after = yield* reader.found
        child.kill("SIGCONT")
        assert.notStrictEqual(yield* Effect.promise(() => end), 0)
        assert.include(text.err, "another load removed what it had written. Run it again")
        assert.strictEqual(yield* reader.documents, 1_500)
        assert.deepStrictEqual(yield* reader.found, after)
      }).pipe(Effect.scoped),
    1_800_000
  )
})
