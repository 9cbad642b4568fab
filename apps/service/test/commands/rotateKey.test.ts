import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { nameStore } from "@threat-exposure/service/commands/DatabaseFlags"
import { databaseFiles } from "@threat-exposure/service/sqlite/database/Database"
import { sqliteSameThread } from "@threat-exposure/service/sqlite/Sqlite"
import { openTransferSource, transferredQuota } from "@threat-exposure/service/transfer/TransferredTables"
import { Effect, Fiber } from "effect"
import { createKey, folder, run, serving } from "./Command.ts"

const line = (id: number) =>
  `${JSON.stringify({ id, identity_name: `a${id}@example.com`, imported_at: "2026-01-01T00:00:00Z", hash: `p${id}` })}\n`

const keyFile = "threat-exposure.sqlite.key"

describe("rotate-key", () => {
  it.live("names a row that this program did not write, and so does a migration", () =>
    Effect.gen(function* () {
      const where = yield* folder
      writeFileSync(join(where, "a.ndjson"), line(1))
      yield* run(where, "load", "credentials", "a.ndjson")
      {
        using database = new DatabaseSync(join(where, "threat-exposure.sqlite"))
        database.exec("UPDATE credentials SET sealed_hash = zeroblob(60)")
        database.exec("INSERT INTO quota_use VALUES (1, '2026-01', 1 << 60)")
      }
      const rows = Effect.flatMap(openTransferSource, (source) => Effect.sync(() => [...source.rows(transferredQuota)]))
      const failure = yield* Effect.flip(
        rows.pipe(
          Effect.scoped,
          Effect.provide(sqliteSameThread(databaseFiles(join(where, "threat-exposure.sqlite")))),
          nameStore("a")
        )
      )
      assert.include(failure.message, "1:2026-01 in quota_use")
      const rotated = yield* run(where, "rotate-key", "--yes")
      assert.strictEqual(rotated.code, 1)
      assert.include(rotated.err, "this program did not write 1 in credentials. Delete it")
    }).pipe(Effect.scoped)
  )

  it.live("rotates the key while a service answers every search as before", () =>
    Effect.gen(function* () {
      const where = yield* folder
      const lines = Array.from({ length: 20_000 }, (_, id) => line(id + 1)).join("")
      writeFileSync(join(where, "a.ndjson"), lines)
      yield* run(where, "load", "credentials", "a.ndjson")
      const key = yield* createKey(where, "1", "read-tenant")
      const { url } = yield* serving(where)
      const search = (query: unknown) =>
        Effect.promise(async () => {
          const response = await fetch(`${url}/svc/v4/credentials/global/_search`, {
            method: "POST",
            headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
            body: JSON.stringify({ query })
          })
          const body: { readonly items?: ReadonlyArray<{ readonly hash: string }> } = JSON.parse(await response.text())
          return { status: response.status, hashes: body.items?.map(({ hash }) => hash) }
        })
      const found = { status: 200, hashes: ["p7"] }
      // The key was rotated during the search, which reports so instead of an empty result.
      const unavailable = { status: 503, hashes: undefined }
      const searching = yield* Effect.forkChild(
        Effect.forever(
          Effect.gen(function* () {
            const answer = yield* search({ type: "email", email: "a7@example.com" })
            assert.deepEqual(answer, answer.status === 503 ? unavailable : found)
            yield* Effect.sleep("2 millis")
          })
        )
      )
      const before = readFileSync(join(where, keyFile), "utf8")
      const { code, err, out } = yield* run(where, "rotate-key", "--yes")
      assert.strictEqual(code, 0, err)
      assert.include(out, "with the new key")
      assert.isUndefined(searching.pollUnsafe())
      assert.deepEqual(yield* search({ type: "email", email: "a7@example.com" }), found)
      assert.deepEqual(yield* search({ type: "secret", secret: "p7" }), found)
      yield* Fiber.interrupt(searching)

      const after = readFileSync(join(where, keyFile), "utf8")
      assert.match(after, /^[0-9a-f]{64}\n$/)
      assert.notStrictEqual(after, before)
      const [retired = "", ...others] = readdirSync(where).filter((name) => name.startsWith(`${keyFile}.retired-`))
      assert.deepEqual(others, [])
      assert.include(out, retired)
      assert.strictEqual(readFileSync(join(where, retired), "utf8"), before)
      for (const name of [keyFile, retired]) assert.strictEqual(statSync(join(where, name)).mode & 0o777, 0o600)

      // Data that the running service and other programs write is encrypted with the new key.
      writeFileSync(join(where, "b.ndjson"), line(30_000))
      assert.strictEqual((yield* run(where, "load", "credentials", "b.ndjson")).code, 0)
      assert.deepEqual((yield* search({ type: "secret", secret: "p30000" })).hashes, ["p30000"])
    }).pipe(Effect.scoped)
  )

  it.live("changes nothing without a confirmation", () =>
    Effect.gen(function* () {
      const where = yield* folder
      yield* run(where, "keys", "list")
      const before = readFileSync(join(where, keyFile), "utf8")
      const { code, err } = yield* run(where, "rotate-key")
      assert.strictEqual(code, 1)
      assert.include(err, "--yes")
      assert.strictEqual(readFileSync(join(where, keyFile), "utf8"), before)
    }).pipe(Effect.scoped)
  )
})
