import { assert, describe, it } from "@effect/vitest"
import { parse } from "@threat-exposure/leak-check/IgnoreFile"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Lines } from "../../src/detection/Lines.ts"
import {
  namesVariable,
  reference,
  referenceIn,
  variableName,
  withIgnoredEnv,
  withIgnoreEntry,
  withVariable
} from "../../src/leaks/Rewriting.ts"

const entry = { fingerprint: "0123456789abcdef", reason: 'rotated: "see" #4', expires: "2026-12-01" }

const added = (text: string) => {
  const result = withIgnoreEntry(text, entry)
  return "text" in result ? result.text : result.fault
}

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
    assert.property(withIgnoreEntry("ignore: [{ fingerprint: fedcba9876543210 }]", entry), "fault")
  })
})

describe("a variable of .env", () => {
  it("is added on a line of its own, quoted where it must be", () => {
    assert.strictEqual(withVariable("A=1", "B", "plain/value"), "A=1\nB=plain/value\n")
    assert.strictEqual(withVariable("", "B", 'a "quoted" $value'), `B='a "quoted" $value'\n`)
    assert.strictEqual(
      withVariable("A=1\r\n", "B", "it's $5"),
      String.raw`A=1` + "\r\n" + String.raw`B="it's \$5"` + "\r\n"
    )
    assert.isTrue(namesVariable("A=1\nexport B=2\n", "B"))
    assert.isTrue(namesVariable("B = 2\n", "B"))
    assert.isFalse(namesVariable("AB=1\n", "B"))
  })

  it("is kept out of git, once", () => {
    assert.strictEqual(withIgnoredEnv("dist"), "dist\n.env\n")
    assert.isUndefined(withIgnoredEnv("/.env\n"))
    assert.isUndefined(withIgnoredEnv(".env*\n"))
  })

  it("takes its name from what stands before the value", () => {
    assert.strictEqual(variableName('const paymentsToken = "'), "PAYMENTS_TOKEN")
    assert.strictEqual(variableName("  db.password: '"), "PASSWORD")
    assert.strictEqual(variableName("AWS_SECRET_ACCESS_KEY="), "AWS_SECRET_ACCESS_KEY")
    assert.strictEqual(variableName("https://user:"), "USER")
    assert.strictEqual(variableName("???"), "SECRET")
  })

  it("is read as each language reads it", () => {
    assert.strictEqual(reference("typescript", "A").text, "process.env.A")
    assert.strictEqual(reference("python", "A").text, 'os.environ["A"]')
    assert.deepStrictEqual(reference("shellscript", "A"), { text: "${A}", replacesQuotes: false })
  })

  it("stands in place of the value with its quotes, and nowhere where code would break", () => {
    const within = (text: string, languageId: string) => {
      const span = new Lines(text).nearest("amber", { line: 0, character: 0 })
      const change = span === undefined ? undefined : referenceIn(text, span, reference(languageId, "A"))
      if (change === undefined) return undefined
      const lines = new Lines(text)
      return text.slice(0, lines.offset(change.span.start)) + change.text + text.slice(lines.offset(change.span.end))
    }
    assert.strictEqual(within('const a = "amber"', "typescript"), "const a = process.env.A")
    assert.strictEqual(within('url = "https://user:amber@host"', "python"), undefined)
    assert.strictEqual(within("A=https://user:amber@host", "shellscript"), "A=https://user:${A}@host")
  })
})
