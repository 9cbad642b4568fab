import { assert, it } from "@effect/vitest"
import { Authorization } from "@threat-exposure/service/access/Authorization"
import { newToken } from "@threat-exposure/service/keys/ApiKeys"
import { KeyStore } from "@threat-exposure/service/keys/KeyStore"
import { RequestRecord } from "@threat-exposure/service/requests/ServedRequest"
import { Settings } from "@threat-exposure/service/Settings"
import { describeOnSqlite } from "@threat-exposure/service/testing/Engines"
import { Clock, Context, DateTime, Effect, Layer } from "effect"

const second = 1_000
const year = 365 * 24 * 60 * 60 * second

const record = () => new RequestRecord(undefined, undefined)

describeOnSqlite("the exchange of an API key", ({ stores }) => {
  it.live("says how long it can be repeated, in seconds: for a year, or until the key expires", () =>
    Effect.gen(function* () {
      const store = yield* KeyStore
      const authorization = yield* Authorization
      const exchange = Effect.fnUntraced(function* (more: { readonly expiresAt?: string }) {
        const token = newToken()
        const created = { token, tenantId: 7, permissions: ["Read Tenant"], createdAt: "2026-01-01T00:00:00Z" } as const
        yield* store.create({ ...created, ...more })
        const { answer, tenantId } = yield* authorization.exchange(token, record())
        assert.strictEqual(tenantId, 7)
        return answer
      })
      const before = yield* Clock.currentTimeMillis
      const { refresh_token_exp, token } = yield* exchange({})
      const after = yield* Clock.currentTimeMillis
      assert.isAtLeast(refresh_token_exp, Math.floor((before + year) / second))
      assert.isAtMost(refresh_token_exp, Math.floor((after + year) / second))
      const expiry = Math.floor((before + year / 2) / second)
      const expiresAt = DateTime.formatIso(DateTime.makeUnsafe(expiry * second + 900))
      assert.strictEqual((yield* exchange({ expiresAt })).refresh_token_exp, expiry)
      for (const refused of ["", "nonsense", token]) {
        assert.strictEqual((yield* Effect.flip(authorization.exchange(refused, record())))._tag, "Unauthorized")
      }
    }).pipe(Effect.provide(Authorization.layer.pipe(Layer.provideMerge(stores))), Effect.scoped)
  )
})

describeOnSqlite("The rate of a tenant", ({ stores }) => {
  it.live("does not depend on a clock that is set back", () =>
    Effect.gen(function* () {
      const key = newToken()
      const created = {
        token: key,
        tenantId: 7,
        permissions: ["Read Tenant"],
        createdAt: "2026-01-01T00:00:00Z"
      } as const
      yield* (yield* KeyStore).create(created)
      const real = yield* Clock.Clock
      let offset = 0
      const clock: Clock.Clock = Object.assign(Object.create(real), {
        currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() + offset
      })
      const settings = { ...(yield* Settings), rates: { basic: 1, search: undefined } }
      const given = Layer.merge(Layer.succeed(Clock.Clock, clock), Layer.succeed(Settings, settings))
      const built = yield* Layer.build(Layer.provide(Authorization.layer, given))
      const authorization = Context.get(built, Authorization)
      const call = Effect.suspend(() => authorization.authorize({ method: "GET" }, key, record()))
      yield* call
      assert.strictEqual((yield* Effect.flip(call))._tag, "RateLimited")
      offset = -60 * 60 * second
      const wait = yield* Effect.match(call, {
        onFailure: (failure) => (failure._tag === "RateLimited" ? failure.retryAfter : undefined),
        onSuccess: () => 0
      })
      assert.include([0, 1], wait)
    }).pipe(Effect.provide(stores), Effect.scoped)
  )
})
