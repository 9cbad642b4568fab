import { assert, describe, it } from "@effect/vitest"
import { makeMask, masked } from "@threat-exposure/leak-check/verdict/Mask"

const value = 'p@ss/w+rd "1"&é'
const mask = makeMask([value, "Passw0rd-Passw0rd"])

const base64 = (text: string) => Buffer.from(text).toString("base64")

describe("Mask", () => {
  it("masks a value in every form in which a leak can contain it", () => {
    const forms = [
      value,
      value.toUpperCase(),
      encodeURIComponent(value),
      encodeURIComponent(value).toLowerCase(),
      encodeURIComponent(value).replaceAll("%20", "+"),
      JSON.stringify(value).slice(1, -1),
      "p@ss/w+rd &quot;1&quot;&amp;é",
      base64(value).replace(/=+$/, ""),
      Buffer.from("Passw0rd-Passw0rd", "utf16le").toString("base64").replace(/=+$/, ""),
      Buffer.from(value).toString("base64url"),
      Buffer.from(value).toString("hex"),
      value.normalize("NFD"),
      'p@ss/w+\u200brd "1"&é',
      'p@ss/w+rd\n"1"&é',
      '<mark>p</mark>@ss/w+rd <em>"1"</em>&é'
    ]
    for (const form of forms) assert.strictEqual(mask.text(`before ${form} after`), `before ${masked} after`, form)
    for (const before of ["", "a", "ab"]) {
      const text = mask.text(base64(`${before}${value}...`))
      assert.include(text, masked)
    }
  })

  it("masks every line of a key", () => {
    const lines = ["-----BEGIN X-----", "qPz81mWnd02kLx", "MIIEvQIBADANBgkqhkiG9w0BAQEF", "-----END X-----"]
    const key = makeMask([lines.join("\n")])
    assert.strictEqual(key.text(`see ${lines[2]} there`), `see ${masked} there`)
    assert.notInclude(key.text(lines.join("\\n")), "kqhki")
  })

  it("masks what is left of a value at the ends of an excerpt", () => {
    const mask = makeMask(["correct-horse-battery"])
    assert.strictEqual(mask.excerpt("horse-battery is what they use", true), `${masked} is what they use`)
    assert.strictEqual(mask.excerpt("…battery is it, says correct-ho...", true), `${masked} is it, says ${masked}...`)
    assert.strictEqual(
      mask.excerpt("says <mark>correct</mark> and <mark>horse</mark>", true),
      `says ${masked} and ${masked}`
    )
    assert.strictEqual(mask.excerpt("says <mark>example.com</mark>", false), "says example.com")
  })

  it("is fast on hostile text, and shows no half of a value where it stops reading", () => {
    for (const text of [
      "a".repeat(2_000_000),
      "<mark>".repeat(400_000),
      "a@".repeat(400_000),
      "%41".repeat(400_000),
      "+ ".repeat(400_000)
    ]) {
      assert.isAtMost(mask.excerpt(text, true).length, 300)
      assert.isAtMost(mask.text(text).length, 300)
      assert.isAtMost(mask.account(text).length, 200)
    }
    const half = `${"<em></em>".repeat(443)}before ${value}`
    assert.isBelow(half.indexOf(value), 4000)
    assert.notInclude(mask.text(half), value.slice(0, 5))
  })

  it("masks runs of eight characters of a value in what may quote the service, but only whole values in our own text", () => {
    const mask = makeMask(["Zq8wKd72mXp9Lr9Uv4"], ["admin@example.com"])
    for (const masking of [mask.text, mask.quoted, mask.identifier]) {
      assert.strictEqual(masking("cannot search for Zq8wKd72mXp9L…"), `cannot search for ${masked}…`)
    }
    assert.strictEqual(mask.own("Zq8wKd72mXp9L.env"), "Zq8wKd72mXp9L.env")
    assert.strictEqual(mask.own("Zq8wKd72mXp9Lr9Uv4.env"), `${masked}.env`)
    assert.strictEqual(mask.quoted("a list of example.com"), "a list of example.com")
    assert.strictEqual(mask.quoted("a list of admin@example.com"), `a list of ${masked}`)
  })

  it("masks accounts and the passwords next to them", () => {
    assert.strictEqual(
      mask.text("alice@example.com:Summer2024! and bob.b@mail.example.org wrote password = qwerty12"),
      `a…@example.com:${masked} and b…@mail.example.org wrote password = ${masked}`
    )
    assert.strictEqual(mask.account("alice@example.com"), "a…@example.com")
    assert.strictEqual(mask.account("alice"), "a…")
    assert.strictEqual(mask.account("@x"), "@…")
    assert.strictEqual(mask.account("a@b@example.com"), "a…@example.com")
    assert.strictEqual(mask.account(""), "…")
  })

  it("returns one short line of visible characters", () => {
    assert.strictEqual(mask.text("a\r\n\tb\u0000\u001b[31mc\u202Ed\u200B"), "a b[31mcd")
    assert.strictEqual(mask.text("x".repeat(400)).length, 300)
    assert.isTrue(mask.text("👍".repeat(400)).isWellFormed())
  })

  it("links only to the web, without credentials and without a value", () => {
    assert.strictEqual(mask.link("https://app.example.com/e/1?a=b"), "https://app.example.com/e/1?a=b")
    for (const url of [
      "javascript:alert(1)",
      "data:text/html,x",
      "https://user:pass@example.com/",
      `https://app.example.com/${encodeURIComponent(value)}`,
      "not a url",
      null
    ]) {
      assert.isNull(mask.link(url), String(url))
    }
  })

  it("does not change our own texts, except for the values", () => {
    const mask = makeMask(["hunter2-hunter2"], ["production"])
    assert.strictEqual(
      mask.own("production/hunter2-hunter2.env by a@example.com"),
      `production/${masked}.env by a@example.com`
    )
    assert.strictEqual(mask.text("production"), masked)
  })
})
