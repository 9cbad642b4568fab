import { assert, describe, it } from "@effect/vitest"
import { loadGitleaksConfig } from "@threat-exposure/detect/config/GitleaksConfig"
import { scanText } from "@threat-exposure/detect/Text"
import { Effect, Redacted } from "effect"

/** The warnings for a repository with these files. */
const warningsOf = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>) {
  const warnings: Array<string> = []
  yield* loadGitleaksConfig((path) => Effect.succeed(files[path]), {
    warn: (reason, sentence) => warnings.push(`${reason}: ${sentence}`)
  })
  return warnings
})

const rule = '[[rules]]\nid = "ours"\nregex = "ours-[a-z]{8}"\n'

describe("what .gitleaks.toml extends", () => {
  it.effect.each([
    ["nothing", rule, []],
    ["a file of the repository", `[extend]\npath = "base.toml"\ndisabledRules = ["theirs"]\n${rule}`, []],
    ["rules without end", `${rule}#${"a".repeat(2_000_000)}`, ["config-unusable: .gitleaks.toml: it is too large"]],
    [
      "more rules than memory can hold",
      Array.from({ length: 12_000 }, (_, index) => `[[rules]]\nid = "${index}"\nregex = "x"\n`).join(""),
      [
        'config-unusable: an expression of the rule "9708": all of them together are too large, so this and the following ones are not used'
      ]
    ],
    ["itself", '[extend]\npath = ".gitleaks.toml"\n', []],
    [
      "the rules of gitleaks",
      "[extend]\nuseDefault = true\n",
      [
        "config-unsupported: .gitleaks.toml: useDefault: ignored, because the built-in rules of this program run instead of those of gitleaks"
      ]
    ],
    [
      "the rules of gitleaks but one",
      '[extend]\nuseDefault = true\ndisabledRules = ["generic-api-key"]\n',
      [
        "config-unsupported: .gitleaks.toml: useDefault: ignored, because the built-in rules of this program run instead of those of gitleaks; disabledRules disables none of them"
      ]
    ],
    [
      "an address",
      '[extend]\nurl = "https://rules.example.com/a.toml"\n',
      ["config-unsupported: .gitleaks.toml: url: nothing is downloaded"]
    ],
    [
      "a file outside",
      '[extend]\npath = "../a.toml"\n',
      ['config-unusable: .gitleaks.toml extends "../a.toml", which leads out of the repository']
    ],
    [
      "a file that extends another, but no longer chain",
      '[extend]\npath = "one.toml"\n',
      ['config-unusable: two.toml extends "three.toml", which is one file too many']
    ],
    [
      "a file that is missing",
      '[extend]\npath = "none.toml"\n',
      ['config-unusable: .gitleaks.toml extends "none.toml", which cannot be read']
    ]
  ] as const)("may be %s", ([, config, warnings]) =>
    Effect.gen(function* () {
      const files = {
        ".gitleaks.toml": config,
        "base.toml": rule.replaceAll("ours", "theirs"),
        "one.toml": '[extend]\npath = "two.toml"\n',
        "two.toml": '[extend]\npath = "three.toml"\n',
        "three.toml": rule
      }
      assert.deepStrictEqual(yield* warningsOf(files), [...warnings])
    })
  )
})

describe("a rule of .gitleaks.toml", () => {
  const found = Effect.fnUntraced(function* (config: string, text: string) {
    const gitleaks = yield* loadGitleaksConfig(() => Effect.succeed(config))
    return scanText(text, "notes.txt", { gitleaks }).candidates.map(({ value }) => Redacted.value(value))
  })
  const config = (keywords: string) =>
    `[[rules]]\nid = "ours"\nregex = '[a-zA-Z]+-[0-9a-f]{8}'\nkeywords = ${keywords}\n`

  it.effect("is tried where one of its keywords stands, in capital letters or not", () =>
    Effect.gen(function* () {
      for (const text of ["orchard-0a1b2c3d", "ORCHARD-0a1b2c3d", "Orchard-0a1b2c3d"]) {
        for (const keywords of ['["orchard"]', '["Orchard"]', '["meadow", "ORCHARD"]', "[]"]) {
          assert.deepStrictEqual(yield* found(config(keywords), `${text}\n`), [text], `${text} ${keywords}`)
        }
        assert.deepStrictEqual(yield* found(config('["meadow"]'), `${text}\n`), [], text)
      }
    })
  )
})

describe("a time limit", () => {
  /** A limit that passes at the given call. */
  const lateAfter = (calls: number) => {
    let left = calls
    return () => left-- <= 0
  }
  const text = "ours-abcdefgh ".repeat(1000)
  const manyRules = Array.from({ length: 500 }, (_, at) => rule.replaceAll("ours", `ours${at}`)).join("") + rule
  const nearRule = `${rule}[[rules.required]]\nid = "near"\n[[rules]]\nid = "near"\nregex = "[a-z]+"\n`

  it.effect.each([
    ["many rules", manyRules],
    ["many matches", rule],
    ["a required rule", nearRule],
    ["many words of an allowlist", `${rule}[[allowlists]]\nstopwords = ["meadow"]\n`]
  ])("is kept with %s", ([, config]) =>
    Effect.gen(function* () {
      const gitleaks = yield* loadGitleaksConfig(() => Effect.succeed(config))
      const scan = (calls: number) => scanText(text, "notes.txt", { gitleaks, isLate: lateAfter(calls) })
      const whole = scan(Infinity)
      assert.isUndefined(whole.skipped)
      assert.lengthOf(whole.candidates, 1000)
      for (const calls of [1, 2, 4]) {
        const { candidates, skipped } = scan(calls)
        assert.strictEqual(skipped, "not-in-time")
        assert.isBelow(candidates.length, 1000, `${calls}`)
      }
    })
  )
})

describe("a required rule", () => {
  const config = (near: string) =>
    `[[rules]]\nid = "ours"\nregex = "ours-[a-z]{3}"\n[[rules.required]]\nid = "near"\n${near}\n[[rules]]\nid = "near"\nregex = "near"\nskipReport = true\n`
  const text = "ours-aaa near\n\nours-bbb\nnear\n      ours-ccc\n\n\n\nours-ddd"

  it.effect.each([
    ["anywhere", "", ["ours-aaa", "ours-bbb", "ours-ccc", "ours-ddd"]],
    ["on the same line", "withinLines = 0", ["ours-aaa"]],
    ["within a line", "withinLines = 1", ["ours-aaa", "ours-bbb", "ours-ccc"]],
    ["within columns", "withinColumns = 2", ["ours-aaa", "ours-bbb", "ours-ddd"]],
    ["within a line and columns", "withinLines = 1\nwithinColumns = 3", ["ours-bbb"]]
  ] as const)("is near if it is %s", ([, near, expected]) =>
    Effect.gen(function* () {
      const gitleaks = yield* loadGitleaksConfig(() => Effect.succeed(config(near)))
      const found = scanText(text, "notes.txt", { gitleaks }).candidates.map(({ value }) => Redacted.value(value))
      assert.sameMembers(found, [...expected])
    })
  )
})
