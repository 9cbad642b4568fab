import { assert, it } from "@effect/vitest"
import { LoadTargets } from "@threat-exposure/service/load/LoadTarget"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { Effect } from "effect"
import { loadForTest, ServiceForTest } from "../ServiceForTest.ts"

const path = "/v2/me/feed/credentials"

const credential = (id: number, identity_name: string, fields: object = {}) => ({
  id,
  identity_name,
  imported_at: new Date(Date.UTC(2026, 0, 1, 0, Math.floor(id / 2))).toISOString(),
  hash: `password-${id}`,
  credential_hash: `hash-${id}`,
  ...fields
})

describeOnEngines("the credentials of a tenant", ({ stores }) => {
  const helpers = Effect.gen(function* () {
    const { call } = yield* ServiceForTest
    const { credentials } = yield* LoadTargets
    const list = Effect.fnUntraced(function* (tenantId: number, parameters: Record<string, string> = {}) {
      const items: Array<any> = []
      let from: string | null = null
      do {
        const query: URLSearchParams = new URLSearchParams({ ...parameters, ...(from === null ? {} : { from }) })
        const { body, status }: { readonly body: any; readonly status: number } = yield* call(
          tenantId,
          "GET",
          `${path}?${String(query)}`
        )
        assert.strictEqual(status, 200, JSON.stringify(body))
        items.push(...body.items)
        from = body.next
      } while (from !== null)
      return items
    })
    return {
      call,
      list,
      ids: (tenantId: number, parameters?: Record<string, string>) =>
        Effect.map(list(tenantId, parameters), (items) => items.map(({ id }) => id as number)),
      load: (...records: ReadonlyArray<unknown>) => loadForTest(credentials, records),
      create: (tenantId: number, type: string, name: string, data?: object) =>
        call(tenantId, "POST", "/v2/assets/", { name, type, ...(data === undefined ? {} : { data }) }),
      act: (tenantId: number, type: string, ...hashes: ReadonlyArray<string>) =>
        call(tenantId, "POST", "/v4/credentials/actions", {
          targets: hashes.map((credential_hash) => ({ credential_hash })),
          action: { type }
        })
    }
  })

  it.live("are found by hundreds of names of several words", () =>
    Effect.gen(function* () {
      const { call, ids, load } = yield* helpers
      const names = Array.from({ length: 600 }, (_, at) => `jane.doe${at}`)
      yield* load(
        ...names.map((name, at) => credential(at + 1, `${name}@example.com`)),
        credential(9_000, "jane.other")
      )
      for (let at = 0; at < names.length; at += 15) {
        const attributes = names.slice(at, at + 15).map((username) => ({ type: "username", username }))
        const data = { type: "identity", attributes }
        const filters = { categories: ["paste"], emerging_categories: [], severities: [] }
        assert.strictEqual((yield* call(1, "POST", "/v4/identifiers/", { data, ...filters })).status, 200)
      }
      const all = names.map((_, at) => at + 1)
      for (const [order_type, expected] of [
        ["asc", all],
        ["desc", all.toReversed()]
      ] as const) {
        assert.deepStrictEqual(yield* ids(1, { order_type, size: "100" }), expected)
      }
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )

  it.live("are those that any identifier matches, each once, newest import first", () =>
    Effect.gen(function* () {
      const { create, ids, load } = yield* helpers
      yield* load(
        credential(1, "a@example.com"),
        credential(2, "b@mail.example.com"),
        credential(3, "c@notexample.com"),
        credential(4, "Jane.Doe@example.org"),
        credential(5, "jane.doe7@example.org"),
        credential(6, "jane.doe"),
        credential(7, "doe.jane@example.org"),
        credential(8, "d@example.net", { hash: "hunter22!" }),
        credential(9, "e@example.net", { hash: "Hunter22!" }),
        credential(10, "exact@example.net"),
        credential(11, "other@example.net"),
        credential(12, "login@example.net", { auth_domains: ["sso.example.com"] })
      )
      assert.deepStrictEqual(yield* ids(1), [])
      yield* create(1, "domain", "Example.com")
      assert.deepStrictEqual(yield* ids(1), [2, 1])
      yield* create(1, "username", "JANE.doe")
      assert.deepStrictEqual(yield* ids(1), [6, 4, 2, 1])
      yield* create(1, "secret", "hunter22!")
      yield* create(1, "email", "EXACT@example.net")
      // Some credentials match both domains.
      yield* create(1, "domain", "mail.example.com")
      yield* create(1, "keyword", "other")
      yield* create(1, "identity", "identity", { email: "other@example.net" })
      const expected = [11, 10, 8, 6, 4, 2, 1]
      assert.deepStrictEqual(yield* ids(1), expected)
      for (const size of ["1", "2", "3"]) {
        assert.deepStrictEqual(yield* ids(1, { size }), expected, size)
        assert.deepStrictEqual(yield* ids(1, { size, order_type: "asc" }), expected.toReversed(), size)
      }
      yield* create(2, "username", "exact@example.net")
      assert.deepStrictEqual(yield* ids(2), [10])
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )

  it.live("page stably while credentials are loaded and replaced", () =>
    Effect.gen(function* () {
      const { call, create, load } = yield* helpers
      yield* create(1, "domain", "example.com")
      yield* create(1, "domain", "a.example.com")
      yield* create(1, "secret", "shared")
      const records = Array.from({ length: 60 }, (_, id) =>
        credential(id, `u${id}@${["a.example.com", "example.com", "example.net"][id % 3]}`, {
          ...(id % 3 === 2 ? { hash: "shared" } : undefined),
          ...(id % 4 < 3 ? { imported_at: "2026-01-01T00:00:00Z" } : undefined)
        })
      )
      yield* load(...records)
      for (const order_type of ["asc", "desc"]) {
        const found: Array<number> = []
        let from: string | null = null
        do {
          const { body }: { readonly body: any } = yield* call(
            1,
            "GET",
            `${path}?size=7&order_type=${order_type}${from === null ? "" : `&from=${from}`}`
          )
          found.push(...body.items.map(({ id }: any) => id))
          from = body.next
          const at = found.length
          yield* load(
            // Replaces credentials by others with the same times, and adds new ones at both ends.
            ...records
              .slice(at, at + 10)
              .map(({ id, identity_name, ...fields }) =>
                credential(id, identity_name, { ...fields, source_id: `version ${at} ${order_type}` })
              ),
            credential(1_000_000 + at, "new@example.com", {
              imported_at: order_type === "asc" ? "2025-01-01T00:00:00Z" : "2027-01-01T00:00:00Z"
            })
          )
        } while (from !== null)
        const first = found.filter((id) => id < 1_000)
        assert.strictEqual(new Set(found).size, found.length)
        assert.deepStrictEqual(
          first.toSorted((a, b) => a - b),
          records.map(({ id }) => id)
        )
      }
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )

  it.live("have a state for each tenant", () =>
    Effect.gen(function* () {
      const { act, call, create, ids, list, load } = yield* helpers
      yield* load(
        credential(1, "a@example.com", { ignored_at: "2020-01-01T00:00:00Z" }),
        credential(2, "b@example.com"),
        credential(3, "c@example.com", { credential_hash: "hash-2" }),
        credential(4, "d@example.com", { credential_hash: null })
      )
      for (const tenantId of [1, 2]) yield* create(tenantId, "domain", "example.com")
      const states = (tenantId: number) =>
        Effect.map(list(tenantId), (items) =>
          items
            .filter((item) => "ignored_at" in item || "remediated_at" in item)
            .map(({ id, ignored_at, remediated_at }) => [
              id,
              ignored_at === undefined ? "" : "ignored",
              remediated_at === undefined ? "" : "remediated"
            ])
        )
      assert.deepStrictEqual(yield* states(1), [])
      assert.deepStrictEqual((yield* act(1, "ignore", "hash-1", "hash-2")).status, 200)
      assert.deepStrictEqual(yield* states(1), [
        [3, "ignored", ""],
        [2, "ignored", ""],
        [1, "ignored", ""]
      ])
      assert.deepStrictEqual(yield* states(2), [])
      yield* act(2, "remediate", "hash-1")
      assert.deepStrictEqual(yield* states(2), [[1, "", "remediated"]])
      const before = (yield* list(1)).find(({ id }) => id === 3).ignored_at
      assert.isString(before)
      yield* act(1, "ignore", "hash-2")
      assert.strictEqual((yield* list(1)).find(({ id }) => id === 3).ignored_at, before)
      yield* act(1, "remediate", "hash-2")
      yield* act(1, "unremediate", "hash-1")
      assert.deepStrictEqual(yield* states(1), [
        [3, "", "remediated"],
        [2, "", "remediated"],
        [1, "ignored", ""]
      ])
      yield* act(1, "unignore", "hash-1")
      yield* act(1, "unremediate", "hash-2", "hash-2")
      assert.deepStrictEqual(yield* states(1), [])
      assert.deepStrictEqual(yield* ids(1), [4, 3, 2, 1])

      const refused = yield* act(1, "ignore", "hash-1", "hash-9", "hash-8")
      assert.strictEqual(refused.status, 404)
      assert.include(refused.body.error.message, "hash-9, hash-8")
      assert.deepStrictEqual(yield* states(1), [])
      const invalid = yield* call(1, "POST", "/v4/credentials/actions", { targets: [], action: { type: "forget" } })
      assert.strictEqual(invalid.status, 422)
      const page = (yield* call(1, "GET", `${path}?size=1`)).body
      assert.strictEqual((yield* call(2, "GET", `${path}?size=1&from=${page.next}`)).status, 422)
      assert.strictEqual((yield* call(1, "GET", `${path}?size=1&order_type=asc&from=${page.next}`)).status, 422)
      assert.strictEqual((yield* call(1, "GET", `${path}?size=101`)).status, 422)
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})
