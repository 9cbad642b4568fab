import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import { instantOf, durationOf } from "@threat-exposure/leak-check/config/TimeInput"

const now = DateTime.makeUnsafe("2026-11-20T12:00:00Z")
const moment = (text: string) => {
  const found = instantOf(text, now)
  return found === undefined ? undefined : DateTime.formatIso(found)
}

describe("durationOf", () => {
  it("reads seconds, minutes, hours, days and weeks", () => {
    assert.deepStrictEqual(
      ["90s", "10m", "2h", "30d", "4w"].map((text) => Duration.toSeconds(durationOf(text) ?? Duration.zero)),
      [90, 600, 7200, 2_592_000, 2_419_200]
    )
  })

  it("refuses zero, other units, signs, fractions and anything around it", () => {
    for (const text of ["0s", "5", "5y", "-5d", "1.5h", " 5d", "5d\n", "1h30m", "5D", "9999999d", ""]) {
      assert.isUndefined(durationOf(text), text)
    }
  })
})

describe("instantOf", () => {
  it("reads dates, date-times and spans before now", () => {
    assert.strictEqual(moment("2026-01-31"), "2026-01-31T00:00:00.000Z")
    assert.strictEqual(moment("2026-01-31T08:30"), "2026-01-31T08:30:00.000Z")
    assert.strictEqual(moment("2026-01-31T08:30:00+02:00"), "2026-01-31T06:30:00.000Z")
    assert.strictEqual(moment("30d"), "2026-10-21T12:00:00.000Z")
  })

  it("refuses days that do not exist, the future, and other spellings", () => {
    for (const text of [
      "2026-02-30",
      "2026-13-01",
      "2027-01-01",
      "2026-1-1",
      "31.01.2026",
      "yesterday",
      "2026-01-31T25:00",
      "1700000000"
    ]) {
      assert.isUndefined(moment(text), text)
    }
  })
})
