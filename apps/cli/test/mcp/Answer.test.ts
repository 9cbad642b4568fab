import { assert, describe, it } from "vitest"
import { fitJson, fitItems, ToolFailed } from "@threat-exposure/cli/mcp/Answer"

/** Some clients reject a message, and thereby the whole answer, if it contains a lone surrogate. */
const isWellFormed = (value: unknown) => !/\\ud[89a-f]/u.test(JSON.stringify(value))

describe("an answer of a tool", () => {
  it.each([49, 50, 51, 99, 100, 101, 102])("has no half of a character if a text of emoji is cut (%i)", (length) => {
    const text = `${"x".repeat(length)}${"😀".repeat(3_000)}`
    assert.isTrue(isWellFormed(fitJson([text, text, text], 1_000).value))
    assert.isTrue(isWellFormed(fitItems([text], (item, cut) => ({ text: cut.text(item), own: cut.own(item) }), 500)))
    assert.isTrue(isWellFormed(new ToolFailed({ reason: text }).message))
  })

  it.each([
    [4_096, false],
    [4_097, true]
  ])("says whether a text of %i characters is cut: %s", (length, truncated) => {
    const text = "x".repeat(length)
    const [item] = fitItems([text], (given, cut) => ({ text: cut.text(given) }), 10_000)
    assert.deepStrictEqual(item, { text: truncated ? `${"x".repeat(4_096)}…` : text, truncated })
    assert.deepStrictEqual(fitJson(text, length + 2), { value: text, isCut: false })
  })

  it("has no half of a character that the service sends", () => {
    const broken = { "\udc00": ["a\ud800"] }
    assert.deepStrictEqual(fitJson(broken, 1_000).value, { "\ufffd": ["a\ufffd"] })
    const [item] = fitItems([broken], (item, cut) => ({ data: cut.json(item), own: cut.own("\ud800") }), 1_000)
    assert.deepStrictEqual(item, { data: { "\ufffd": ["a\ufffd"] }, own: "\ufffd", truncated: false })
  })
})
