import { assert, describe, it } from "@effect/vitest"
import { scanText } from "@threat-exposure/detect/Text"
import { Effect, Redacted } from "effect"
import { detector } from "../../src/detection/Detector.ts"
import { Lines, spanOf } from "../../src/detection/Lines.ts"
import { repositoryOf } from "../../src/leaks/Repository.ts"
import { noRules, ofFile, ofSelection } from "../../src/leaks/Scans.ts"
import { EditorDouble } from "../EditorDouble.ts"

const secret = ["tidal", "Wren", "4471", "harbour!"].join("-")
const text = `user = shop\npassword = "${secret}"\n`

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
    const [found] = scanText(text, "a.ini").candidates
    assert.deepStrictEqual(found && spanOf(found.location), {
      start: { line: 1, character: 12 },
      end: { line: 1, character: 12 + secret.length }
    })
  })

  it("is found where it stands nearest to a place, on a line of several too", () => {
    const was = { line: 1, character: 12 }
    const near = (text: string, to = was) => new Lines(text).nearest(secret, to)?.start
    assert.deepStrictEqual(near(`# new\n\n${text}`), { line: 3, character: 12 })
    assert.deepStrictEqual(near(`${secret}\n${text}${secret}`, { line: 2, character: 12 }), { line: 2, character: 12 })
    assert.deepStrictEqual(
      near(`a ${secret} ${secret}`, { line: 0, character: secret.length + 3 })?.character,
      secret.length + 3
    )
    assert.isUndefined(near("user = shop"))
  })

  it("is placed in a long file of many as fast as it is read", () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `password_${index} = "${secret}${index}"\r`).join("\n")
    const lines = new Lines(many)
    const { candidates } = scanText(many, "a.ini")
    assert.isAbove(candidates.length, 10_000)
    for (const candidate of candidates) {
      assert.strictEqual(lines.text(spanOf(candidate.location)), Redacted.value(candidate.value))
    }
  })
})

describe("a selection", () => {
  it("takes the candidates that it touches", () => {
    const [found, ...rest] = ofSelection(detector, open(15, 18), noRules)
    assert.strictEqual(found === undefined ? "" : Redacted.value(found.value), secret)
    assert.deepStrictEqual(rest, [])
  })

  it("is a candidate itself where it is one word that nothing was found in", () => {
    const [found] = ofSelection(detector, { ...open(0, 11, 0), selected: " shop-user-7 " }, noRules)
    assert.strictEqual(found === undefined ? "" : Redacted.value(found.value), "shop-user-7")
    assert.deepStrictEqual(ofSelection(detector, { ...open(0, 11, 0), selected: "user = shop" }, noRules), [])
    assert.deepStrictEqual(ofSelection(detector, { ...open(0, 4, 0), selected: "user" }, noRules), [])
  })

  it("is searched without the quotes around it", () => {
    const quoted = "'orchard7'"
    const [found] = ofSelection(detector, { ...open(0, 10, 0), text: quoted, selected: quoted }, noRules)
    assert.strictEqual(found === undefined ? "" : Redacted.value(found.value), "orchard7")
    assert.strictEqual(found?.location.column, 2)
  })
})

it("says of a file that is not read for secrets that it was not", () => {
  const { candidates, gaps, skipped } = ofFile(detector, { ...open(0, 0), path: "package-lock.json" }, noRules)
  assert.deepStrictEqual(candidates, [])
  assert.deepStrictEqual(gaps, [])
  assert.deepStrictEqual(skipped, [{ reason: "lock-file", count: 1, names: ["package-lock.json"] }])
})

describe("the repository of a folder", () => {
  const config = '[remote "origin"]\n\turl = https://git.example.com/example/orchard.git\n'
  const files = [
    { name: "a clone", of: { "/orchard/.git/config": config }, folder: "/orchard", root: "/orchard" },
    {
      name: "a folder inside a clone",
      of: { "/orchard/.git/config": config },
      folder: "/orchard/shop/web",
      root: "/orchard"
    },
    {
      name: "a worktree",
      of: {
        "/tree/.git": "gitdir: /orchard/.git/worktrees/tree\n",
        "/orchard/.git/worktrees/tree/commondir": "../..\n",
        "/orchard/.git/config": config
      },
      folder: "/tree",
      root: "/tree"
    },
    {
      name: "a submodule",
      of: { "/shop/orchard/.git": "gitdir: ../.git/modules/orchard\n", "/shop/.git/modules/orchard/config": config },
      folder: "/shop/orchard",
      root: "/shop/orchard"
    }
  ]
  it.effect.each(files)("is found in $name", ({ folder, of, root }) => {
    const editor = new EditorDouble()
    for (const [path, text] of Object.entries(of)) editor.files.set(`file://${path}`, text)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* repositoryOf(`file://${folder}`), { root: `file://${root}`, config })
      assert.isUndefined(yield* repositoryOf("file:///elsewhere"))
    }).pipe(Effect.provide(editor.layer))
  })
})
