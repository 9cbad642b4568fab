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
      "a file that is missing",
      '[extend]\npath = "none.toml"\n',
      ['config-unusable: .gitleaks.toml extends "none.toml", which cannot be read']
    ]
  ] as const)("may be %s", ([, config, warnings]) =>
    Effect.gen(function* () {
      const files = { ".gitleaks.toml": config, "base.toml": rule.replaceAll("ours", "theirs") }
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
