import { assert, describe, it } from "@effect/vitest"
import { parse } from "@threat-exposure/leak-check/ignore/IgnoreFile"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { withIgnoreEntry, withoutIgnoreEntries } from "@threat-exposure/leak-check/ignore/IgnoreFileEdit"

const entry = { fingerprint: "0123456789abcdef", reason: 'rotated: "see" #4', expires: "2026-12-01" }

const added = (text: string) => withIgnoreEntry(text, entry) ?? "cannot be added"

describe("an entry of the ignore file", () => {
  const files = [
    { name: "no file", text: "", count: 1 },
    { name: "an empty list", text: "ignore: []\n", count: 1 },
    { name: "nothing but the key", text: "# why\nignore:\n", count: 1 },
    { name: "comments alone", text: "# nothing yet\n", count: 1 },
    {
      name: "other entries",
      text: "ignore:\n- fingerprint: fedcba9876543210 # old\n  reason: known\n  expires: 2026-11-30\n",
      count: 2
    },
    {
      name: "other entries, indented by four",
      text: "ignore:\n    - fingerprint: fedcba9876543210\n      reason: known\n      expires: 2026-11-30",
      count: 2
    }
  ]
  it.effect.each(files)("goes into $name, and the check reads it", ({ count, text }) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-20T00:00:00Z"))
      const { entries } = yield* parse(added(text), "ignore.yml")
      assert.strictEqual(entries.length, count)
      const last = entries.at(-1)
      assert.strictEqual(last?.fingerprint, entry.fingerprint)
      assert.strictEqual(last?.reason, entry.reason)
    })
  )

  it.effect("takes the place of the entry that has expired for the same value, wherever that stands", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-20T00:00:00Z"))
      const other = "- fingerprint: fedcba9876543210\n  reason: known\n  expires: 2026-11-30\n"
      const old = `- reason: "old: 1"\n  expires: 2026-01-01\n\n  fingerprint: "${entry.fingerprint}"\n`
      for (const text of [
        `ignore:\n${old}${other}`,
        `ignore:\r\n${other}${old}`.replaceAll(/\r?\n/gu, "\r\n"),
        `ignore:\n${old}`
      ]) {
        const { entries } = yield* parse(added(text), "ignore.yml")
        assert.deepStrictEqual(
          entries.map(({ fingerprint, reason }) => [fingerprint, reason]),
          text.includes("fedcba")
            ? [
                ["fedcba9876543210", "known"],
                [entry.fingerprint, entry.reason]
              ]
            : [[entry.fingerprint, entry.reason]]
        )
        assert.strictEqual(/(?<!\r)\n/u.test(added(text)), !text.includes("\r\n"))
      }
    })
  )

  it("is refused where the file is written in another way", () => {
    assert.isUndefined(withIgnoreEntry("ignore: [{ fingerprint: fedcba9876543210 }]", entry))
  })
})

describe("removing entries of the ignore file", () => {
  it("keeps comments and the other entries", () => {
    const text =
      "# why\nignore:\n  - fingerprint: fedcba9876543210 # old\n    reason: known\n    expires: 2026-11-30\n  # kept\n  - fingerprint: 0123456789abcdef\n    reason: other\n    expires: 2026-12-30\n"
    assert.strictEqual(
      withoutIgnoreEntries(text, ["fedcba9876543210"]),
      "# why\nignore:\n  # kept\n  - fingerprint: 0123456789abcdef\n    reason: other\n    expires: 2026-12-30\n"
    )
    assert.strictEqual(withoutIgnoreEntries(text, ["aaaaaaaaaaaaaaaa"]), text)
  })
})
