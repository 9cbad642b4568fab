import { assert, describe, it } from "@effect/vitest"
import { candidatesIn } from "@threat-exposure/detect/Text"
import { Redacted } from "effect"
import { repositoryIn } from "../../src/leaks/Repository.ts"
import { followed, ofSelection, spanOf } from "../../src/leaks/Scans.ts"

const secret = ["tidal", "Wren", "4471", "harbour!"].join("-")
const text = `user = shop\npassword = "${secret}"\n`
const place = { value: Redacted.make(secret), location: { path: "a.ini", line: 2, column: 13 } }

const open = (start: number, end: number, line = 1) => ({
  uri: "file:///a.ini",
  path: "a.ini",
  text,
  version: 1,
  languageId: "ini",
  selection: { start: { line, character: start }, end: { line, character: end } },
  selected: text.split("\n")[line]?.slice(start, end) ?? ""
})

describe("a value in a file", () => {
  it("spans from its first to its last character", () => {
    assert.deepStrictEqual(spanOf(text, place), {
      start: { line: 1, character: 12 },
      end: { line: 1, character: 12 + secret.length }
    })
  })

  it("spans to the end of its line where it was encoded there", () => {
    const encoded = { ...place, value: Redacted.make("something else") }
    assert.deepStrictEqual(spanOf(text, encoded).end, { line: 1, character: 13 + secret.length })
  })

  it("spans lines", () => {
    const key = { value: Redacted.make("a\nbc\nd"), location: { path: "k", line: 1, column: 3 } }
    assert.deepStrictEqual(spanOf("x a\nbc\nd y", key).end, { line: 2, character: 1 })
  })

  it("is followed to where it is after an edit, and nowhere once it is gone", () => {
    const was = { line: 1, character: 12 }
    assert.deepStrictEqual(followed(`# new\n\n${text}`, place.value, was), { line: 3, character: 12 })
    assert.deepStrictEqual(followed(`${secret}\n${text}${secret}`, place.value, { line: 2, character: 12 }), {
      line: 2,
      character: 12
    })
    assert.isUndefined(followed("user = shop", place.value, was))
  })
})

describe("a selection", () => {
  it("takes the candidates that it touches", () => {
    const [found, ...rest] = ofSelection(open(15, 18), candidatesIn)
    assert.strictEqual(found === undefined ? "" : Redacted.value(found.value), secret)
    assert.deepStrictEqual(rest, [])
  })

  it("is a candidate itself where it is one word that nothing was found in", () => {
    const [found] = ofSelection({ ...open(0, 11, 0), selected: " shop-user-7 " }, candidatesIn)
    assert.strictEqual(found === undefined ? "" : Redacted.value(found.value), "shop-user-7")
    assert.deepStrictEqual(ofSelection({ ...open(0, 11, 0), selected: "user = shop" }, candidatesIn), [])
    assert.deepStrictEqual(ofSelection({ ...open(0, 4, 0), selected: "user" }, candidatesIn), [])
  })
})

it("names a repository as a workflow does", () => {
  const config = (url: string) => `[core]\n\tbare = false\n[remote "origin"]\n\turl = ${url}\n\tfetch = +refs/*\n`
  assert.strictEqual(repositoryIn(config("https://git.example.com/example/orchard.git")), "example/orchard")
  assert.strictEqual(repositoryIn(config("git@git.example.com:example/orchard.git")), "example/orchard")
  assert.strictEqual(repositoryIn(config("ssh://git@git.example.com:22/example/orchard/")), "example/orchard")
  assert.isUndefined(repositoryIn("[core]\n\tbare = false\n"))
})
