import { assert, it } from "@effect/vitest"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { decodeToken, encodeToken } from "@threat-exposure/service/keys/AccessToken"
import { digestOf, KeyRing, newToken } from "@threat-exposure/service/keys/ApiKeys"
import { KeyStore } from "@threat-exposure/service/keys/KeyStore"
import { CurrentVault } from "@threat-exposure/service/crypto/CurrentVault"
import { Vault } from "@threat-exposure/service/crypto/Vault"
import { TenantDeletion } from "@threat-exposure/service/tenants/TenantDeletion"
import { Effect } from "effect"

const now = Date.parse("2026-01-01T00:00:00Z")
const hour = 3_600_000

const makeKey = (more: { readonly label?: string; readonly expiresAt?: string } = {}) => ({
  token: newToken(),
  tenantId: 7,
  permissions: ["Read Tenant"] as const,
  createdAt: "2026-01-01T00:00:00.000Z",
  ...more
})

describeOnEngines("KeyRing", ({ stores }) => {
  it.live("accepts an access token until it expires or its key does, in every service over the database", () =>
    Effect.gen(function* () {
      const store = yield* KeyStore
      const current = yield* CurrentVault
      const { vault } = current
      const long = makeKey()
      const short = makeKey({ expiresAt: "2026-01-01T00:30:00.000Z" })
      for (const key of [long, short]) yield* store.create(key)
      const token = encodeToken(vault, { keyDigest: digestOf(long.token), expiresAt: now + hour })
      const shortLived = encodeToken(vault, { keyDigest: digestOf(short.token), expiresAt: now + hour })
      for (const ring of [new KeyRing(store, current), new KeyRing(store, current)]) {
        assert.strictEqual((yield* ring.find(token, now))?.key.tenantId, 7)
        assert.isFalse((yield* ring.find(token, now))?.isKey)
        assert.isDefined(yield* ring.find(token, now + hour - 1))
        assert.isUndefined(yield* ring.find(token, now + hour))
        assert.isDefined(yield* ring.find(shortLived, now + hour / 2 - 1))
        assert.isUndefined(yield* ring.find(shortLived, now + hour / 2))
      }
    }).pipe(Effect.provide(stores))
  )

  it.live("refuses an expired key, and every token of a revoked one", () =>
    Effect.gen(function* () {
      const store = yield* KeyStore
      const current = yield* CurrentVault
      const { vault } = current
      const expiring = makeKey({ expiresAt: "2026-01-02T00:00:00.000Z" })
      yield* store.create(expiring)
      const ring = new KeyRing(store, current)
      assert.isDefined(yield* ring.find(expiring.token, now))
      assert.isUndefined(yield* ring.find(expiring.token, Date.parse("2026-01-02T00:00:00Z")))
      const revoked = makeKey()
      const id = yield* store.create(revoked)
      const token = encodeToken(vault, { keyDigest: digestOf(revoked.token), expiresAt: now + hour })
      yield* store.revoke(id, "2026-01-01T00:00:00Z")
      const other = new KeyRing(store, current)
      assert.deepEqual([yield* other.find(revoked.token, now), yield* other.find(token, now)], [undefined, undefined])
    }).pipe(Effect.provide(stores))
  )

  it.live("replaces the keys of a tenant that have the label of a new one, and no others", () =>
    Effect.gen(function* () {
      const store = yield* KeyStore
      const current = yield* CurrentVault
      const isAccepted = ({ token }: { readonly token: string }) =>
        Effect.map(new KeyRing(store, current).find(token, now), (known) => known !== undefined)
      const makeLabelledKey = () => ({ ...makeKey(), label: "sample" })
      const [first, second, last] = [makeLabelledKey(), makeLabelledKey(), makeLabelledKey()]
      const others = [makeKey(), makeKey({ label: "other" }), { ...makeLabelledKey(), tenantId: 8 }]
      for (const key of [first, second, ...others]) yield* store.create(key)
      const before = yield* store.list
      const id = yield* store.replace(last)
      assert.deepStrictEqual(yield* Effect.forEach([first, second, ...others, last], isAccepted), [
        false,
        false,
        true,
        true,
        true,
        true
      ])
      const after = yield* store.list
      assert.strictEqual(after.length, before.length - 1)
      assert.isTrue(after.some((key) => key.id === id))
    }).pipe(Effect.provide(stores))
  )

  it.live("refuses the token of a deleted key, and never reuses its id", () =>
    Effect.gen(function* () {
      const store = yield* KeyStore
      const tenants = yield* TenantDeletion
      const current = yield* CurrentVault
      const deleted = makeKey()
      const id = yield* store.create(deleted)
      const token = encodeToken(current.vault, { keyDigest: digestOf(deleted.token), expiresAt: now + hour })
      const found = Effect.suspend(() => new KeyRing(store, current).find(token, now))
      assert.strictEqual((yield* found)?.key.tenantId, 7)
      yield* tenants.delete(7)
      assert.isAbove(yield* store.create({ ...makeKey(), tenantId: 8 }), id)
      assert.isUndefined(yield* found)
    }).pipe(Effect.provide(stores))
  )

  it.live("refuses a token that was altered, or issued with another key file", () =>
    Effect.gen(function* () {
      const { vault } = yield* CurrentVault
      const keyDigest = digestOf("a key")
      const token = encodeToken(vault, { keyDigest, expiresAt: now + hour })
      const decoded = decodeToken(vault, token)
      assert.deepEqual(
        [decoded?.expiresAt, Buffer.from(decoded?.keyDigest ?? "")],
        [now + hour, Buffer.from(keyDigest)]
      )
      // Claims as an earlier version signed them, with the id of the key.
      const claims = `[1,${now + hour}]`
      const earlier = Buffer.concat([vault.mac("access-token", claims), Buffer.from(claims)]).toString("base64url")
      assert.isUndefined(decodeToken(vault, `tt_${earlier}`))
      const bytes = Buffer.from(token.slice(3), "base64url")
      for (let at = 0; at < bytes.length; at += 1) {
        const altered = Buffer.from(bytes)
        altered.writeUInt8(altered.readUInt8(at) ^ 1, at)
        assert.isUndefined(decodeToken(vault, `tt_${altered.toString("base64url")}`))
      }
      for (const other of ["", "tt_", "tt_AAAA", newToken(), token.slice(3)]) {
        assert.isUndefined(decodeToken(vault, other))
      }
      assert.isUndefined(decodeToken(new Vault(Buffer.alloc(32)), token))
    }).pipe(Effect.provide(stores))
  )

  it.live("reports when keys were last used, and never goes back in time", () =>
    Effect.gen(function* () {
      const store = yield* KeyStore
      const current = yield* CurrentVault
      const key = makeKey({ label: "SIEM" })
      const id = yield* store.create(key)
      const ring = new KeyRing(store, current)
      yield* ring.find(key.token, now)
      yield* ring.find(key.token, now + 1_000)
      assert.deepEqual(ring.takeUses(), [[id, now + 1_000]])
      assert.deepEqual(ring.takeUses(), [])
      yield* store.writeUses([[id, now + 1_000]])
      yield* store.writeUses([[id, now]])
      const [row] = yield* store.list
      assert.deepEqual([row?.label, row?.lastUsedAt], ["SIEM", "2026-01-01T00:00:01.000Z"])
    }).pipe(Effect.provide(stores))
  )
})
