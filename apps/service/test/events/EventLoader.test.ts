import { assert, it } from "@effect/vitest"
import { LoadTargets, publishAll } from "@threat-exposure/service/load/LoadTarget"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { Effect, flow } from "effect"
import { eventForTest, ServiceForTest } from "../ServiceForTest.ts"

const opened = LoadTargets.use(({ events }) => events({ keep: false, strict: false, now: "2026-02-01T00:00:00Z" }))

const prepared = (...lines: ReadonlyArray<string>) =>
  Effect.flatMap(opened, ({ prepare }) =>
    Effect.promise(() =>
      prepare({ text: Buffer.from(lines.join("\n")), firstNumber: 10, format: { type: "lines" } as const })
    )
  )

describeOnEngines("loading events", ({ stores }) => {
  const provided = flow(Effect.scoped, Effect.provide(ServiceForTest.over(stores)))

  it.live("reports what is wrong with a line, and where, but never its content", () =>
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
        [
          event({}).replace('"data":{}', `"data":${"[".repeat(50_000)}${"]".repeat(50_000)}`),
          "nested more than 200 deep"
        ]
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

  it.live("accepts unknown types and fields, finds and returns them", () =>
    Effect.gen(function* () {
      const { call } = yield* ServiceForTest
      const line = JSON.stringify(eventForTest(1, "newly_invented", { deep: [{ note: "otter at 192.0.2.1" }] }))
      const batch = yield* prepared(line)
      const publisher = yield* (yield* opened).publisher
      assert.deepEqual(yield* publishAll(publisher, [batch]), { added: 1, replaced: 0, unchanged: 0 })
      assert.deepEqual(yield* publishAll(publisher, [batch]), { added: 0, replaced: 0, unchanged: 1 })
      const { body } = yield* call(1, "POST", "/v4/events/global/_search", { query: { type: "ip", ip: "192.0.2.1" } })
      assert.strictEqual(body.items[0].metadata.type, "newly_invented")
      assert.deepStrictEqual(body.items[0].highlights, { "deep.note": ["otter at <mark>192.0.2.1</mark>"] })
    }).pipe(provided)
  )
})
