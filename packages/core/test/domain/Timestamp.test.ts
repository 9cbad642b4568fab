import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import {
  DateOrTimestamp,
  fromMicroseconds,
  Timestamp,
  toDateTime,
  toMicroseconds,
  toSortable
} from "@threat-exposure/core/domain/Timestamp"

const moment = "2026-01-02T03:04:05.678Z"
const spellings = {
  "without a zone, which means UTC": ["2026-01-02T03:04:05.678901", moment],
  "with Z": ["2026-01-02T03:04:05.678Z", moment],
  "with microseconds and Z": ["2026-01-02T03:04:05.678901Z", moment],
  "with +00:00": ["2026-01-02T03:04:05.678+00:00", moment],
  "with another offset": ["2026-01-02T05:04:05.678+0200", moment],
  "with an hour's offset": ["2026-01-02T01:04:05.678-02", moment],
  "at the end of a day, with the widest offset": ["2026-01-02T23:59:59+23:59", "2026-01-02T00:00:59.000Z"],
  "with a space": ["2026-01-02 03:04:05.678", moment],
  "to the second": ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"],
  "to the minute": ["2026-01-02T03:04", "2026-01-02T03:04:00.000Z"],
  "of a leap day": ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
  "of the leap day of a fourth century": ["2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000Z"],
  "of the last day of a year": ["2026-12-31T00:00:00Z", "2026-12-31T00:00:00.000Z"]
} as const

const nonsense = [
  "",
  "now",
  "1700000000",
  "2026-1-2T03:04:05Z",
  "2026-00-01T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-01-00T00:00:00Z",
  "2026-01-32T00:00:00Z",
  "2026-02-29T00:00:00Z",
  "2024-02-30T00:00:00Z",
  "2100-02-29T00:00:00Z",
  "2026-04-31T00:00:00Z",
  "2026-01-01T24:00:00Z",
  "2026-01-01T00:60:00Z",
  "2026-01-01T00:00:60Z",
  "2026-01-01T00:00:00+24:00",
  "2026-01-01T00:00:00+00:60",
  "2026-01-01T",
  "2026-01-01T00:00:00Z; drop"
]

describe("a timestamp", () => {
  for (const [name, [text, iso]] of Object.entries(spellings)) {
    it(`is read ${name}`, () => {
      assert.isTrue(Schema.is(Timestamp)(text))
      assert.deepStrictEqual(Option.map(toDateTime(text), DateTime.formatIso), Option.some(iso))
    })
  }

  it("can be a date alone if that is allowed", () => {
    assert.isFalse(Schema.is(Timestamp)("2026-01-02"))
    assert.isTrue(Schema.is(DateOrTimestamp)("2026-01-02"))
    assert.deepStrictEqual(
      Option.map(toDateTime("2026-01-02"), DateTime.formatIso),
      Option.some("2026-01-02T00:00:00.000Z")
    )
  })

  for (const text of nonsense) {
    it(`is not ${JSON.stringify(text)}`, () => {
      assert.isFalse(Schema.is(Timestamp)(text))
      assert.isFalse(Schema.is(DateOrTimestamp)(text))
      assert.isTrue(Option.isNone(toDateTime(text)))
    })
  }

  it("sorts to the microsecond, whatever its zone", () => {
    const ordered = ["2026-01-02T05:04:05.678900+02:00", "2026-01-02T03:04:05.678901Z", "2026-01-02 03:04:05.67891"]
    assert.deepStrictEqual(ordered.map(toSortable).toSorted(), ordered.map(toSortable))
    assert.strictEqual(toSortable(ordered[0] ?? ""), "2026-01-02T03:04:05.678900000Z")
  })

  it("writes a time in UTC as one with a zone", () => {
    for (const [text, sortable] of [
      ["2026-01-02T03:04:05.5Z", "2026-01-02T03:04:05.500000000Z"],
      ["2026-01-02t03:04:05,5z", "2026-01-02T03:04:05.500000000Z"],
      ["2026-01-02 03:04", "2026-01-02T03:04:00.000000000Z"],
      ["2026-01-02", "2026-01-02T00:00:00.000000000Z"],
      ["2026-01-02T04:04:05.5+01:00", "2026-01-02T03:04:05.500000000Z"],
      ["2026-02-30T00:00:00Z", "2026-02-30T00:00:00Z"]
    ] as const) {
      assert.strictEqual(toSortable(text), sortable)
    }
  })

  it("sorts at the first and last possible times, whatever its zone", () => {
    assert.strictEqual(toSortable("9999-12-31T23:59:59.5-01:00"), "9999-12-31T23:59:59.999999999Z")
    assert.strictEqual(toSortable("0000-01-01T00:00:00+01:00"), "0000-01-01T00:00:00.000000000Z")
  })

  it.each([
    ["1970-01-01T00:00:01.000002Z", 1_000_002, "1970-01-01T00:00:01.000002Z"],
    ["1969-12-31T23:59:59.9Z", -100_000, "1969-12-31T23:59:59.9Z"],
    ["2026-01-02T05:04:05.678901999+02:00", 1_767_323_045_678_901, "2026-01-02T03:04:05.678901Z"],
    ["2026-01-02", 1_767_312_000_000_000, "2026-01-02T00:00:00Z"],
    ["0000-01-01T00:00:00+01:00", -62_167_219_200_000_000, "0000-01-01T00:00:00Z"],
    ["9999-12-31T23:59:59.999999-01:00", 253_402_300_799_000_000, "9999-12-31T23:59:59Z"]
  ] as const)("of %s is a number of microseconds", (text, microseconds, utc) => {
    assert.strictEqual(toMicroseconds(text), microseconds)
    assert.strictEqual(fromMicroseconds(microseconds), utc)
  })

  it("of no time is no number, and a number that is not finite no time", () => {
    for (const text of nonsense) assert.isNaN(toMicroseconds(text))
    for (const number of [Number.NaN, Infinity, -Infinity]) assert.strictEqual(fromMicroseconds(number), "")
  })
})
