import { assert, describe, it } from "@effect/vitest"
import { parse } from "@threat-exposure/leak-check/ignore/IgnoreFile"
import { withIgnoreEntry, withoutIgnoreEntries } from "@threat-exposure/leak-check/ignore/IgnoreFileEdit"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const entry = { fingerprint: "0123456789abcdef", reason: 'rotated: "see" #4', expires: "2026-12-01" }
const item = `- fingerprint: ${entry.fingerprint}
  reason: "rotated: \\"see\\" #4"
  expires: 2026-12-01
`
const other = "- fingerprint: fedcba9876543210 # old\n  reason: known\n  expires: 2026-11-30\n"
const indented = (text: string, by: string) => text.replaceAll(/^(?=.)/gmu, by)

const today = TestClock.setTime(Date.parse("2026-11-20T00:00:00Z"))

describe("an entry of the ignore file", () => {
  const files = [
    { name: "no file", text: "", written: `ignore:\n${indented(item, "  ")}` },
    {
      name: "an empty list",
      text: "ignore: [] # none\n# end\n",
      written: `ignore: # none\n${indented(item, "  ")}# end\n`
    },
    { name: "nothing but the key", text: "# why\nignore:", written: `# why\nignore:\n${indented(item, "  ")}` },
    { name: "a key with an empty value", text: "ignore: ''\n", written: `ignore:\n${indented(item, "  ")}` },
    { name: "comments alone", text: "# nothing yet\n", written: `# nothing yet\nignore:\n${indented(item, "  ")}` },
    { name: "other entries", text: `ignore:\n${other}`, written: `ignore:\n${other}${item}` },
    {
      name: "other entries, indented by four, without a last line break",
      text: `ignore:\n${indented(other, "    ")}`.trimEnd(),
      written: `ignore:\n${indented(other, "    ")}${indented(item, "    ")}`
    },
    {
      name: "a document with an end",
      text: `--- # ours\nignore:\n${other}\n# end\n...\n`,
      written: `--- # ours\nignore:\n${other}${item}\n# end\n...\n`
    },
    {
      name: "a list in brackets",
      text: "ignore: [{ fingerprint: fedcba9876543210, reason: known, expires: 2026-11-30 }] # ours\n",
      written: `ignore: [{ fingerprint: fedcba9876543210, reason: known, expires: 2026-11-30 }, { ${item.slice(2, -1).replaceAll("\n  ", ", ")} }] # ours\n`
    }
  ]
  it.effect.each(files)("goes into $name", ({ text, written }) =>
    Effect.gen(function* () {
      yield* today
      assert.strictEqual(yield* withIgnoreEntry(text, entry, "ignore.yml"), written)
      const windows = (text: string) => text.replaceAll("\n", "\r\n")
      if (text.includes("\n")) {
        assert.strictEqual(yield* withIgnoreEntry(windows(text), entry, "ignore.yml"), windows(written))
      }
    })
  )

  const earlier = [
    {
      name: "in another order",
      text: `- reason: "old: 1"\n  expires: 2026-01-01\n\n  fingerprint: "${entry.fingerprint}"\n`
    },
    {
      name: "with keys in quotes",
      text: `- "fingerprint": ${entry.fingerprint}\n  'reason': old\n  expires: 2026-01-01\n`
    },
    {
      name: "in braces",
      text: `- { reason: "see #4", fingerprint: ${entry.fingerprint}, expires: 2026-01-01 } # old\n`
    },
    {
      name: "below its dash",
      text: `-\n  # old\n  fingerprint: ${entry.fingerprint}\n  reason: old\n  expires: 2026-01-01\n`
    },
    {
      name: "with a reason of several lines",
      text: `- fingerprint: ${entry.fingerprint}\n  reason: |\n    - fingerprint: aaaaaaaaaaaaaaaa\n    old\n  expires: 2026-01-01\n`
    }
  ]
  it.effect.each(earlier)("replaces the entry for the same value, $name", ({ text }) =>
    Effect.gen(function* () {
      yield* today
      for (const [before, written] of [
        [`ignore:\n${text}${other}`, `ignore:\n${other}${item}`],
        [`ignore:\n${other}# kept\n${text}`, `ignore:\n${other}${item}# kept\n`],
        [`ignore:\n${text}`, `ignore:\n${indented(item, "  ")}`]
      ] as const) {
        assert.strictEqual(yield* withIgnoreEntry(before, entry, "ignore.yml"), written)
      }
    })
  )

  it.effect("is refused if the file cannot be edited, or is invalid", () =>
    Effect.gen(function* () {
      yield* today
      assert.isUndefined(yield* withIgnoreEntry("{ ignore: [] }", entry, "ignore.yml"))
      assert.isUndefined(
        yield* withIgnoreEntry(
          `ignore:\n- &old\n  fingerprint: ${entry.fingerprint}\n  reason: &known known\n  expires: 2026-11-30\n- fingerprint: fedcba9876543210\n  reason: *known\n  expires: 2026-11-30\n`,
          entry,
          "ignore.yml"
        )
      )
      const { message } = yield* Effect.flip(withIgnoreEntry("ignore:\n- reason: known\n", entry, "ignore.yml"))
      assert.include(message, "ignore.yml:2:")
    })
  )
})

describe("removing entries of the ignore file", () => {
  it.effect("keeps comments and the other entries", () =>
    Effect.gen(function* () {
      yield* today
      const kept = "  # kept\n  - fingerprint: 0123456789abcdef\n    reason: other\n    expires: 2026-12-30\n"
      const text = `# why\nignore:\n${indented(other, "  ")}${kept}`
      assert.strictEqual(
        yield* withoutIgnoreEntries(text, ["fedcba9876543210"], "ignore.yml"),
        `# why\nignore:\n${kept}`
      )
      assert.strictEqual(yield* withoutIgnoreEntries(text, ["aaaaaaaaaaaaaaaa"], "ignore.yml"), text)
    })
  )

  it.effect("works in a list in brackets", () =>
    Effect.gen(function* () {
      yield* today
      const listOf = (...digits: ReadonlyArray<string>) =>
        `ignore: [${digits.map((digit) => `{ fingerprint: ${digit.repeat(16)}, reason: known, expires: 2026-11-30 }`).join(", ")}]\n`
      const all = ["a", "b", "c"]
      for (const removed of [["a"], ["b"], ["c"], ["a", "b"], ["b", "c"], ["a", "c"], all]) {
        assert.strictEqual(
          yield* withoutIgnoreEntries(
            listOf(...all),
            removed.map((digit) => digit.repeat(16)),
            "ignore.yml"
          ),
          listOf(...all.filter((digit) => !removed.includes(digit)))
        )
      }
      const { entries } = yield* parse(listOf(), "ignore.yml")
      assert.deepStrictEqual(entries, [])
    })
  )
})
