/** Tests the formatting of times, in a time zone west of Greenwich. */
import { afterAll, afterEach, assert, beforeAll, describe, it, vi } from "vitest"

// Formats keep the time zone of their creation, so the module is loaded again.
beforeAll(() => {
  vi.stubEnv("TZ", "Pacific/Honolulu")
  vi.resetModules()
})
afterAll(() => {
  vi.unstubAllEnvs()
  vi.resetModules()
})

describe("an age in words", () => {
  afterEach(() => vi.resetModules())

  it.each<readonly [string, ReadonlyArray<string>]>([
    ["en", ["1 day ago", "2 months ago", "2 minutes ago", "now"]],
    ["fr", ["il y a 1 jour", "il y a 2 mois", "il y a 2 minutes", "maintenant"]]
  ])("tells months from minutes, and no seconds, in %s", async (language, expected) => {
    const { speak } = await import("../../src/words/Localisation.ts")
    speak((message) => message, language)
    const { ageOf } = await import("../../src/words/Dates.ts")
    const now = Date.parse("2026-11-22T12:00:00Z")
    const times = ["2026-11-21T11:00:00Z", "2026-09-15T12:00:00Z", "2026-11-22T11:58:00Z", "2026-11-22T11:59:30Z"]
    const ages = times.map((at) => ageOf(at, now))
    assert.deepStrictEqual(ages, [...expected])
  })
})

describe("a date without a time", () => {
  it("is shown as the same day in every time zone, without a time", async () => {
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
