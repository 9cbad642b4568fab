/** Times as a person reads them, west of Greenwich. */
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"

// Formats keep the zone that they were made in, so the module is loaded anew.
beforeAll(() => {
  vi.stubEnv("TZ", "Pacific/Honolulu")
  vi.resetModules()
})
afterAll(() => {
  vi.unstubAllEnvs()
  vi.resetModules()
})

describe("a date without a time", () => {
  it("is shown as this day in every time zone, and without a time", async () => {
    const { localDate, localTime } = await import("../../src/words/Dates.ts")
    assert.strictEqual(localTime("2026-11-22"), "Nov 22, 2026")
    assert.strictEqual(localDate("2026-11-22"), "Nov 22, 2026")
  })

  it("differs from a time at midnight, which is shown in the zone of the reader", async () => {
    const { localDate, localTime } = await import("../../src/words/Dates.ts")
    assert.match(localTime("2026-11-22T00:00:00Z"), /^Nov 21, 2026, 2:00\sPM$/u)
    assert.strictEqual(localDate("2026-11-22T00:00:00Z"), "Nov 21, 2026")
  })
})
