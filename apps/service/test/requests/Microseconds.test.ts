import { assert, describe, it } from "@effect/vitest"
import { microsecondsOf } from "@threat-exposure/service/requests/Microseconds"

describe("microsecondsOf", () => {
  const second = Date.parse("2026-03-04T05:06:07Z") * 1_000

  for (const [timestamp, microseconds] of [
    ["2026-03-04T05:06:07Z", second],
    ["2026-03-04T05:06:07", second],
    ["2026-03-04T05:06:07.5Z", second + 500_000],
    ["2026-03-04T05:06:07.000001Z", second + 1],
    ["2026-03-04T05:06:07.123456789Z", second + 123_456],
    ["2026-03-04T05:06:07.123456+00:00", second + 123_456],
    ["2026-03-04T07:06:07.000001+02:00", second + 1],
    ["2026-03-04 05:06:07", second],
    ["2026-03-04", Date.parse("2026-03-04T00:00:00Z") * 1_000],
    ["1969-12-31T23:59:59.999999Z", -1],
    ["9999-12-31T23:59:59.999999Z", 2 ** 53 - 2 ** 24],
    ["9999-12-31T23:59:59-23:59", 2 ** 53 - 2 ** 24],
    ["0001-01-01T00:00:00Z", -(2 ** 53) + 2 ** 24],
    ["0000-01-01T00:00:00+14:00", -(2 ** 53) + 2 ** 24]
  ] as const) {
    it(`reads ${timestamp}`, () => assert.strictEqual(microsecondsOf(timestamp), microseconds))
  }

  for (const text of ["", "yesterday", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-03-04T25:00:00Z"]) {
    it(`does not read ${JSON.stringify(text)}`, () => assert.isUndefined(microsecondsOf(text)))
  }
})
