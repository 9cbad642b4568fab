import { assert, it } from "@effect/vitest"
import { LoadTargets, publishAll } from "@threat-exposure/service/load/LoadTarget"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { Effect } from "effect"
import { ServiceForTest } from "../ServiceForTest.ts"

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
})
