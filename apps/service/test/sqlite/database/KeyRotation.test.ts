import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { KeyStore } from "@threat-exposure/service/keys/KeyStore"
import { everyCredential } from "@threat-exposure/service/credentials/CredentialDeletion"
import { deleteCredentials } from "@threat-exposure/service/sqlite/credentials/CredentialDeletionSqlite"
import { PlainCredential } from "@threat-exposure/core/domain/Credential"
import { hashContext } from "@threat-exposure/service/credentials/CredentialBatch"
import { credentialLoader } from "@threat-exposure/service/sqlite/credentials/CredentialLoader"
import { termsOf } from "@threat-exposure/service/credentials/CredentialTerm"
import { documentContext } from "@threat-exposure/service/events/PreparedEvent"
import { batchOf, loadEventsJob, publishWhole } from "@threat-exposure/service/testing/PublishedRecords"
import { keyedTables, sqliteSameThread } from "@threat-exposure/service/sqlite/Sqlite"
import { Connection } from "@threat-exposure/service/sqlite/database/Connection"
import { type DatabaseFiles, databaseFiles } from "@threat-exposure/service/sqlite/database/Database"
import { beginRotation, KeyedConnection, retireKeys } from "@threat-exposure/service/sqlite/database/DatabaseKey"
import { migrate } from "@threat-exposure/service/sqlite/database/Migration"
import { migrations } from "@threat-exposure/service/sqlite/database/migrations"
import { type KeyChange, rotateKeys } from "@threat-exposure/service/sqlite/database/KeyRotation"
import { temporaryDatabase } from "@threat-exposure/service/testing/TestService"
import { IdentifierStore } from "@threat-exposure/service/identifiers/Identifiers"
import { Cause, Effect, Exit, Layer, Schema } from "effect"
import * as fc from "fast-check"
import { earlierAnswers, writeEarlierDatabase } from "../../fixtures/EarlierDatabase.ts"
import { asEarlier, searches } from "../../fixtures/earlierData.ts"
import { eventForTest, ServiceForTest } from "../../ServiceForTest.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "threat-exposure-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

const databaseOfFormat2 = Effect.map(folder, writeEarlierDatabase)

const connectionTo = ({ file }: DatabaseFiles) =>
  Effect.acquireDisposable(
    Effect.sync(() => {
      const connection = new Connection(file)
      migrate(connection, migrations, "2026-01-01T00:00:00Z")
      return connection
    })
  )

class Stopped extends Schema.TaggedError<Stopped>()("Stopped", {}) {}

/** Rotates row by row. `between` runs before each transaction and may fail. */
const rotateSlowly = (connection: Connection, change: KeyChange, between: (transaction: number) => void) => {
  let transactions = 0
  return rotateKeys({
    ...change,
    connection,
    tables: keyedTables,
    chunkLength: 1,
    progress: () => Effect.void,
    withLock: (body) =>
      Effect.try({
        try: () => {
          between(transactions++)
          return connection.transaction(body)
        },
        catch: () => new Stopped()
      })
  })
}

const checkAnswers = (files: DatabaseFiles) =>
  Effect.gen(function* () {
    const { call } = yield* ServiceForTest
    for (const [at, { body, path }] of searches.entries()) {
      const answer = asEarlier((yield* call(1, "POST", path, body)).body)
      assert.deepEqual(answer, earlierAnswers[at], JSON.stringify(body))
    }
  }).pipe(Effect.provide(Layer.provide(ServiceForTest.layerNoDeps, sqliteSameThread(files))))

/** With identifiers that name no tenant, as the version of format 3 stored them. */
const databaseOfFormat3 = Effect.gen(function* () {
  const files = yield* databaseOfFormat2
  yield* checkAnswers(files)
  const connection = yield* connectionTo(files)
  const { vault } = new KeyedConnection(connection, files.keyFile)
  for (const [id, asset] of connection.tuples("SELECT id, asset FROM identifiers")) {
    assert(asset instanceof Uint8Array)
    const context = `identifiers.asset/${id}`
    const { tenant_id, ...unbound } = JSON.parse(vault.decrypt(asset, context))
    assert.strictEqual(tenant_id, 1)
    connection.run(
      "UPDATE identifiers SET asset = ? WHERE id = ?",
      vault.encrypt(JSON.stringify(unbound), context),
      Number(id)
    )
  }
  connection.run("UPDATE vault SET key_check = ?, format = 3", vault.blindIndex("check", "3"))
  connection[Symbol.dispose]()
  return files
})

describe("a database of format 3", () => {
  it.live("is upgraded when it is opened, without trust in an API key that was planted in it", () =>
    Effect.gen(function* () {
      const files = yield* databaseOfFormat3
      const connection = yield* connectionTo(files)
      connection.run(plantKey, new Uint8Array(32))
      connection[Symbol.dispose]()
      yield* checkAnswers(files)
      const keys = yield* Effect.flatMap(KeyStore, ({ list }) => list).pipe(Effect.provide(sqliteSameThread(files)))
      assert.deepStrictEqual(
        keys.filter(({ isAuthentic }) => !isAuthentic).map(({ label }) => label),
        [null]
      )
    }).pipe(Effect.scoped)
  )
})

describe.each([
  ["2", databaseOfFormat2],
  ["3", databaseOfFormat3]
])("a database of format %s", (_, database) => {
  it.live("binds its identifiers to their tenants", () =>
    Effect.gen(function* () {
      const files = yield* database
      const find = (tenantId: number) =>
        Effect.flatMap(IdentifierStore, ({ find }) => find(tenantId, 1)).pipe(Effect.provide(sqliteSameThread(files)))
      assert.strictEqual((yield* find(1)).tenantId, 1)
      const connection = yield* connectionTo(files)
      connection.run("UPDATE identifiers SET tenant_id = 2 WHERE id = 1")
      connection[Symbol.dispose]()
      const refused = yield* Effect.exit(find(2))
      assert.include(Exit.isFailure(refused) ? String(Cause.squash(refused.cause)) : "", "1 in identifiers")
    }).pipe(Effect.scoped)
  )
})

describe("a database of format 2", () => {
  it.live("is upgraded when it is opened: its keys stay valid, and every search finds what it found before", () =>
    Effect.gen(function* () {
      const files = yield* databaseOfFormat2
      yield* checkAnswers(files)
      yield* checkAnswers(files)
      const keys = yield* Effect.flatMap(KeyStore, ({ list }) => list).pipe(Effect.provide(sqliteSameThread(files)))
      assert.isTrue(keys.some(({ id }) => id === 1))
      assert.isTrue(keys.every(({ isAuthentic }) => isAuthentic))
    }).pipe(Effect.scoped)
  )

  it.live("cannot be made from a later one to have planted keys accepted", () =>
    Effect.gen(function* () {
      const files = yield* databaseOfFormat2
      yield* checkAnswers(files)
      const connection = yield* connectionTo(files)
      connection.run("UPDATE vault SET format = 2")
      connection.run(plantKey, new Uint8Array(32))
      connection[Symbol.dispose]()
      const opened = yield* Effect.flip(Effect.provide(Effect.void, sqliteSameThread(files)))
      assert.include(opened.message, "belongs to another database")
    }).pipe(Effect.scoped)
  )
})

const plantKey =
  "INSERT INTO keys (token_hash, tenant_id, permissions, created_at) VALUES (?, 1, '[\"Read Tenant\"]', '2026-01-01T00:00:00Z')"

/** A change that another process makes during the key rotation. */
const change = fc.oneof(
  fc.record({
    kind: fc.constant("credential"),
    id: fc.integer({ min: 1, max: 8 }),
    word: fc.constantFrom("a", "b", "c")
  }),
  fc.record({ kind: fc.constant("delete"), id: fc.integer({ min: 1, max: 8 }) }),
  fc.record({
    kind: fc.constant("event"),
    id: fc.integer({ min: 1, max: 5 }),
    word: fc.constantFrom("a", "b", "c")
  })
)
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never

const decodeCredential = Schema.decodeUnknownSync(PlainCredential)

const credential = (id: number, word: string) =>
  decodeCredential({
    id,
    identity_name: `${word}@example.com`,
    imported_at: "2026-01-01T00:00:00Z",
    hash: `password ${word}`,
    auth_domains: [`${word}.example.org`]
  })

const apply = (database: KeyedConnection, change: Change): void => {
  const now = "2026-01-01T00:00:00Z"
  database.connection.transaction(() => {
    if (change.kind === "delete") {
      deleteCredentials.run(database, { ...everyCredential, ids: [change.id] })
      return
    }
    const word = "word" in change ? change.word : ""
    if (change.kind === "event") {
      const events = [eventForTest(change.id, "paste", { content: `${word} login user:${word}Secret9! end` })]
      loadEventsJob.run(database, { events, now })
      return
    }
    const batch = batchOf(database.vault, [{ credential: credential(change.id, word), importedAt: 1 }])
    publishWhole(database, credentialLoader.store, [batch], now)
  })
}

/** All data of the database, decrypted with its keys. */
const contents = ({ connection, vault }: KeyedConnection) => ({
  credentials: connection
    .prepare("SELECT version >> 1 AS id, sealed_hash FROM credentials ORDER BY version")
    .all()
    .map(({ id, sealed_hash }) =>
      sealed_hash instanceof Uint8Array ? [id, vault.decrypt(sealed_hash, hashContext(Number(id)))] : [id]
    ),
  terms: ["a", "b", "c"].map((word) =>
    [...termsOf(vault, credential(1, word))].map((term) =>
      connection.prepare("SELECT version >> 1 AS id FROM credential_terms WHERE term = ? ORDER BY version").all(term)
    )
  ),
  termCount: connection.prepare("SELECT count(*) FROM credential_terms").get(),
  events: connection
    .prepare("SELECT uid, document FROM events ORDER BY uid")
    .all()
    .map(({ document, uid }) =>
      document instanceof Uint8Array ? vault.decrypt(document, documentContext(String(uid))) : undefined
    ),
  words: ["a", "b", "c"].map((word) =>
    connection
      .prepare(
        "SELECT uid FROM event_index JOIN events ON events.id = event_index.rowid WHERE event_index MATCH ? ORDER BY uid"
      )
      .all(`content : ${word}`)
  ),
  secrets: ["a", "b", "c"].map((word) =>
    connection
      .prepare(
        "SELECT uid FROM event_index JOIN events ON events.id = event_index.rowid WHERE event_index MATCH ? ORDER BY uid"
      )
      .all(`terms : z${Buffer.from(vault.blindIndex("event/secret", `${word}Secret9!`)).toString("hex")}`)
  )
})

const leftovers = ({ connection }: KeyedConnection) =>
  connection.prepare("SELECT name FROM sqlite_schema WHERE name LIKE '%changes_of%' OR name LIKE '%next'").all()

describe("a key rotation", () => {
  const newDatabase = Effect.gen(function* () {
    const files = databaseFiles(yield* temporaryDatabase)
    return { files, database: new KeyedConnection(yield* connectionTo(files), files.keyFile) }
  })

  const changes = fc.record({
    before: fc.array(change, { maxLength: 8 }),
    /** The numbers of the transactions before which the changes happen. */
    during: fc.array(fc.tuple(fc.nat({ max: 20 }), change), { maxLength: 12 }),
    /** The numbers of transactions after which the rotation is killed. */
    stops: fc.array(fc.nat({ max: 25 }), { maxLength: 3 })
  })

  it.live("has no influence on the result of changes, whenever they happen and however often it is killed", () =>
    Effect.gen(function* () {
      for (const { before, during, stops } of fc.sample(changes, { seed: 9, numRuns: 30 })) {
        yield* Effect.gen(function* () {
          const { database, files } = yield* newDatabase
          const { database: reference } = yield* newDatabase
          for (const one of [database, reference]) for (const change of before) apply(one, change)
          const rotator = yield* connectionTo(files)
          const formerKeyId = database.vault.keyId
          let at = 0
          for (const stop of [...stops, Number.POSITIVE_INFINITY]) {
            const keyChange = rotator.transaction(() => beginRotation(rotator, files.keyFile))
            const result = yield* Effect.result(
              rotateSlowly(rotator, keyChange, (transaction) => {
                if (transaction >= stop) throw new Error("killed")
                for (const [when, change] of during) {
                  if (when !== at) continue
                  for (const one of [database, reference]) apply(one, change)
                }
                at += 1
              })
            )
            if (result._tag === "Success") break
          }
          assert.deepEqual(contents(database), contents(reference))
          assert.deepEqual(leftovers(database), [])
          assert.notStrictEqual(database.vault.keyId, formerKeyId)
          assert.lengthOf(retireKeys(rotator, files.keyFile), 1)
          assert.lengthOf(readFileSync(files.keyFile, "utf8").trim().split("\n"), 1)
          assert.deepEqual(contents(new KeyedConnection(rotator, files.keyFile)), contents(database))
        }).pipe(Effect.scoped)
      }
    })
  )

  it.live("is noticed by a connection that reads without a pause", () =>
    Effect.gen(function* () {
      const { database, files } = yield* newDatabase
      const { keyId } = database.vault
      const rotator = yield* connectionTo(files)
      yield* rotateSlowly(
        rotator,
        rotator.transaction(() => beginRotation(rotator, files.keyFile)),
        () => {}
      )
      while (database.vault.keyId === keyId);
    }).pipe(Effect.scoped)
  )

  it.live("starts a table again if the table was rebuilt after the rotation was killed", () =>
    Effect.gen(function* () {
      const { database, files } = yield* newDatabase
      const { database: reference } = yield* newDatabase
      const both = (change: Change) => {
        for (const one of [database, reference]) apply(one, change)
      }
      for (const id of [1, 2, 3]) both({ kind: "credential", id, word: "a" })
      const rotator = yield* connectionTo(files)
      const rotate = (last: number) =>
        rotateSlowly(
          rotator,
          rotator.transaction(() => beginRotation(rotator, files.keyFile)),
          (transaction) => {
            if (transaction > last) throw new Error("killed")
          }
        )
      assert.strictEqual((yield* Effect.result(rotate(3)))._tag, "Failure")
      // Rebuilds the table, like a migration.
      const table = rotator.prepare("SELECT sql FROM sqlite_schema WHERE name = 'credentials'").get()
      rotator.exec(`${String(table?.["sql"]).replace("credentials", "rebuilt")};
        INSERT INTO rebuilt SELECT * FROM credentials; DROP TABLE credentials;
        ALTER TABLE rebuilt RENAME TO credentials`)
      both({ kind: "credential", id: 1, word: "b" })
      yield* rotate(Number.POSITIVE_INFINITY)
      assert.deepEqual(contents(database), contents(reference))
      assert.deepEqual(leftovers(database), [])
    }).pipe(Effect.scoped)
  )
})
