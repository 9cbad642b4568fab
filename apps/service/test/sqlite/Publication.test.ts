import { assert, describe, it } from "@effect/vitest"
import { hashContext } from "@threat-exposure/service/credentials/CredentialBatch"
import { credentialLoader, prepareCredentials } from "@threat-exposure/service/sqlite/credentials/CredentialLoader"
import { termsOf } from "@threat-exposure/service/credentials/CredentialTerm"
import { prepareEvents, eventLoader } from "@threat-exposure/service/sqlite/events/EventLoader"
import { publishAll } from "@threat-exposure/service/load/LoadTarget"
import { makePublisher, recoverPublication } from "@threat-exposure/service/sqlite/Publication"
import type { Prepared, WriteCounts } from "@threat-exposure/service/load/LoadTarget"
import type { OpenLoad, RecordStore } from "@threat-exposure/service/sqlite/RecordLoader"
import { Connection } from "@threat-exposure/service/sqlite/database/Connection"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import {
  generationsOf,
  hasLeftovers,
  PublicationLock,
  publicationLockPath
} from "@threat-exposure/service/sqlite/database/Generations"
import { Effect, Fiber, Schema } from "effect"
import { DatabaseForTest } from "../DatabaseForTest.ts"
import { eventForTest } from "../ServiceForTest.ts"

const chunk = (records: ReadonlyArray<unknown>) => ({
  text: Buffer.from(records.map((record) => JSON.stringify(record)).join("\n")),
  firstNumber: 1,
  format: { type: "lines" } as const
})

const imported_at = "2026-01-01T00:00:00Z"
const credential = (id: number, version: number) => ({
  id,
  identity_name: `person${id}.v${version}@example.com`,
  imported_at,
  hash: `password ${version}`
})

const credentials = Effect.fnUntraced(function* (groups: ReadonlyArray<ReadonlyArray<unknown>>, keep = false) {
  const database = yield* Database
  const batches = groups.map((group) => prepareCredentials.run(database, chunk(group)))
  return yield* publish(publicationIn(database, credentialLoader.store, keep), batches)
})

/** Flushes after each batch. */
const publish = <Batch>(
  { store, ...load }: OpenLoad & { readonly store: RecordStore<Batch> },
  batches: Iterable<Prepared<Batch>>
) =>
  makePublisher(store, load).pipe(
    Effect.flatMap((publisher) => publishAll(publisher, batches, 1)),
    Effect.scoped
  )

const publicationIn = <Batch>(database: Database["Service"], store: RecordStore<Batch>, keep = false) => ({
  database,
  file: database.files.file,
  store,
  keep,
  now: "2026-02-01T00:00:00Z"
})

/**
 * The data that a reader sees: the id and version of each credential, and whether the terms are exactly those of the
 * stored versions.
 */
const stored = Effect.map(Database, ({ connection, vault }) => {
  const published = generationsOf(connection, "credentials").published
  const rows = connection
    .prepare("SELECT version >> 1 AS id, document, sealed_hash, added_in, removed_in FROM credentials ORDER BY version")
    .all()
  const seen: Array<readonly [unknown, unknown]> = []
  let terms = 0
  for (const { added_in, document, id, removed_in, sealed_hash } of rows) {
    const { credential_hash, domain, identity_name } = JSON.parse(`{${String(document)}}`)
    if (!(sealed_hash instanceof Uint8Array)) throw new TypeError("no hash")
    const hash = JSON.parse(vault.decrypt(sealed_hash, hashContext(Number(id))))
    terms += termsOf(vault, { identity_name, domain, hash, auth_domains: [], credential_hash }).size
    if (Number(added_in) <= published && (removed_in === null || Number(removed_in) > published)) {
      seen.push([id, Number(/v(\d+)@/u.exec(identity_name)?.[1])])
    }
  }
  const count = connection.prepare("SELECT count(*) AS count FROM credential_terms").get()?.["count"]
  return { seen, isClean: count === terms && rows.length === seen.length }
})

const Load = Schema.Struct({
  groups: Schema.Array(
    Schema.Array(Schema.Struct({ id: Schema.Literals([0, 1, 2, 3, -4]), version: Schema.Literals([0, 1, 2]) }))
  ),
  keep: Schema.Boolean,
  /** Whether the load ends before it is published. */
  isInterrupted: Schema.Boolean
})

describe("publish", () => {
  it.effect.prop(
    "has the same result as a map by id, whatever is replaced, repeated, kept or interrupted",
    [Schema.Array(Load)],
    ([loads]) =>
      Effect.gen(function* () {
        const database = yield* Database
        const model = new Map<number, number>()
        for (const { groups, isInterrupted, keep } of loads) {
          const batches = groups.map((group) =>
            prepareCredentials.run(database, chunk(group.map(({ id, version }) => credential(id, version))))
          )
          const endEarly = function* () {
            yield* batches
            if (isInterrupted) throw new Error("ended early")
          }
          const result = yield* Effect.exit(publish(publicationIn(database, credentialLoader.store, keep), endEarly()))
          assert.strictEqual(result._tag, isInterrupted ? "Failure" : "Success")
          if (!isInterrupted) {
            for (const { id, version } of groups.flat()) if (!keep || !model.has(id)) model.set(id, version)
          }
          assert.deepEqual(
            (yield* stored).seen,
            [...model].toSorted(([a], [b]) => a - b)
          )
        }
        yield* recoverPublication(yield* Database, credentialLoader.store)
        assert.isTrue((yield* stored).isClean)
      }).pipe(Effect.provide(DatabaseForTest)),
    { arbitrary: { runs: 30 } }
  )

  it.effect("removes thousands of unpublished rows in the writer's transactions, also when it is stopped", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const { connection, write } = database
      const numbers = Array.from({ length: 2_000 }, (_, id) => id)
      yield* credentials([numbers.filter((id) => id % 4 === 0).map((id) => credential(id, 0))])
      const before = yield* stored
      const batch = prepareCredentials.run(database, chunk(numbers.map((id) => credential(id, 1))))
      const endEarly = function* () {
        yield batch
        throw new Error("ended early")
      }
      yield* Effect.exit(publish(publicationIn(database, credentialLoader.store), endEarly()))
      assert.isFalse((yield* stored).isClean)
      assert.deepStrictEqual((yield* stored).seen, before.seen)
      let parts = 0
      const isInterrupted = () => hasLeftovers(connection, "credentials")
      while (isInterrupted()) {
        const stopped: Database["Service"]["write"] = (procedure, input) =>
          (parts += 1) % 3 === 0 ? Effect.interrupt : write(procedure, input)
        yield* Effect.exit(recoverPublication({ ...database, write: stopped }, credentialLoader.store))
      }
      assert.isAbove(parts, 1)
      yield* recoverPublication(database, credentialLoader.store)
      assert.deepStrictEqual(yield* stored, { ...before, isClean: true })
    }).pipe(Effect.provide(DatabaseForTest))
  )

  it.effect("counts new, replaced and already stored records, and only the last of several with one id", () =>
    Effect.gen(function* () {
      const counts = (added: number, replaced: number, unchanged: number): WriteCounts => ({
        added,
        replaced,
        unchanged
      })
      const [a, b] = [credential(1, 0), credential(2, 0)]
      assert.deepEqual(yield* credentials([[a, b, a, credential(2, 1)]]), counts(2, 1, 1))
      assert.deepEqual(yield* credentials([[a, credential(2, 1)]]), counts(0, 0, 2))
      assert.deepEqual(yield* credentials([[b]], true), counts(0, 0, 1))
      assert.deepEqual(yield* credentials([[b], [credential(2, 2)]]), counts(0, 2, 0))
      assert.deepEqual(yield* stored, {
        seen: [
          [1, 0],
          [2, 2]
        ],
        isClean: true
      })
    }).pipe(Effect.provide(DatabaseForTest))
  )

  it.effect("derives the id of a credential without one from its content, whatever the order of its fields", () =>
    Effect.gen(function* () {
      const { id: _id, ...content } = credential(1, 0)
      const reordered = Object.fromEntries([...Object.entries(content).toReversed(), ["domain", null]])
      assert.deepEqual(yield* credentials([[content, content, reordered, { ...content, hash: "another" }]]), {
        added: 2,
        replaced: 0,
        unchanged: 2
      })
      const before = yield* stored
      assert.deepEqual((yield* credentials([[reordered]])).unchanged, 1)
      assert.deepEqual(yield* stored, before)
      for (const [id] of before.seen) assert.isTrue(Number.isSafeInteger(id) && Number(id) > 0)
    }).pipe(Effect.provide(DatabaseForTest))
  )

  it.live("waits for the publication of another process, and shows none of it before its end", () =>
    Effect.gen(function* () {
      const database = yield* Database
      yield* credentials([[credential(1, 0)]])
      using lock = new PublicationLock(publicationLockPath(database.files.file, "credentials"))
      assert.isTrue(lock.take())
      const waiting = yield* Effect.forkScoped(credentials([[credential(1, 1), credential(2, 1)]]))
      yield* Effect.sleep("100 millis")
      assert.deepEqual((yield* stored).seen, [[1, 0]])
      lock[Symbol.dispose]()
      yield* Fiber.join(waiting)
      assert.deepEqual((yield* stored).seen, [
        [1, 1],
        [2, 1]
      ])
    }).pipe(Effect.scoped, Effect.provide(DatabaseForTest))
  )

  it.effect("shows events of a load all at once, and counts the matches that are visible", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const batchOf = (...versions: ReadonlyArray<number>) =>
        prepareEvents.run(database, chunk(versions.map((at) => eventForTest(at % 10, "paste", { content: `v${at}` }))))
      const publication = publicationIn(database, eventLoader.store)
      yield* publish(publication, [batchOf(1, 2)])
      using reader = new Connection(database.files.file, { readOnly: true })
      const seen = () => {
        const { published } = generationsOf(reader, "events")
        const sql =
          "SELECT count(*) AS count FROM events WHERE added_in <= ? AND (removed_in IS NULL OR removed_in > ?)"
        return reader.prepare(sql).get(published, published)?.["count"]
      }
      const observed: Array<unknown> = []
      const batches = function* () {
        yield batchOf(11, 3)
        observed.push(seen())
        yield batchOf(4)
        observed.push(seen())
      }
      assert.deepEqual(yield* publish(publication, batches()), { added: 2, replaced: 1, unchanged: 0 })
      assert.deepEqual([...observed, seen()], [2, 2, 4])
      const fail = function* () {
        yield batchOf(12, 5)
        throw new Error("ended early")
      }
      assert.strictEqual((yield* Effect.exit(publish(publication, fail())))._tag, "Failure")
      assert.strictEqual(seen(), 4)
      yield* recoverPublication(yield* Database, eventLoader.store)
      const left = ["events", "event_index"].map(
        (table) => reader.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]
      )
      assert.deepEqual(left, [4, 4])
    }).pipe(Effect.provide(DatabaseForTest))
  )
})
