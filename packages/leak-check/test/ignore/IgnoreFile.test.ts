import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as IgnoreFile from "@threat-exposure/leak-check/ignore/IgnoreFile"
import { now } from "../samples.ts"

const parse = Effect.fnUntraced(function* (...lines: ReadonlyArray<string>) {
  yield* TestClock.setTime(DateTime.toEpochMillis(now))
  return yield* IgnoreFile.parse(lines.join("\n"), ".threat-exposure-ignore.yml")
})

const faultsOf = (...lines: ReadonlyArray<string>) =>
  Effect.map(Effect.flip(parse(...lines)), ({ faults }) => faults.map(({ line, message }) => `${line} ${message}`))

const entry = (fields: Record<string, string>) =>
  Object.entries(fields).map(([key, value], i) => `  ${i === 0 ? "-" : " "} ${key}: ${value}`)

describe("IgnoreFile", () => {
  it.effect("reads entries with their lines", () =>
    Effect.gen(function* () {
      const { entries } = yield* parse(
        "# what we know",
        "ignore:",
        "  - fingerprint: 0123456789abcdef",
        "    reason: rotated on 2026-11-02, see the incident report",
        "    expires: 2027-02-01       # at most a year ahead",
        "    by: security@example.com  # optional",
        "",
        "  - { fingerprint: fedcba9876543210, reason: x, expires: 2027-11-20 }"
      )
      assert.deepStrictEqual(entries, [
        {
          fingerprint: "0123456789abcdef",
          reason: "rotated on 2026-11-02, see the incident report",
          expires: "2027-02-01",
          by: "security@example.com",
          line: 3
        },
        { fingerprint: "fedcba9876543210", reason: "x", expires: "2027-11-20", by: undefined, line: 8 }
      ])
    })
  )

  it.effect("a fingerprint that looks like a number is kept as text", () =>
    Effect.gen(function* () {
      const { entries } = yield* parse(
        "ignore:",
        ...entry({ fingerprint: "0000000000000123", reason: "x", expires: "2027-01-01" }),
        ...entry({ fingerprint: "12345678901234e5", reason: "x", expires: "2027-01-01" })
      )
      assert.deepStrictEqual(
        entries.map(({ fingerprint }) => fingerprint),
        ["0000000000000123", "12345678901234e5"]
      )
    })
  )

  it.effect("an empty file, a comment and an empty list ignore nothing", () =>
    Effect.gen(function* () {
      for (const text of ["", "# nothing yet", "ignore:", "ignore: []", "---\nignore:\n"]) {
        assert.deepStrictEqual((yield* parse(text)).entries, [])
      }
    })
  )

  it.effect("every fault is named with its line, all at once", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* faultsOf(
          "ignore:",
          "  - fingerprint: 0123456789abcdef",
          "    expires: 2027-02-01",
          "  - fingerprint: 0123456789abcdee",
          "    reason: rotated",
          "  - fingerprint: 0123456789abcded",
          "    reason: rotated",
          "    expires: 2027-02-01",
          "    until: 2027-02-01",
          "  - fingerprint: hunter2",
          "    reason: ' '",
          "    expires: tomorrow",
          "ignored: []"
        ),
        [
          '2 "reason": this key is missing',
          '4 "expires": this key is missing',
          '9 "until": this key is not known; the keys here are fingerprint, reason, expires, by',
          '10 "fingerprint": must be sixteen hexadecimal digits, as the report gives them',
          '11 "reason": must say why the leak can be ignored',
          '12 "expires": must be a date such as 2027-02-01',
          '13 "ignored": this key is not known; the keys here are ignore'
        ]
      )
    })
  )

  it.effect("an end more than a year ahead, a day that does not exist, an entry twice", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* faultsOf("ignore:", ...entry({ fingerprint: "0123456789abcdef", reason: "x", expires: "2027-11-21" })),
        ['4 "expires": must be at most a year ahead: 2027-11-20 or earlier']
      )
      assert.deepStrictEqual(
        yield* faultsOf("ignore:", ...entry({ fingerprint: "0123456789abcdef", reason: "x", expires: "2027-02-30" })),
        ['4 "expires": must be a day that exists, such as 2027-02-01']
      )
      const twice = entry({ fingerprint: "0123456789abcdef", reason: "x", expires: "2027-01-01" })
      assert.deepStrictEqual(yield* faultsOf("ignore:", ...twice, ...twice), [
        '5 "fingerprint": the same as on line 2; keep one of the two'
      ])
    })
  )

  it.effect("invalid YAML or another shape is reported without being quoted", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* faultsOf("ignore:", "  - fingerprint: 'hunter2"), [
        "2 a closing quote or bracket is missing"
      ])
      assert.deepStrictEqual(yield* faultsOf("ignore:", "ignore:"), ["2 this key is given twice"])
      const mapping = "must be a mapping, one `key: value` a line"
      const unquoted = "a value that begins with `*`, `!`, `@`, `%` or a backtick must stand between quotes"
      const list = '1 "ignore": this must be a list of entries, each after a `-`'
      for (const [text, fault] of [
        ["- hunter2", `1 this is a list, and ${mapping}`],
        ["hunter2", `1 this is text, and ${mapping}`],
        ["ignore: hunter2", list],
        ["ignore:\n  hunter2: 1", list],
        ["ignore:\n  - hunter2", `2 "ignore": this is text, and ${mapping}`],
        ["ignore:\n  - []", `2 "ignore": this is a list, and ${mapping}`],
        [
          "ignore:\n  - fingerprint:\n      - hunter2\n    reason: x\n    expires: 2027-01-01",
          '2 "fingerprint": this is a list, and must be text'
        ],
        ["ignore: [", "1 the indentation is inconsistent, or a closing bracket is missing"],
        ["ignore:\n  - *hunter2", `2 ${unquoted}`],
        ["ignore:\n  - **", `2 ${unquoted}`],
        ["ignore: !hunter2", `1 ${unquoted}`],
        ["ignore:\n  - !hunter2/**", `2 ${unquoted}`],
        ["ignore:\n  - @hunter2", `2 ${unquoted}`],
        ["ignore:\n---\nignore:", "2 one YAML document is expected, not several"]
      ] as const) {
        assert.deepStrictEqual(yield* faultsOf(text), [fault])
      }
      const error = yield* Effect.flip(parse("ignore:", "  - a"))
      assert.match(error.message, /^\.threat-exposure-ignore\.yml:2: /)
    })
  )

  it.effect("says which entries a change adds", () =>
    Effect.gen(function* () {
      const one = entry({ fingerprint: "0123456789abcdef", reason: "x", expires: "2027-01-01" })
      const two = entry({ fingerprint: "0123456789abcdee", reason: "x", expires: "2027-01-01" })
      const base = yield* parse("ignore:", ...one)
      const head = yield* parse("ignore:", ...two, ...one)
      assert.deepStrictEqual(IgnoreFile.addedFingerprints(base, head), ["0123456789abcdee"])
    })
  )
})
