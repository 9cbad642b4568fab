import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import * as fc from "fast-check"
import { otherProviders, type ProviderFormat, providerFormats } from "../../../src/rules/providers/ProviderFormats.ts"
import { candidatesIn } from "../../../src/Text.ts"

/** The generator knows no assertions: they are left out here, and what does not match in the end is filtered. */
const withoutAssertions = (pattern: RegExp) =>
  new RegExp(`^(?:${pattern.source.replaceAll(/\\b|\(\?<?[!=](?:\[[^\]]*\]|[^()[\]])*\)/g, "")})$`)

const inLine = (text: string, before = "see") => `${before} "${text}" there`

/** The keyword of a few formats stands beside the token. */
const lineWith = ({ keywords }: ProviderFormat, text: string) =>
  keywords.some((keyword) => text.toLowerCase().includes(keyword)) ? inLine(text) : inLine(text, keywords[0])

const tokenIn = ({ pattern }: ProviderFormat, line: string): string | undefined => {
  const match = new RegExp(pattern.source, pattern.flags.replace("y", "")).exec(line)
  return match === null ? undefined : (match[1] ?? match[0])
}

const found = ({ id }: ProviderFormat, line: string): ReadonlyArray<string> =>
  candidatesIn(line, { path: "notes.conf" }, { minConfidence: 0 })
    .filter(({ rule }) => rule === `provider/${id}`)
    .map(({ value }) => Redacted.value(value))

const examples = (format: ProviderFormat) =>
  fc
    .sample(fc.stringMatching(withoutAssertions(format.pattern)), { seed: 1, numRuns: 60 })
    .filter((text) => tokenIn(format, inLine(text)) !== undefined)
    .slice(0, 10)

const ids = [...providerFormats, ...otherProviders].map(({ id }) => id)

describe.each(providerFormats.map((format) => [format.id, format] as const))("%s", (_, format) => {
  const { around, id, keywords, name, pattern } = format

  it("is a complete row", () => {
    assert.lengthOf(
      ids.filter((other) => other === id),
      1,
      `rows with the id ${id}: give each an id of its own`
    )
    assert.match(name, /^\S.{3,60}\S$/, "the name")
    assert.isNotEmpty(keywords, "the keywords: the pattern is only tried near one of them")
    assert.sameMembers(
      [...keywords],
      [...new Set(keywords.map((keyword) => keyword.toLowerCase()))],
      "the keywords, each once and in lower case"
    )
    assert.strictEqual(
      pattern.flags.replaceAll(/[^gy]/g, ""),
      around === undefined ? "y" : "g",
      "the flag of the pattern: y where a token starts at its keyword, g with `around: true`"
    )
  })

  it("is found completely in a line", () => {
    const texts = examples(format)
    assert.isNotEmpty(texts)
    for (const text of texts) {
      const line = lineWith(format, text)
      // Where two formats overlap, the finding has the rule of one of them.
      const rules = candidatesIn(line, { path: "notes.conf" }, { minConfidence: 0 }).map(({ rule }) => rule)
      const token = tokenIn(format, line)
      assert.isTrue(
        found(format, line).some((value) => value === token) || rules.some((rule) => rule.startsWith("provider/")),
        `${line} holds no finding of this row: does each match start with one of its keywords, or is \`around: true\` missing?`
      )
    }
  })

  it("is not found without its keyword, as the keyword alone, or within a word", () => {
    for (const text of examples(format)) {
      const changed = format.keywords.reduce(
        (changed, keyword) => changed.replaceAll(new RegExp(keyword.replaceAll(/\W/g, "\\$&"), "gi"), "§"),
        text
      )
      assert.deepStrictEqual(found(format, inLine(changed)), [], changed)
      if (format.around === undefined) assert.deepStrictEqual(found(format, inLine(`a${text}`)), [], "within a word")
      if (/\w$/.test(text))
        assert.notInclude(found(format, inLine(`${text}a`)), text, "cut off inside a longer word: is \\b missing?")
    }
    for (const keyword of format.keywords) assert.deepStrictEqual(found(format, inLine(keyword)), [], keyword)
  })
})
