import { assert, describe, it } from "@effect/vitest"
import { digestOf, KeyRing, newToken } from "@threat-exposure/service/keys/ApiKeys"
import { KeyStore } from "@threat-exposure/service/keys/KeyStore"
import { CurrentVault } from "@threat-exposure/service/crypto/CurrentVault"
import { Connection } from "@threat-exposure/service/sqlite/database/Connection"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { sqliteSameThread } from "@threat-exposure/service/sqlite/Sqlite"
import { Effect } from "effect"
import { filesForTest } from "../DatabaseForTest.ts"

const now = Date.parse("2026-01-01T00:00:00Z")

const makeKey = (tenantId: number) => ({
  token: newToken(),
  tenantId,
  permissions: ["Read Tenant"] as const,
  createdAt: "2026-01-01T00:00:00.000Z"
})

describe("a key in a database that somebody without the key file can write", () => {
  const changes: ReadonlyArray<readonly [what: string, sql: string]> = [
    ["of another tenant", "UPDATE keys SET tenant_id = 1 WHERE id = 1"],
    ["with more permissions", `UPDATE keys SET permissions = '["Read Tenant","Write Tenant Admin"]' WHERE id = 1`],
    ["with a permission that does not exist", `UPDATE keys SET permissions = '["Root"]' WHERE id = 1`],
    ["with permissions that are not JSON", "UPDATE keys SET permissions = 'Read Tenant' WHERE id = 1"],
    ["that never expires", "UPDATE keys SET expires_at = NULL WHERE id = 1"],
    ["under another id", "UPDATE keys SET id = 9 WHERE id = 1"],
    ["with the seal of another", "UPDATE keys SET seal = (SELECT seal FROM keys WHERE id = 2) WHERE id = 1"],
    ["without a seal", "UPDATE keys SET seal = NULL WHERE id = 1"]
  ]
  for (const [what, sql] of changes) {
    it.live(`is refused ${what}`, () =>
      Effect.gen(function* () {
        const files = yield* filesForTest
        const key = { ...makeKey(7), expiresAt: "2027-01-01T00:00:00.000Z" }
        yield* Effect.gen(function* () {
          const store = yield* KeyStore
          yield* store.create(key)
          yield* store.create(makeKey(7))
        }).pipe(Effect.provide(sqliteSameThread(files)))
        const connection = new Connection(files.file)
        connection.run(sql)
        connection[Symbol.dispose]()
        yield* Effect.gen(function* () {
          const store = yield* KeyStore
          assert.isUndefined(yield* new KeyRing(store, yield* CurrentVault).find(key.token, now))
          assert.deepStrictEqual(
            (yield* store.list).filter(({ isAuthentic }) => isAuthentic).map(({ id }) => id),
            [2]
          )
          const [id = 0] = (yield* store.list).filter(({ isAuthentic }) => !isAuthentic).map(({ id }) => id)
          assert.isTrue(yield* store.revoke(id, "2026-01-01T00:00:00Z"))
        }).pipe(Effect.provide(sqliteSameThread(files)))
      }).pipe(Effect.scoped)
    )
  }

  it.live("is refused if it was planted, or if its revocation was removed", () =>
    Effect.gen(function* () {
      const files = yield* filesForTest
      const revoked = makeKey(7)
      const planted = newToken()
      yield* Effect.gen(function* () {
        const store = yield* KeyStore
        yield* store.revoke(yield* store.create(revoked), "2026-01-01T00:00:00Z")
        const { connection } = yield* Database
        connection.run("UPDATE keys SET revoked_at = NULL")
        connection.run(
          "INSERT INTO keys (token_hash, tenant_id, permissions, created_at, seal) SELECT ?, tenant_id, permissions, created_at, seal FROM keys",
          digestOf(planted)
        )
        const ring = new KeyRing(store, yield* CurrentVault)
        assert.isUndefined(yield* ring.find(revoked.token, now))
        assert.isUndefined(yield* ring.find(planted, now))
        yield* store.revoke(2, "2026-01-01T00:00:00Z")
        connection.run("UPDATE keys SET revoked_at = NULL")
        assert.isUndefined(yield* ring.find(planted, now + 5_000))
      }).pipe(Effect.provide(sqliteSameThread(files)))
    }).pipe(Effect.scoped)
  )
})

describe("a database", () => {
  const foreign: ReadonlyArray<readonly [what: string, sql: string]> = [
    ["trigger", "CREATE TRIGGER planted AFTER INSERT ON keys BEGIN UPDATE keys SET tenant_id = 1; END"],
    ["view", "CREATE VIEW planted AS SELECT * FROM keys"],
    ["table", "CREATE TABLE planted (id INTEGER)"]
  ]
  for (const [what, sql] of foreign) {
    it.live(`is refused with a ${what} that this program did not create`, () =>
      Effect.gen(function* () {
        const files = yield* filesForTest
        yield* Effect.provide(Effect.void, sqliteSameThread(files))
        const connection = new Connection(files.file)
        connection.exec(sql)
        connection[Symbol.dispose]()
        const failure = yield* Effect.flip(Effect.provide(Effect.void, sqliteSameThread(files)))
        assert.include(failure.message, `a ${what} "planted" that this program did not create`)
      }).pipe(Effect.scoped)
    )
  }
})
