import { assert, it } from "@effect/vitest"
import { LoadTargets, publishAll } from "@threat-exposure/service/load/LoadTarget"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { Effect } from "effect"
import { eventForTest, loadForTest, ServiceForTest } from "../ServiceForTest.ts"

const lines = (...records: ReadonlyArray<unknown>) => ({
  text: Buffer.from(records.map((record) => (typeof record === "string" ? record : JSON.stringify(record))).join("\n")),
  firstNumber: 1,
  format: { type: "lines" } as const
})

const recommendation = (id: number, type: string, status: string) => ({
  id,
  data: { type, fqdn: `${id}.example.com` },
  status,
  updated_at: "2026-01-01T00:00:00Z",
  relevancy: "HIGH"
})

const now = "2026-02-01T00:00:00Z"

describeOnEngines("Recommendations", ({ stores }) => {
  it.live("are replaced by a strict load when it is published", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const { recommendations } = yield* LoadTargets
      yield* loadForTest(
        recommendations(1),
        [1, 2].map((id) => recommendation(id, "domain", "recommended"))
      )
      const statuses = Effect.map(call(1, "GET", "/v4/identifier-recommendations/"), ({ body }) =>
        body.items.map(({ id, status }: { id: number; status: string }) => [id, status])
      )
      const former = [
        [1, "recommended"],
        [2, "recommended"]
      ]
      yield* Effect.gen(function* () {
        const target = yield* recommendations(1)({ keep: false, strict: true, now })
        const records = lines(recommendation(2, "domain", "rejected"), recommendation(3, "domain", "rejected"))
        const prepared = yield* Effect.promise(() => target.prepare(records))
        const publisher = yield* target.publisher
        yield* publisher.write(prepared)
        yield* publisher.flush
        assert.deepStrictEqual(yield* statuses, former)
        yield* Effect.flatten(publisher.publish)
      }).pipe(Effect.scoped)
      assert.deepStrictEqual(yield* statuses, [
        [1, "recommended"],
        [2, "rejected"],
        [3, "rejected"]
      ])
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )

  it.live("are loaded for a tenant, with invalid lines reported by number, and listed by type and status", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const { recommendations } = yield* LoadTargets
      const target = yield* recommendations(1)({ keep: false, strict: true, now })
      const prepared = yield* Effect.promise(() =>
        target.prepare(
          lines(
            recommendation(1, "domain", "recommended"),
            "{",
            recommendation(2, "email", "recommended"),
            { data: {}, status: "recommended" },
            recommendation(3, "domain", "rejected"),
            recommendation(4, "domain", "maybe")
          )
        )
      )
      assert.deepStrictEqual(
        prepared.refused.map(({ position, reason }) => [position, reason]),
        [
          ["line 2", "it is not JSON"],
          ["line 4", "id: Field required"],
          ["line 6", "status: Input should be 'recommended', 'accepted' or 'rejected'"]
        ]
      )
      const publisher = yield* target.publisher
      assert.strictEqual((yield* publishAll(publisher, [prepared])).added, 3)
      const again = yield* recommendations(1)({ keep: false, strict: false, now })
      yield* publishAll(yield* again.publisher, [prepared])

      const ids = (query: string, tenantId = 1) =>
        Effect.map(call(tenantId, "GET", `/v4/identifier-recommendations/${query}`), ({ body }) =>
          body.items.map(({ id }: { id: number }) => id)
        )
      assert.deepStrictEqual(yield* ids(""), [1, 2, 3])
      assert.deepStrictEqual(yield* ids("?types=domain"), [1, 3])
      assert.deepStrictEqual(yield* ids("?types=domain&types=email&status=recommended"), [1, 2])
      assert.deepStrictEqual(yield* ids("", 2), [])

      const first = yield* call(1, "GET", "/v4/identifier-recommendations/?size=2")
      assert.deepStrictEqual(first.body.items[0], recommendation(1, "domain", "recommended"))
      const from = encodeURIComponent(first.body.next)
      assert.deepStrictEqual(yield* ids(`?size=2&from=${from}`), [3])
      const refused = yield* call(1, "GET", `/v4/identifier-recommendations/?types=email&from=${from}`)
      assert.strictEqual(refused.status, 422)
      assert.deepStrictEqual(refused.body.detail[0].loc, ["query", "from"])
      for (const query of ["?size=0", "?size=101", "?types=ip", "?status=maybe"]) {
        assert.strictEqual((yield* call(1, "GET", `/v4/identifier-recommendations/${query}`)).status, 422)
      }
    }).pipe(Effect.scoped, Effect.provide(ServiceForTest.over(stores)))
  )

  it.live("are accepted, which creates each identifier once, or rejected", () =>
    Effect.gen(function* () {
      const { call, loadEvents } = yield* ServiceForTest
      const { recommendations } = yield* LoadTargets
      yield* loadForTest(recommendations(1), [
        recommendation(1, "domain", "recommended"),
        recommendation(2, "domain", "recommended"),
        { ...recommendation(3, "email", "recommended"), data: { type: "email", email: "jane@example.com" } },
        { ...recommendation(4, "domain", "recommended"), data: { type: "domain", fqdn: "1.Example.com" } },
        { ...recommendation(5, "domain", "recommended"), data: { type: "domain" } }
      ])
      yield* loadEvents(eventForTest(1, "paste", { content: "1.example.com and jane@example.com" }))
      yield* call(1, "POST", "/v2/assets/", { name: "2.example.com", type: "domain" })
      const path = "/v4/identifier-recommendations/"
      const act = (type: string, ids: ReadonlyArray<number>, tenantId = 1) =>
        call(tenantId, "POST", `${path}actions`, { targets: ids.map((id) => ({ id })), action: { type } })
      const statuses = () =>
        Effect.map(call(1, "GET", path), ({ body }) => body.items.map(({ status }: { status: string }) => status))
      const identifiers = (tenantId = 1) =>
        Effect.map(call(tenantId, "GET", "/v4/identifiers/"), ({ body }) =>
          body.items.map(({ data, enrichments }: any) => [data, enrichments?.event_count])
        )

      const missing = yield* act("accept", [1, 99, 98])
      assert.strictEqual(missing.status, 404)
      assert.match(missing.body.error.message, /: 99, 98$/u)
      assert.strictEqual((yield* act("reject", [1, 99])).status, 404)
      assert.strictEqual((yield* act("accept", [1], 2)).status, 404)
      assert.lengthOf(yield* identifiers(), 1)
      assert.deepStrictEqual(new Set(yield* statuses()), new Set(["recommended"]))

      const accepted = yield* act("accept", [1, 2, 3, 4, 5, 1])
      assert.deepStrictEqual([accepted.status, accepted.body], [200, undefined])
      const created = [
        [{ type: "domain", fqdn: "2.example.com" }, 0],
        [{ type: "domain", fqdn: "1.example.com" }, 1],
        [{ type: "email", email: "jane@example.com" }, 1]
      ]
      assert.deepStrictEqual(yield* identifiers(), created)
      yield* act("accept", [1])
      yield* act("reject", [1, 2])
      assert.deepStrictEqual(yield* statuses(), ["rejected", "rejected", "accepted", "accepted", "accepted"])
      yield* act("accept", [1])
      assert.deepStrictEqual(yield* identifiers(), created)
      assert.deepStrictEqual(yield* identifiers(2), [])

      // A service does not order its requests, so these are like requests to several services.
      const both = [6, 7]
      yield* loadForTest(
        recommendations(1),
        both.map((id) => ({ ...recommendation(id, "domain", "recommended"), data: { type: "domain", fqdn: "a.org" } }))
      )
      for (let round = 0; round < 2; round += 1) {
        yield* Effect.all([act("accept", both), act("accept", [7]), act("accept", [6])], { concurrency: 3 })
        const { items } = (yield* call(1, "GET", "/v4/identifiers/")).body
        const same = items.filter(({ data }: any) => data.fqdn === "a.org")
        assert.lengthOf(same, 1)
        // The next round has to create the identifier again.
        yield* call(1, "DELETE", `/v4/identifiers/${same[0].id}`)
      }
      assert.strictEqual((yield* act("maybe", [1])).status, 422)
      assert.strictEqual((yield* act("accept", [])).status, 422)
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )

  it.live("are searched by a text that their data contains", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const { recommendations } = yield* LoadTargets
      yield* loadForTest(
        recommendations(1),
        Array.from({ length: 2_100 }, (_, at) => ({
          ...recommendation(at, "domain", "recommended"),
          data: { type: "domain", fqdn: at % 1_000 === 0 ? `Shop${at}.example.com` : `${at}.example.org` }
        }))
      )
      const found: Array<number> = []
      let from = ""
      do {
        const path = `/v4/identifier-recommendations/?query=sHOP&size=2${from}`
        const { body } = yield* call(1, "GET", path)
        found.push(...body.items.map(({ id }: { id: number }) => id))
        from = body.next === null ? "" : `&from=${encodeURIComponent(body.next)}`
      } while (from !== "")
      assert.deepStrictEqual(found, [0, 1_000, 2_000])
      // The type is not searched as a text of the data.
      assert.lengthOf((yield* call(1, "GET", "/v4/identifier-recommendations/?query=domain")).body.items, 0)
    }).pipe(Effect.provide(ServiceForTest.over(stores)))
  )
})
