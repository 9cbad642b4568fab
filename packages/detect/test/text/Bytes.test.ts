import { assert, describe, it } from "@effect/vitest"
import { concat, decode, decodeUtf8, isBinary, isWide, unquote } from "../../src/text/Bytes.ts"

const text = "DB_PASSWORD=tidal-Wren-4471\r\n\tend~"

/** Encodes each character as one number of `size` bytes. */
const encode = (text: string, size: 1 | 2 | 4, order: "little" | "big") => {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  return Uint8Array.from(
    codes.flatMap((code) => {
      const bytes = Array.from({ length: size }, (_, at) => (code >>> (8 * at)) & 0xff)
      return order === "little" ? bytes : bytes.toReversed()
    })
  )
}

const marked = (text: string) => `\uFEFF${text}`

describe("the bytes of a text", () => {
  it.each([
    ["UTF-8", new TextEncoder().encode(`${text}é😀`), `${text}é😀`, false],
    ["UTF-8 with a mark", new TextEncoder().encode(marked(text)), text, false],
    ["Latin-1", encode(`${text}é`, 1, "little"), `${text}é`, false],
    ["UTF-16", encode(marked(`${text}é`), 2, "little"), `${text}é`, true],
    ["UTF-16 in the other order", encode(marked(`${text}é`), 2, "big"), `${text}é`, true],
    ["UTF-16 without a mark", encode(text, 2, "little"), text, true],
    ["UTF-16 without a mark, in the other order", encode(text, 2, "big"), text, true],
    ["UTF-32", encode(marked(`${text}😀`), 4, "little"), `${text}😀`, true],
    ["UTF-32 in the other order", encode(marked(`${text}😀`), 4, "big"), `${text}😀`, true]
  ] as const)("may be %s", (_, bytes, decoded, isOfWideCharacters) => {
    assert.strictEqual(decode(bytes), decoded)
    assert.strictEqual(isWide(bytes), isOfWideCharacters)
    assert.isFalse(isBinary(bytes))
  })

  it("have no meaning in UTF-32 beyond the last character", () => {
    const bytes = encode(marked("a"), 4, "little")
    assert.strictEqual(decode(concat([bytes, Uint8Array.from([0xff, 0xff, 0xff, 0xff])])), "a\uFFFD")
  })

  it("are decoded strictly for who asks, with the mark", () => {
    assert.strictEqual(decodeUtf8(new TextEncoder().encode(marked("é"))), marked("é"))
    assert.isUndefined(decodeUtf8(Uint8Array.from([0xe9])))
  })
})

describe("bytes are binary", () => {
  it.each([
    ["with a zero in a text", `${text}\0`, 1],
    ["with another character than those of a text", `${text}\u0001`, 2],
    ["with a character above ASCII, without a mark", `${text}é`, 2],
    ["if they are too few to tell", "abc", 2]
  ] as const)("%s", (_, text, size) => {
    for (const order of ["little", "big"] as const) {
      assert.isTrue(isBinary(encode(text, size, order)))
      assert.isFalse(isWide(encode(text, size, order)))
    }
  })

  it("if one of two is no zero where the others are", () => {
    const bytes = encode(text, 2, "little")
    bytes[21] = 1
    assert.isTrue(isBinary(bytes))
  })

  it("for a zero among the first 8000 alone", () => {
    const bytes = new Uint8Array(8001).fill(97)
    bytes[8000] = 0
    assert.isFalse(isBinary(bytes))
    bytes[7999] = 0
    assert.isTrue(isBinary(bytes))
  })
})

describe("a name as git writes it", () => {
  const named = (written: string) => new TextDecoder().decode(unquote(new TextEncoder().encode(written)))

  it.each([
    ["a.env", "a.env"],
    ['"a b.env"', "a b.env"],
    ['"a\\tb\\n\\"c\\"\\\\d"', 'a\tb\n"c"\\d'],
    ['"\\303\\251.env"', "é.env"],
    ['a"b', 'a"b']
  ])("%s is %j", (written, name) => {
    assert.strictEqual(named(written), name)
  })
})
