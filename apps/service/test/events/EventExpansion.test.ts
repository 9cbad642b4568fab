import { assert, it } from "@effect/vitest"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { Effect } from "effect"
import { eventForTest, ServiceForTest } from "../ServiceForTest.ts"

describeOnEngines("the expansion of a stealer log", ({ stores }) => {
  it.live("reads its lists page by page, from the first entry on", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      const credentials = Array.from({ length: 25 }, (_, at) => ({
        url: `https://${at}.example.com/`,
        username: `user${at}`,
        password: `password-${at}`
      }))
      yield* loadEvents(
        eventForTest(1, "stealer_log", {
          credentials,
          cookies: [
            { host_key: ".example.com", path: "/", expires_utc: 13_350_000_000_000_000, name: "sid", value: "s1" },
            "not an entry",
            { host_key: "a.example.com", expires_utc: "2026-01-01", name: ["x"], value: null, is_secure: true },
            { name: "b" }
          ]
        }),
        eventForTest(2, "stealer_log", { credentials: { items: [] } })
      )
      const ask = (tenantId: number, parameters: Record<string, string>) =>
        call(tenantId, "GET", `/v4/events/_expand?${String(new URLSearchParams(parameters))}`)
      const uid = "test/source/1"

      // An expansion, like the retrieve operation, also works for an event that matches no identifier of the tenant.
      const first = yield* ask(1, { uid, field: "credentials" })
      assert.deepStrictEqual(
        first.body.items,
        credentials.slice(0, 20).map(({ password, url, username }) => ({ url, username, password, application: null }))
      )
      const second = yield* ask(1, { uid, field: "credentials", from: first.body.next })
      assert.deepStrictEqual(
        second.body.items.map(({ username }: any) => username),
        ["user20", "user21", "user22", "user23", "user24"]
      )
      assert.isNull(second.body.next)
      const all = yield* ask(1, { uid, field: "credentials", size: "5", from: first.body.next })
      assert.strictEqual(all.body.items.length, 5)
      assert.isNull(all.body.next)

      assert.deepStrictEqual((yield* ask(1, { uid, field: "cookies" })).body, {
        items: [
          { host_key: ".example.com", path: "/", expires_utc: 13_350_000_000_000_000, name: "sid", value: "s1" },
          { host_key: "a.example.com", path: null, expires_utc: "2026-01-01", name: null, value: null },
          { host_key: "", path: null, expires_utc: null, name: "b", value: null }
        ],
        next: null
      })
      for (const field of ["credentials", "cookies"]) {
        assert.deepStrictEqual((yield* ask(1, { uid: "test/source/2", field })).body, { items: [], next: null })
      }

      assert.strictEqual((yield* ask(1, { uid: "test/source/3", field: "cookies" })).status, 404)
      const refused = yield* ask(1, { uid: "", field: "victims", size: "21" })
      assert.deepStrictEqual(
        refused.body.detail.map(({ loc }: any) => loc.join(".")),
        ["query.uid", "query.field", "query.size"]
      )
      for (const [tenantId, parameters] of [
        [2, { uid, field: "credentials" }],
        [1, { uid, field: "cookies" }],
        [1, { uid: "test/source/2", field: "credentials" }]
      ] as const) {
        const other = yield* ask(tenantId, { ...parameters, from: first.body.next })
        assert.strictEqual(other.status, 422)
        assert.deepStrictEqual(other.body.detail[0].loc, ["query", "from"])
      }
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})
