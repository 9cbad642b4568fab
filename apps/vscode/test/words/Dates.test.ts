/** Times as a person reads them. */
import { assert, beforeAll, describe, it, vi } from "vitest"
import { localDate, localTime } from "../../src/words/Dates.ts"

// Formats keep the zone that they were made in.
beforeAll(() => {
  vi.stubEnv("TZ", "Pacific/Honolulu")
})

describe("a date without a time", () => {
  it("is shown as this day in every time zone, and without a time", () => {
    assert.strictEqual(localTime("2026-11-22"), "Nov 22, 2026")
    assert.strictEqual(localDate("2026-11-22"), "Nov 22, 2026")
  })

  it("differs from a time at midnight, which is shown in the zone of the reader", () => {
    assert.match(localTime("2026-11-22T00:00:00Z"), /^Nov 21, 2026, 2:00\sPM$/u)
    assert.strictEqual(localDate("2026-11-22T00:00:00Z"), "Nov 21, 2026")
  })
})
