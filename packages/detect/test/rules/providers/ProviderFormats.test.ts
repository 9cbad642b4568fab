import { assert, describe, it } from "@effect/vitest"
import { fileKind } from "@threat-exposure/detect/text/FileKind"
import { makeSource } from "@threat-exposure/detect/text/Source"
import { makeRuleSet } from "@threat-exposure/detect/rules/RuleSet"
import { type ProviderFormat, providerFormats } from "../../../src/rules/providers/ProviderFormats.ts"
import { ruleOf } from "../../../src/rules/providers/ProviderTokens.ts"
import { seededRandom } from "../../../testing/ValueGenerators.ts"
import { forms } from "./forms.ts"

const letters = "abcdefghijklmnopqrstuvwxyz"
const digits = "0123456789"
const anyCase = letters + letters.toUpperCase() + digits
/** The characters of each set: at the ends, where a bound such as `\b` needs a letter, and inside. */
const sets: Readonly<Record<string, readonly [ends: string, inside: string]>> = {
  a: [anyCase, anyCase],
  A: [letters.toUpperCase() + digits, letters.toUpperCase() + digits],
  b: [anyCase, `${anyCase}+/`],
  d: [digits, digits],
  h: [`${digits}abcdef`, `${digits}abcdef`],
  l: [letters + digits, letters + digits],
  L: [letters + letters.toUpperCase(), letters + letters.toUpperCase()],
  t: [`${letters}234567`, `${letters}234567`],
  T: [`${letters.toUpperCase()}234567`, `${letters.toUpperCase()}234567`],
  w: [anyCase, `${anyCase}_-`],
  W: [anyCase, `${anyCase}_`]
}

const random = seededRandom(5)

const draw = (set: string, length: number): string => {
  const [ends = "", inside = ""] = sets[set] ?? []
  return Array.from({ length }, (_, at) => random.pick(at === 0 || at === length - 1 ? ends : inside)).join("")
}

interface Sample {
  readonly line: string
  readonly token: string
}

const placeholders = /\{(?:(\w)(\d+)(?:-(\d+)|([+*]))?|uuid)\}/g

/** A text of a form; `lengthOf` returns the length of each part. */
const sampleOf = (form: string, lengthOf: (part: number, least: number, most: number) => number): Sample => {
  let part = -1
  const text = form.replaceAll(
    placeholders,
    (_, set: string | undefined, from: string | undefined, to: string | undefined) => {
      if (set === undefined) return `${draw("h", 8)}-${draw("h", 4)}-4${draw("h", 3)}-a${draw("h", 3)}-${draw("h", 12)}`
      part++
      return draw(set, lengthOf(part, Number(from), Number(to ?? from)))
    }
  )
  const [before = "", marked, after = ""] = text.includes("⟦") ? text.split(/[⟦⟧]/) : ['see "', text, '" there']
  return { line: `${before}${marked}${after}`, token: marked ?? text }
}

const partsOf = (form: string) =>
  [...form.matchAll(placeholders)]
    .filter(([, set]) => set !== undefined)
    .map(([, , from = "", to, open]) => ({ least: Number(from), most: Number(to ?? from), open }))

const isFound = (format: ProviderFormat, { line, token }: Sample): boolean =>
  makeRuleSet([ruleOf(format)], () => 1)
    .findIn(makeSource(line, "notes.conf", fileKind("notes.conf"), () => []))
    .some(({ value }) => value === token)

/**
 * The faults of the row for a form. The shortest and the longest tokens must be found completely, others not at all.
 */
const faultsOf = (format: ProviderFormat, form: string): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const check = (what: string, expected: boolean, lengthOf: Parameters<typeof sampleOf>[1]) => {
    if (isFound(format, sampleOf(form, lengthOf)) !== expected) faults.push(`${form}: ${what}`)
  }
  check("the shortest is not found", true, (_, least) => least)
  check("the longest is not found", true, (_, _least, most) => most)
  for (const [index, { open }] of partsOf(form).entries()) {
    if (open === "*") continue
    check(`part ${index} too short is found`, false, (part, least) => (part === index ? least - 1 : least))
    if (open === "+") continue
    check(`part ${index} too long is found`, false, (part, _, most) => (part === index ? most + 1 : most))
  }
  return faults
}

const withPattern = (format: ProviderFormat, source: string): ProviderFormat => ({
  ...format,
  pattern: new RegExp(source, format.pattern.flags)
})

/**
 * Copies of the row in which one count of the pattern is changed by one, except counts of padding and of text before
 * the token.
 */
const mutantsOf = (format: ProviderFormat): ReadonlyArray<ProviderFormat> => {
  const { source } = format.pattern
  const counts = [...source.matchAll(/\{(\d+)(?:,(\d+))?\}(?!\?)/g)].filter(
    ({ index }) =>
      !/(?:\[\\w \.,"'=:>-\]|\[ \\t\]|\[\^\\s"'`\]|=|\[=\]|\(\?=\[\\w-\]|\[\\w\.\]|\[:=\.\?>\])$/.test(
        source.slice(0, index)
      )
  )
  return counts.flatMap(({ 0: written, 1: from = "", 2: to, index }) => {
    const changed = [
      to === undefined ? `{${Number(from) + 1}}` : `{${Number(from) + 1},${to}}`,
      ...(to === undefined ? [`{${Number(from) - 1}}`] : [`{${from},${Number(to) - 1}}`])
    ]
    return changed.map((count) =>
      withPattern(format, source.slice(0, index) + count + source.slice(index + written.length))
    )
  })
}

const ids = providerFormats.map(({ id }) => id)

it("has a form for every row, and a row for every form", () => {
  assert.sameMembers(
    Object.keys(forms),
    providerFormats.map(({ id }) => id)
  )
})

describe.each(providerFormats.map((format) => [format.id, format] as const))("%s", (_, format) => {
  const { id, name, pattern } = format
  const { keywords } = ruleOf(format)

  it("is a complete row", () => {
    assert.lengthOf(
      ids.filter((other) => other === id),
      1,
      `rows with the id ${id}: give each an id of its own`
    )
    assert.match(name, /^\S.{3,60}\S$/, "the name")
    assert.isNotEmpty(keywords, "the keywords: the pattern is only tried near one of them")
    for (const keyword of keywords) assert.isAbove(keyword.length, 1, "a keyword")
    assert.sameMembers(
      [...keywords],
      [...new Set(keywords.map((keyword) => keyword.toLowerCase()))],
      "the keywords, each once and in lower case"
    )
    assert.match(pattern.flags, /^[^g]*y$|^g[^y]*$/, "the flag: y where a token starts at its keyword, otherwise g")
  })

  it("finds tokens of its form, and none that are shorter or longer", () => {
    assert.deepStrictEqual(
      (forms[id] ?? []).flatMap((form) => faultsOf(format, form)),
      []
    )
  })

  it("has no count that could be another", () => {
    const unnoticed = mutantsOf(format).filter((mutant) =>
      (forms[id] ?? []).every((form) => faultsOf(mutant, form).length === 0)
    )
    assert.deepStrictEqual(
      unnoticed.map(({ pattern: { source } }) => source),
      []
    )
  })

  it("does not find a token within a word, or its keyword alone", () => {
    for (const form of pattern.sticky ? (forms[id] ?? []) : []) {
      const { line, token } = sampleOf(form, (_, least) => least)
      const keyword = keywords.find((one) => line.toLowerCase().includes(one)) ?? ""
      const at = line.toLowerCase().indexOf(keyword)
      assert.isFalse(isFound(format, { line: `${line.slice(0, at)}a${line.slice(at)}`, token }))
    }
    for (const keyword of keywords) assert.isFalse(isFound(format, { line: `see "${keyword}" there`, token: keyword }))
  })
})
