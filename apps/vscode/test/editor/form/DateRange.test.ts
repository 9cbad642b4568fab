import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { endOf, faultOfEnd, faultOfStart, startOf } from "../../../src/editor/form/DateRange.ts"
import { editFilter } from "../../../src/events/search/EventFilterForm.ts"
import { EditorDouble } from "../../EditorDouble.ts"

it("accepts whole days and times, and no end before the start", () => {
  assert.strictEqual(startOf(" 2026-02-01 "), "2026-02-01T00:00:00Z")
  assert.strictEqual(endOf("2026-02-28"), "2026-02-28T23:59:59.999999Z")
  assert.strictEqual(endOf("2026-02-28T08:00:00Z"), "2026-02-28T08:00:00Z")
  assert.isUndefined(startOf(""))
  assert.isUndefined(faultOfEnd("2026-02-01", "2026-02-01"))
  assert.isUndefined(faultOfEnd("", "2026-02-01"))
  assert.match(faultOfStart("soon") ?? "", /not a date/u)
  assert.match(faultOfEnd("2026-01-31", "2026-02-01") ?? "", /before the first date/u)
})

it.effect("bounds the time of events by whole days", () =>
  Effect.gen(function* () {
    const editor = new EditorDouble()
    editor.answers.push("Time", "From … to …", "2026-02-01", "2026-02-28", "Apply")
    const filter = yield* editFilter({}, "Filter Events", "identifiers").pipe(Effect.provide(editor.layer))
    assert.deepStrictEqual(filter, {
      estimated_created_at: { gte: "2026-02-01T00:00:00Z", lte: "2026-02-28T23:59:59.999999Z" }
    })
    editor.answers.push("Time", "From … to …", "2026-02-01", "2026-01-31", "Apply")
    const refused = yield* Effect.exit(Effect.provide(editFilter({}, "Filter Events", "identifiers"), editor.layer))
    assert.match(Exit.isFailure(refused) ? Cause.pretty(refused.cause) : "", /before the first date/u)
  })
)
