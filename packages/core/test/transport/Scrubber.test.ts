import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { makeScrubber } from "../../src/transport/Scrubber.ts"

const isWellFormed = Schema.makeFilter((text: string) => text.isWellFormed())
const Password = Schema.String.check(isWellFormed, Schema.isMinLength(1), Schema.isMaxLength(40))
/** Excludes characters that begin an escape: a backslash before a value can change the value's first character. */
const isNoEscape = Schema.makeFilter((text: string) => !/[\\%&]/u.test(text))
const Around = Schema.String.check(isWellFormed, isNoEscape, Schema.isMaxLength(20))

const encodings: ReadonlyArray<(text: string) => string> = [
  (text) => text,
  (text) => JSON.stringify(text),
  (text) => JSON.stringify(JSON.stringify(text)),
  (text) => encodeURIComponent(text.toWellFormed()),
  (text) => encodeURIComponent(text.toWellFormed()).toLowerCase().replaceAll("%20", "+"),
  (text) => new URLSearchParams({ text }).toString(),
  (text) => encodeURIComponent(encodeURIComponent(text.toWellFormed())),
  (text) => text.toUpperCase(),
  (text) => Array.from(text, (c) => `&#${c.codePointAt(0)};`).join(""),
  (text) => JSON.stringify(text).replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`),
  (text) => Buffer.from(text).toString("base64"),
  (text) => Buffer.from(text).toString("base64url")
]

describe("a scrubber", () => {
  it.prop(
    "removes a secret completely, in any encoding, inside any text",
    { secret: Password, before: Around, after: Around },
    ({ after, before, secret }) => {
      const scrubber = makeScrubber([secret])
      for (const encode of encodings) {
        const echo = encode(secret)
        const clean = scrubber.text(`${before}${echo}${after}`).replaceAll("<redacted>", "")
        assert.isFalse(clean.includes(secret) || clean.includes(echo), clean)
        assert.deepStrictEqual(scrubber.value([[echo]]), [[scrubber.text(echo)]])
      }
    }
  )

  it("finds a secret inside the base64 of something longer, at every offset", () => {
    const scrubber = makeScrubber(["correct-horse-battery"])
    for (const before of ["", "a", "ab", "abc", "abcd"]) {
      const clean = scrubber.text(Buffer.from(`${before}correct-horse-battery!`).toString("base64"))
      assert.include(clean, "<redacted>")
      assert.notInclude(Buffer.from(clean.replaceAll("<redacted>", ""), "base64").toString(), "horse")
    }
  })

  it("finds the hexadecimal digits of a secret that is not too short for them to mean anything", () => {
    const digits = Buffer.from("a horse").toString("hex")
    for (const text of [digits, digits.toUpperCase()]) {
      assert.strictEqual(makeScrubber(["horse"]).text(text), `${text.slice(0, 4)}<redacted>`)
    }
    assert.strictEqual(makeScrubber(["a"]).text("error 61"), "error 61")
  })

  it("removes the whole text if a gap would reveal a short secret", () => {
    assert.strictEqual(makeScrubber(["abc"]).text("the abc of it"), "<redacted>")
    assert.strictEqual(makeScrubber(["abc"]).text("nothing"), "nothing")
  })

  it("finds numbers, keys and the longer of two secrets first", () => {
    const scrubber = makeScrubber(["12345678", "password", "password-and-more"])
    assert.deepStrictEqual(scrubber.value({ password: 12_345_678, other: [1, true, null] }), {
      "<redacted>": "<redacted>",
      other: [1, true, null]
    })
    assert.strictEqual(scrubber.text("password-and-more"), "<redacted>")
  })

  it("changes nothing if there are no secrets", () => {
    assert.strictEqual(makeScrubber([]).text("a (text) [with] $signs"), "a (text) [with] $signs")
    assert.strictEqual(makeScrubber([""]).text("text"), "text")
  })
})
