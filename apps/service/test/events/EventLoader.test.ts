import { assert, describe, it } from "@effect/vitest"
import { eventLoader, prepareEvents } from "@threat-exposure/service/events/EventLoader"
import { publishWhole } from "@threat-exposure/service/load/Publication"
import { Effect } from "effect"
import { eventForTest, ServiceForTest } from "../ServiceForTest.ts"

const prepared = (...lines: ReadonlyArray<string>) =>
  ServiceForTest.use(({ database }) =>
    Effect.sync(() =>
      prepareEvents.run(database, {
        text: Buffer.from(lines.join("\n")),
        firstNumber: 10,
        format: { type: "lines" } as const
      })
    )
  )

const provided = Effect.provide(ServiceForTest.layer)

describe("prepareEvents", () => {
  it.effect("says what is wrong with a line, and where, but never what is in it", () =>
    Effect.gen(function* () {
      const event = (data: unknown, metadata = {}) =>
        JSON.stringify(eventForTest(1, "leaked_credential", data, metadata))
      const bad: ReadonlyArray<readonly [line: string, told: string]> = [
        ['{"password": "hunter2', "not JSON"],
        ["[]", ""],
        [JSON.stringify({ event_type: "paste", data: {} }), "metadata"],
        [event({ password: ["hunter2"] }), "data.password"],
        [event({ identity_name: { hunter2: 1 } }), "data.identity_name"],
        [event({}, { estimated_created_at: "hunter2" }), "metadata.estimated_created_at"],
        [event({}, { severity: "hunter2" }), "metadata.severity"],
        [event({}, { uid: "" }), "metadata.uid"],
        [event({}).replace('"data":{}', `"data":${"[".repeat(50_000)}${"]".repeat(50_000)}`), "within one another"]
      ]
      const { count, refused } = yield* prepared(...bad.map(([line]) => line), "", event({ password: "hunter2" }))
      assert.strictEqual(count, 1)
      assert.lengthOf(refused, bad.length)
      for (const [index, { position, reason }] of refused.entries()) {
        assert.strictEqual(position, `line ${10 + index}`)
        assert.include(reason, bad[index]?.[1] ?? "")
        assert.notInclude(reason, "hunter2")
        assert.notInclude(reason, "event_type")
      }
    }).pipe(provided)
  )

  it.effect("takes types and fields it does not know, finds and gives them", () =>
    Effect.gen(function* () {
      const { call, database } = yield* ServiceForTest
      const line = JSON.stringify(eventForTest(1, "newly_invented", { deep: [{ note: "otter at 192.0.2.1" }] }))
      const { batch } = yield* prepared(line)
      const load = (now: string) => publishWhole(database, eventLoader.store, [batch], now)
      assert.deepEqual(load("2026-02-01T00:00:00Z"), { added: 1, replaced: 0, unchanged: 0 })
      assert.deepEqual(load("2026-02-02T00:00:00Z"), { added: 0, replaced: 0, unchanged: 1 })
      const { body } = yield* call(1, "POST", "/v4/events/global/_search", { query: { type: "ip", ip: "192.0.2.1" } })
      assert.strictEqual(body.items[0].metadata.type, "newly_invented")
      assert.deepStrictEqual(body.items[0].highlights, { "deep.note": ["otter at <mark>192.0.2.1</mark>"] })
    }).pipe(provided)
  )
})
