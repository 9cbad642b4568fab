import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { decode } from "../../src/text/Bytes.ts"
import { literals } from "../../src/text/Literals.ts"

/** Occurrences found with the table. A search for each word must give the same, in the same order. */
const found = (list: ReadonlyArray<string>, text: string, bytes?: Uint8Array): ReadonlyArray<string> => {
  const [searched = [], places = []] = [text.length, -1].map((maxSearched) => {
    const places: Array<string> = []
    literals(list, maxSearched).scan(text, (literal, end) => places.push(`${literal}@${end}`), bytes)
    return places
  })
  assert.deepStrictEqual(searched, places)
  return places.toSorted()
}

/** The expected occurrences, found by comparing each literal at each position. */
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
  it("finds nested and overlapping literals", () => {
    assert.deepStrictEqual(found(["he", "she", "his", "hers"], "uSHErs"), ["0@4", "1@4", "3@6"])
  })

  it("finds all that a plain search finds, in any text", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "A", "-"), minLength: 1, maxLength: 5 })
    const words = fc.uniqueArray(word, { minLength: 1, maxLength: 8, selector: (text) => text.toLowerCase() })
    const units = ["a", "b", "B", "-", "ü", "š", "\u{1f511}"]
    const text = fc.string({ unit: fc.constantFrom(...units), size: "medium" })
    fc.assert(
      fc.property(words, text, (list, text) => {
        const all = expected(list, text)
        assert.deepStrictEqual(found(list, text), all)
        assert.deepStrictEqual(found(list, text, Buffer.from(text)), all)
      })
    )
  })

  it("reports in the order of the text", () => {
    const ends: Array<number> = []
    literals(["key"]).scan("a key ".repeat(50), (_literal, end) => ends.push(end))
    assert.deepStrictEqual(
      ends,
      Array.from({ length: 50 }, (_, i) => 6 * i + 5)
    )
  })

  it.each(["utf-8", "utf-16le"] as const)("accepts the bytes of any text in %s", (encoding) => {
    const text = fc.array(fc.constantFrom("key", "KEY", "é", "密", "😀", "\ufeff", "k", "\u8070", "\u6b80"))
    fc.assert(
      fc.property(text, fc.boolean(), (parts, isMarked) => {
        const written = parts.join("")
        const bytes = Buffer.from(isMarked ? `\ufeff${written}` : written, encoding)
        const read = decode(bytes)
        assert.deepStrictEqual(found(["key"], read, bytes), found(["key"], read))
      })
    )
  })

  it("accepts the bytes of a text with one byte per character", () => {
    const bytes = Buffer.from("é key ß KEY ".repeat(9), "latin1")
    assert.deepStrictEqual(found(["key"], bytes.toString("latin1"), bytes), expected(["key"], bytes.toString("latin1")))
  })
})
