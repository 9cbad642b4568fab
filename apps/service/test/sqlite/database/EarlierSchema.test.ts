import { copyFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { migrations } from "@threat-exposure/service/sqlite/database/migrations"
import { type DatabaseFiles, databaseFiles } from "@threat-exposure/service/sqlite/database/Database"
import { sqliteSameThread } from "@threat-exposure/service/sqlite/Sqlite"
import { Effect, Layer } from "effect"
import { DatabaseSync } from "node:sqlite"
import { folder, run } from "../../commands/Command.ts"
import { earlierAnswers, writeEarlierDatabase } from "../../fixtures/EarlierDatabase.ts"
import { asEarlier, credentials, searches } from "../../fixtures/earlierData.ts"
import { ServiceForTest } from "../../ServiceForTest.ts"

const answersOf = (files: DatabaseFiles) =>
  Effect.gen(function* () {
    const { call } = yield* ServiceForTest
    return yield* Effect.forEach(searches, ({ body, path }) =>
      Effect.map(call(1, "POST", path, body), (answer) => asEarlier(answer.body))
    )
  }).pipe(Effect.provide(Layer.provide(ServiceForTest.layerNoDeps, sqliteSameThread(files))))

describe("a database that an earlier version wrote", () => {
  it.live("lacks later tables", () =>
    Effect.gen(function* () {
      const { file } = writeEarlierDatabase(yield* folder)
      using database = new DatabaseSync(file)
      const latest = migrations.at(-1)?.name ?? ""
      assert.isUndefined(database.prepare("SELECT name FROM migrations WHERE name = ?").get(latest))
    }).pipe(Effect.scoped)
  )

  it.live("goes on with the numbers of its groups and reports", () =>
    Effect.gen(function* () {
      const files = writeEarlierDatabase(yield* folder)
      {
        using database = new DatabaseSync(files.file)
        database.exec(`
          INSERT INTO identifier_groups (tenant_id, id) VALUES (1, 7), (1, ${2 ** 40}), (2, 3);
          INSERT INTO reports (id, tenant_id, report, created_at) VALUES (9, 1, '{}', '')`)
      }
      yield* Effect.gen(function* () {
        const { call } = yield* ServiceForTest
        yield* call(1, "DELETE", "/v2/assets/groups/7")
        assert.strictEqual((yield* call(1, "POST", "/v2/assets/groups/", {})).body.assets_group.id, 8)
        assert.strictEqual((yield* call(2, "POST", "/v2/assets/groups/", {})).body.assets_group.id, 4)
        yield* call(3, "POST", "/v2/reporting/reports", { title: "Quarter" })
        assert.strictEqual((yield* call(3, "GET", "/v4/reports")).body.items[0].id, 10)
      }).pipe(Effect.provide(Layer.provide(ServiceForTest.layerNoDeps, sqliteSameThread(files))))
    }).pipe(Effect.scoped)
  )

  it.live("is upgraded so that actions find its credentials", () =>
    Effect.gen(function* () {
      const there = yield* folder
      const files = writeEarlierDatabase(there)
      {
        using database = new DatabaseSync(files.file)
        const setHash = database.prepare("UPDATE credentials SET document = replace(document, ?, ?) WHERE version = ?")
        for (const id of [5, 6]) setHash.run('"credential_hash":null', `"credential_hash":"hash ${id}"`, id * 2)
      }
      const actOn = (...ids: ReadonlyArray<number>) =>
        Effect.gen(function* () {
          const { call } = yield* ServiceForTest
          const targets = ids.map((id) => ({ credential_hash: `hash ${id}` }))
          return (yield* call(1, "POST", "/v4/credentials/actions", { targets, action: { type: "ignore" } })).status
        }).pipe(Effect.provide(Layer.provide(ServiceForTest.layerNoDeps, sqliteSameThread(files))))
      assert.deepStrictEqual([yield* actOn(6, 5), yield* actOn(4)], [200, 404])
      assert.lengthOf(yield* answersOf(files), earlierAnswers.length)
    }).pipe(Effect.scoped)
  )

  it.live("gives the same answers after it is opened, and after its records are loaded again", () =>
    Effect.gen(function* () {
      const there = yield* folder
      const files = writeEarlierDatabase(there)
      assert.deepEqual(yield* answersOf(files), earlierAnswers)
      const lines = credentials.map((record) => `${JSON.stringify(record)}\n`).join("")
      writeFileSync(join(there, "credentials.ndjson"), lines)
      const { code, out } = yield* run(there, "load", "credentials", "credentials.ndjson")
      assert.strictEqual(code, 0)
      assert.match(out, new RegExp(`loaded 0 credentials, ${credentials.length} were there already`, "u"))
      assert.deepEqual(yield* answersOf(files), earlierAnswers)
    }).pipe(Effect.scoped)
  )

  it.live("can be restored from a backup", () =>
    Effect.gen(function* () {
      const there = yield* folder
      const backup = writeEarlierDatabase(join(there, "backup"))
      const restored = databaseFiles(join(there, "threat-exposure.sqlite"))
      copyFileSync(backup.keyFile, restored.keyFile)
      const { code, err } = yield* run(there, "restore", backup.file, "--yes")
      assert.strictEqual(code, 0, err)
      assert.deepEqual(yield* answersOf(restored), earlierAnswers)
    }).pipe(Effect.scoped)
  )
})
