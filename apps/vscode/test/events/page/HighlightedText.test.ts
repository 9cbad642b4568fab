import { assert, describe, it } from "@effect/vitest"
import { parseHighlights, truncate } from "../../../src/events/page/HighlightedText.ts"

const marked = ({ text, ranges }: { text: string; ranges: ReadonlyArray<readonly [number, number]> }) =>
  ranges.map(([start, end]) => text.slice(start, end))

describe("marks", () => {
  it("become ranges of the text without marks, in new and in older records", () => {
    assert.deepStrictEqual(parseHighlights("at <mark>example.com</mark> and <em>here</em>"), {
      text: "at example.com and here",
      ranges: [
        [3, 14],
        [19, 23]
      ]
    })
  })

  it("may be unclosed, nested or single: nothing else is interpreted as HTML", () => {
    assert.deepStrictEqual(marked(parseHighlights("a <mark>open end")), ["open end"])
    assert.deepStrictEqual(marked(parseHighlights("</mark>a<mark></mark>b")), [])
    assert.strictEqual(parseHighlights("<b>bold</b> <img src=x>").text, "<b>bold</b> <img src=x>")
  })

  it("stay visible and in place when the text is shortened", () => {
    const short = truncate(parseHighlights(`${"x".repeat(200)} <mark>found\nhere</mark> ${"y".repeat(200)}`), 60)
    assert.deepStrictEqual(marked(short), ["found here"])
    assert.isAtMost(short.text.length, 62)
  })

  it("are correct beside characters that change the direction of a line", () => {
    const short = truncate(parseHighlights("a\u202eb <mark>c</mark>"), 50)
    assert.deepStrictEqual(marked(short), ["c"])
    assert.notInclude(short.text, "\u202e")
  })

  it("are correct beside invisible characters of two code units, and do not split what joiners connect", () => {
    assert.deepStrictEqual(marked(truncate(parseHighlights("a\u{e0041}\u{e0042} <mark>c</mark>"), 50)), ["c"])
    assert.strictEqual(truncate(parseHighlights("👩‍👧"), 50).text, "👩‍👧")
  })

  it("never leave half a character where the text is shortened", () => {
    for (const length of [20, 21, 22]) {
      const { text } = truncate(parseHighlights(`${"😀".repeat(30)}<mark>found</mark>${"😀".repeat(30)}`), length)
      assert.isTrue(text.isWellFormed(), text)
    }
  })
})
