import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { literals } from "../../src/text/Literals.ts"

const found = (list: ReadonlyArray<string>, text: string): ReadonlyArray<string> => {
  const places: Array<string> = []
  literals(list).scan(text, (literal, end) => places.push(`${literal}@${end}`))
  return places.toSorted()
}

/** The same, by looking for each literal at each place. */
const expected = (list: ReadonlyArray<string>, text: string): ReadonlyArray<string> =>
  list
    .flatMap((literal, index) =>
      Array.from({ length: text.length + 1 }, (_, end) => end)
        .filter(
          (end) =>
            end >= literal.length && text.slice(end - literal.length, end).toLowerCase() === literal.toLowerCase()
        )
        .map((end) => `${index}@${end}`)
    )
    .toSorted()

describe("literals", () => {
  it("finds what stands in what, and what overlaps", () => {
    assert.deepStrictEqual(found(["he", "she", "his", "hers"], "uSHErs"), ["0@4", "1@4", "3@6"])
  })

  it("finds all that a plain search finds, in any text", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "A", "-"), minLength: 1, maxLength: 5 })
    const words = fc.uniqueArray(word, { minLength: 1, maxLength: 8, selector: (text) => text.toLowerCase() })
    fc.assert(
      fc.property(words, fc.string({ unit: fc.constantFrom("a", "b", "B", "-", "ü", "\u{1f511}") }), (list, text) => {
        assert.deepStrictEqual(found(list, text), expected(list, text))
      })
    )
  })
})
