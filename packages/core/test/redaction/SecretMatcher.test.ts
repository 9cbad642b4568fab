import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { Bytes, fold, toUtf8 } from "../../src/redaction/Escapes.ts"
import { GramIndex } from "../../src/redaction/GramIndex.ts"
import { ordinaryParts } from "../../src/redaction/OrdinaryParts.ts"
import { makeSecretMatcher } from "../../src/redaction/SecretMatcher.ts"

const mark = "\u2022"
const redactWith = (secrets: ReadonlyArray<string>) => {
  const matcher = makeSecretMatcher(secrets)
  return (text: string) => matcher.redact(text, mark)
}

/** All forms in which a text may contain a value. */
const encodings: Readonly<Record<string, (value: string) => string>> = {
  plain: (value) => value,
  "upper case": (value) => value.toUpperCase(),
  JSON: (value) => JSON.stringify(value).slice(1, -1),
  "JSON in JSON": (value) => JSON.stringify(JSON.stringify(value)).slice(3, -3),
  "JSON in ASCII": (value) =>
    JSON.stringify(value)
      .slice(1, -1)
      .replace(/[^ -~]/gu, jsonUnits),
  "JSON with each character escaped": (value) =>
    Array.from({ length: value.length }, (_, i) => jsonUnit(value, i)).join(""),
  "JSON with capital digits": (value) =>
    Array.from({ length: value.length }, (_, i) => jsonUnit(value, i).toUpperCase().replace("U", "u")).join(""),
  "JSON with escaped slashes": (value) =>
    JSON.stringify(value)
      .slice(1, -1)
      .replaceAll("/", String.raw`\/`),
  URL: (value) => encodeURIComponent(value),
  "URL in small digits": (value) => encodeURIComponent(value).replaceAll(/%../gu, (escape) => escape.toLowerCase()),
  "URL with each byte escaped": (value) =>
    Array.from(Buffer.from(value), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  "URL in URL": (value) => encodeURIComponent(encodeURIComponent(value)),
  form: (value) => new URLSearchParams([["", value]]).toString().slice(1),
  "JSON in URL": (value) => encodeURIComponent(JSON.stringify(value).slice(1, -1)),
  HTML: (value) => value.replaceAll(/[&<>"']/gu, (character) => htmlNames.get(character) ?? character),
  "HTML in HTML": (value) =>
    value.replaceAll(/[&<>"']/gu, (character) => (htmlNames.get(character) ?? "").replaceAll("&", "&amp;")),
  "HTML by number": (value) => Array.from(value, (character) => `&#${character.codePointAt(0)};`).join(""),
  "HTML by hexadecimal number": (value) =>
    Array.from(value, (character) => `&#x${character.codePointAt(0)?.toString(16)};`).join(""),
  base64: (value) => Buffer.from(value).toString("base64"),
  "base64 after one byte": (value) => Buffer.from(`?${value}?`).toString("base64"),
  "base64 after two bytes": (value) => Buffer.from(`??${value}??`).toString("base64"),
  base64url: (value) => Buffer.from(`??${value}`).toString("base64url"),
  "base64 in lines": (value) => Buffer.from(value).toString("base64").replaceAll(/.{76}/gu, "$&\r\n"),
  "base64 in JSON": (value) => JSON.stringify(Buffer.from(value).toString("base64")).replaceAll("/", String.raw`\/`),
  "base64 in URL": (value) => encodeURIComponent(Buffer.from(value).toString("base64")),
  "base64 of UTF-16": (value) => Buffer.from(value, "utf16le").toString("base64"),
  hexadecimal: (value) => Buffer.from(value).toString("hex"),
  "hexadecimal in capitals": (value) => Buffer.from(value).toString("hex").toUpperCase()
}

const jsonUnit = (text: string, at: number) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`
const jsonUnits = (character: string) =>
  Array.from({ length: character.length }, (_, i) => jsonUnit(character, i)).join("")
const htmlNames = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"]
])

/** Length of the longest run of `value` that `text` contains. */
const longestShared = (text: string, value: string): number => {
  let longest = 0
  for (let at = 0; at + longest < value.length; at++) {
    while (at + longest < value.length && text.includes(value.slice(at, at + longest + 1))) longest++
  }
  return longest
}

const isWellFormed = Schema.makeFilter((text: string) => text.isWellFormed())
/** Zero bytes are ignored in texts: a value that hardly has other bytes is too short to be searched. */
const isMoreThanZeros = Schema.makeFilter((text: string) => text.replaceAll("\u0000", "").length >= 8)
const Value = Schema.String.check(isWellFormed, isMoreThanZeros, Schema.isMinLength(8), Schema.isMaxLength(60))
/** Excludes characters that begin an escape: a backslash before a value can change the value's first character. */
const isNoEscape = Schema.makeFilter((text: string) => !/[\\%&]/u.test(text))
const Around = Schema.String.check(isWellFormed, isNoEscape, Schema.isMaxLength(20))

/** Deterministic values of any length, made of printable characters, of base64 or of words. */
const makeRandom = (seed: number) => {
  let state = seed
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9
    return (state >>> 8) / 2 ** 24
  }
}
const valueOf = (alphabet: string, length: number, seed: number) => {
  const random = makeRandom(seed)
  return Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join("")
}
const printable = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join("")
const base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
const lengths = [6, 7, 8, 9, 11, 15, 64, 1000, 6500]

describe("a secret matcher", () => {
  it.prop(
    "redacts a value completely, in any encoding, inside any text",
    { value: Value, before: Around, after: Around },
    ({ after, before, value }) => {
      const redact = redactWith([value])
      for (const [name, encode] of Object.entries(encodings)) {
        if (encode(value).length === 0) continue
        const clean = redact(`${before} ${encode(value)} ${after}`)
        assert.include(clean, mark, `${name}: ${encode(value)}`)
        assert.notInclude(clean, encode(value), name)
      }
    }
  )

  for (const value of ["6  8R<t.", "6      8", "a \t \n b", "x  y  z  é"]) {
    it(`redacts a value with adjacent white space in every encoding: ${JSON.stringify(value)}`, () => {
      const redact = redactWith([value])
      for (const [name, encode] of Object.entries(encodings)) {
        assert.notInclude(redact(`-1 ${encode(value)} ^>+9`), encode(value), name)
      }
    })
  }

  it("redacts a value whose letters have two forms in lower case", () => {
    // A sigma at the end of a word has another lower-case form.
    assert.strictEqual(redactWith(["ΟΔΥΣΣΕΥΣ-4471"])("of οδυσσευς-4471 here"), `of ${mark} here`)
    assert.strictEqual(redactWith(["οδυσσευς-4471"])("of ΟΔΥΣΣΕΥΣ-4471 here"), `of ${mark} here`)
  })

  for (const length of lengths) {
    for (const [kind, alphabet] of Object.entries({
      printable,
      base64: base64Letters,
      unicode: `${printable}\n\t\u0000éÉßжЖ中文👍`
    })) {
      it(`redacts a value of ${length} characters (${kind}) in every encoding`, () => {
        const value = valueOf(alphabet, length, length).toWellFormed()
        const redact = redactWith([value, valueOf(printable, 300, 1)])
        for (const [name, encode] of Object.entries(encodings)) {
          const echo = encode(value)
          const clean = redact(`{"detail":"${echo}"}`)
          assert.include(clean, mark, name)
          // At alignments other than the first, up to three characters also encode bytes around the value.
          const shown = clean.replace('{"detail":"', "").replace('"}', "").replaceAll(mark, "")
          assert.isAtMost(shown.length, 12, `${name}: ${shown}`)
        }
      })
    }
  }

  it("redacts a value of 64 kB, and every encoding of a part of it", () => {
    const value = valueOf(`${printable}\n`, 65_536, 2)
    const redact = redactWith([value, valueOf(base64Letters, 65_536, 3)])
    assert.strictEqual(redact(`x ${value} y`), `x ${mark} y`)
    for (const at of [0, 12_345, 65_000]) {
      for (const [name, encode] of Object.entries(encodings)) {
        const shown = redact(encode(value.slice(at, at + 100))).replaceAll(mark, "")
        assert.isAtMost(shown.length, 12, `${name}: ${shown}`)
      }
    }
  })

  it("redacts every run of eight characters of a value, and no shorter one", () => {
    const value = valueOf(base64Letters, 2000, 5)
    const redact = redactWith([value])
    for (let at = 0; at + 20 <= value.length; at += 7) {
      for (const length of [8, 9, 13, 20]) {
        assert.strictEqual(redact(`says: ${value.slice(at, at + length)}.`), `says: ${mark}.`)
      }
      assert.strictEqual(redact(`says: ${value.slice(at, at + 7)}.`), `says: ${value.slice(at, at + 7)}.`)
    }
  })

  it("redacts a cut value in base64, hexadecimal digits and URLs", () => {
    const value = 'Zq8wKd72"mXp9L/r9Uv4'
    const redact = redactWith([value])
    for (const length of [10, 13, 17]) {
      const part = value.slice(0, length)
      for (const [name, encode] of Object.entries(encodings)) {
        const clean = redact(`cannot search for ${encode(part)}…`)
        assert.include(clean, mark, name)
        assert.isBelow(longestShared(clean, encode(part)), 8, `${name}: ${clean}`)
      }
    }
  })

  it("redacts overlapping values and values that are parts of others", () => {
    const redact = redactWith(["abcdefgh-1", "fgh-12345678", "1234567890", "567890"])
    assert.strictEqual(redact("x abcdefgh-1234567890 y"), `x ${mark} y`)
    assert.strictEqual(redact("x 567890 y"), `x ${mark} y`)
    assert.strictEqual(redact("x 56789 y"), "x 56789 y")
  })

  it("takes characters with a meaning in patterns literally", () => {
    for (const value of ["a.*b(c)[d]{2}^$|+?\\", "$&$1$`$'", "(((((((((", "\\u0041%41&amp;", "[^abc]"]) {
      assert.strictEqual(redactWith([value])(`x ${value} y`), `x ${mark} y`, value)
      assert.strictEqual(redactWith([value])("x abcdefgh y"), "x abcdefgh y", value)
    }
  })

  it("redacts lone surrogates and characters beyond the basic plane", () => {
    for (const value of ["\ud800abcdefg\udfff", "👍👍👍👍", "𝔭𝔞𝔰𝔰𝔴𝔬𝔯𝔡", "пароль-пароль", "contraseña-ÑÑÑÑ"]) {
      const redact = redactWith([value])
      assert.strictEqual(redact(`👍é ${value} é`), `👍é ${mark} é`, value)
      assert.strictEqual(redact(`é ${value.toUpperCase()} é`), `é ${mark} é`, value)
      assert.strictEqual(redact(`é ${encodings["JSON with each character escaped"]?.(value)} é`), `é ${mark} é`, value)
    }
  })

  it("does not redact ordinary words, addresses and repetitions that a value contains", () => {
    const redact = redactWith([
      "production-database-Zq8wKd72mXp9Lr9Uv4-Password",
      "https://user:Zq8wKd72@db.example.com:5432/path/Lr9Uv4mXp9",
      `--------------------\n${valueOf(base64Letters, 64, 3)}\n--------------------`
    ])
    for (const text of [
      "the production database",
      "a PRODUCTION database",
      "https://app.example.org/",
      "see db.example.com:5432",
      "https://db.example.com:5432/other",
      "----------- ",
      "production/database.env"
    ]) {
      assert.strictEqual(redact(text), text)
    }
    assert.strictEqual(redact("x production-database-Zq8wKd72mXp9Lr9Uv4-Password y"), `x ${mark} y`)
    assert.strictEqual(redact("x https://user:Zq8wKd72@db.example.com:5432/path/Lr9Uv4mXp9 y"), `x ${mark} y`)
    assert.strictEqual(redact("production-database"), mark)
    assert.strictEqual(redact("user:Zq8wKd72@db"), mark)
  })

  it("redacts only the whole of values that may be ordinary text", () => {
    const { redact } = makeSecretMatcher([], { wholes: ["admin@example.com", valueOf(printable, 500, 9)] })
    assert.strictEqual(redact("mail info@example.com", mark), "mail info@example.com")
    assert.strictEqual(redact("mail admin@example.com", mark), `mail ${mark}`)
    assert.strictEqual(redact("mail admin%40example.com", mark), `mail ${mark}`)
    assert.strictEqual(redact(`x ${valueOf(printable, 500, 9)} y`, mark), `x ${mark} y`)
  })

  it("leaves texts without a value as they are", () => {
    const redact = redactWith(["Zq8wKd72mXp9Lr9Uv4", "correct horse battery staple"])
    for (const text of [
      "",
      "a",
      "no & % \\ \\u0041 %41 &amp; %",
      "wrong horse",
      "\ud800",
      "YWJjZGVmZ2g=",
      "61 62 63"
    ]) {
      assert.strictEqual(redact(text), text)
    }
    assert.strictEqual(redactWith([])("any text"), "any text")
    assert.strictEqual(redactWith([""])("any text"), "any text")
  })

  it("shows only the length of a text if it cannot be searched", () => {
    const failing = makeSecretMatcher(
      (function* () {
        yield "Zq8wKd72mXp9Lr9Uv4"
        throw new Error("Zq8wKd72mXp9Lr9Uv4")
      })()
    )
    assert.strictEqual(failing.redact("a text", mark), "[6 characters withheld]")
    assert.deepStrictEqual(failing.find("a text"), [{ start: 0, end: 6 }])
    const chunks = failing.redactChunks(mark)
    assert.strictEqual(chunks.push("a text") + chunks.push(", and more") + chunks.end(), "[16 characters withheld]")
  })
})

describe("chunks", () => {
  const value = 'Zq8wKd72"mXp9Lr9Uv4'
  const filler = valueOf(`${printable}\n`, 9000, 4)

  it("give the same as the whole text, wherever they are split", () => {
    const matcher = makeSecretMatcher([value])
    const text = `a ${value} b ${JSON.stringify(value)} c ${Buffer.from(value).toString("base64")} d ${encodeURIComponent(value)}`
    const whole = matcher.redact(text, mark)
    for (let at = 0; at <= text.length; at++) {
      const chunks = matcher.redactChunks(mark)
      assert.strictEqual(chunks.push(text.slice(0, at)) + chunks.push(text.slice(at)) + chunks.end(), whole)
    }
  })

  it("give the same as the whole text if there are many, and hold back little", () => {
    const long = valueOf(printable, 20_000, 6)
    const matcher = makeSecretMatcher([value, long])
    const text = [filler, value, filler, long, filler, value + value, filler, JSON.stringify(long), filler].join("\n")
    const whole = matcher.redact(text, mark)
    for (const size of [13, 5000, 30_000]) {
      const chunks = matcher.redactChunks(mark)
      let shown = ""
      let held = 0
      for (let at = 0; at < text.length; at += size) {
        const now = chunks.push(text.slice(at, at + size))
        shown += now
        held = now === "" ? held + size : 0
        assert.isBelow(held, 30_000)
      }
      assert.strictEqual(shown + chunks.end(), whole, String(size))
    }
  })
})

describe("the work of a search", () => {
  const comparisonsOf = (values: ReadonlyArray<string>, text: string) => {
    const bytes = values.map((value) => toUtf8(value).map((byte) => fold[byte] ?? 0))
    const index = new GramIndex(bytes.map((bytes) => ({ bytes, isAscii: true, needed: 8, ordinary: [] })))
    const built = index.comparisons
    index.scan(new Bytes(toUtf8(text)), 1, () => {})
    return { built, scanned: index.comparisons - built }
  }
  const random = valueOf(base64Letters, 50_000, 8)
  const periodic = "abcdefghij".repeat(5000)
  const hostile: Readonly<Record<string, readonly [values: ReadonlyArray<string>, text: string]>> = {
    "one character": [["a".repeat(50_000)], "a".repeat(50_000)],
    "a periodic value": [[periodic], periodic],
    "a periodic value against one character less": [[periodic], periodic.replaceAll("j", "")],
    "five equal characters with different ones between": [
      [Array.from({ length: 6250 }, (_, i) => `aaaaa${(i + 46_656).toString(36).slice(-3)}`).join("")],
      "a".repeat(50_000)
    ],
    "many values with one beginning": [
      Array.from({ length: 1000 }, (_, i) => `-----BEGIN PRIVATE KEY-----${i}`),
      "-----BEGIN PRIVATE KEY-----".repeat(1000)
    ],
    "values that are parts of others": [Array.from({ length: 300 }, (_, i) => random.slice(i, 300 + i)), random],
    "the text is the value": [[random], random]
  }
  it("is linear: to find what is ordinary in a value, also in one that repeats a character", () => {
    const millisecondsOf = (value: Uint8Array): number => {
      const start = process.threadCpuUsage()
      ordinaryParts(value, value)
      const { system, user } = process.threadCpuUsage(start)
      return (user + system) / 1000
    }
    for (const unit of ["a", "A", "-", "ab", "Ab ", "://", "a://b"]) {
      const valueOf = (length: number) => toUtf8(unit.repeat(length / unit.length))
      // Shorter durations are noise; quadratic work takes a second, and then sixteen times as long.
      const isSquare = () => {
        const once = millisecondsOf(valueOf(65_536))
        return once >= 50 && millisecondsOf(valueOf(4 * 65_536)) > 8 * once
      }
      assert.isFalse(isSquare() && isSquare() && isSquare(), unit)
    }
  })

  for (const [name, [values, text]] of Object.entries(hostile)) {
    it(`is linear: ${name}`, () => {
      const length = values.reduce((sum, value) => sum + value.length, 0)
      const { built, scanned } = comparisonsOf(values, text)
      // At most one chain per gram of a value; per position of the text, at most a chain and some whole runs.
      assert.isAtMost(built, 3 * length, "built")
      assert.isAtMost(scanned, 20 * text.length, "scanned")
    })
  }
})
