import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { isUnassigned, valuePosition, type ValuePosition } from "../../../src/rules/assignment/ValuePosition.ts"
import { fileKind } from "../../../src/text/FileKind.ts"
import { makeSource } from "../../../src/text/Source.ts"

it("the fast check excludes only what the exact one excludes as well", () => {
  const punctuation = [..." \n\t()[]{}<>\"'`\\/:;,.=+-*|!?&$#@%^~"]
  const words = ["is", "or", "string", "As String", "value", "default", "name", "x", "A1", "get", "set(", "strcmp("]
  const operators = [
    "=>",
    "??",
    ".unwrap_or(",
    '");s:5:"',
    "{ get; set; }",
    " = ",
    "--",
    ') || "x"',
    ' or "x"',
    ' string = "',
    ' to "x"',
    "</key><string>x",
    "value = 'abc' where name = '",
    ', <<"x'
  ]
  const piece = fc.constantFrom(...punctuation, ...words, ...operators)
  const pieces = fc.array(piece, { maxLength: 4 }).map((array) => array.join(""))
  const path = fc.constantFrom("a.js", "a.kts", "a.yml", "a.sql", "a.md", "a.tf", "a.ini", "a.txt")
  const counts = { unassigned: 0 }
  fc.assert(
    fc.property(pieces, pieces, path, fc.boolean(), (before, after, path, isFlag) => {
      const name = isFlag ? "-token" : "token"
      // A character that may belong to a name would extend it.
      fc.pre(!/[\w.-]$/.test(before) && !/^\w/.test(after))
      const source = makeSource(before + name + after, path, fileKind(path), () => [])
      const end = before.length + name.length
      if (!isUnassigned(source, before.length, end)) return
      counts.unassigned++
      assert.isUndefined(valuePosition(source, before.length, end), JSON.stringify(source.text))
    }),
    { numRuns: 20_000 }
  )
  assert.isAbove(counts.unassigned, 1000)
})

describe("the value of a name begins", () => {
  /** Double angle quotes mark the name, and `^` precedes the value. */
  const positionOf = (path: string, marked: string) => {
    const text = marked.replaceAll(/[«»^]/gu, "")
    const start = marked.slice(0, marked.indexOf("«")).replace("^", "").length
    const end = start + (/«(.*?)»/u.exec(marked)?.[1]?.length ?? 0)
    const position = valuePosition(
      makeSource(text, path, fileKind(path), () => []),
      start,
      end
    )
    return position && { ...position, at: text.slice(position.at) }
  }

  /** The text from the value on. */
  const valueOf = (marked: string) => marked.slice(marked.indexOf("^") + 1).replaceAll(/[«»]/gu, "")

  const cases: ReadonlyArray<readonly [what: string, path: string, marked: string, by: ValuePosition["by"]]> = [
    ["behind an operator", "a.js", `«token» = ^"hunter22"`, "assign"],
    ["behind a colon", "a.js", `{ «token»: ^"hunter22" }`, "colon"],
    ["behind a quoted key", "a.py", `{"«token»": ^"hunter22"}`, "colon"],
    ["as the second argument", "a.js", `set("«token»", ^"hunter22")`, "call"],
    ["in an element", "a.xml", `<«password»>^hunter22</password>`, "element"],
    [
      "in an element of a namespace, behind attributes",
      "a.xml",
      `<wsse:«Password» Type="x">^hunter22</wsse:Password>`,
      "element"
    ],
    ["in the next element", "a.plist", `<key>«token»</key>\n<string>^hunter22</string>`, "element"],
    ["behind an anchor", "a.yml", `«password»: &shared ^hunter22`, "colon"],
    ["behind a tag", "a.yml", `«password»: !!str ^hunter22`, "colon"],
    ["as the value of a mapping below", "a.yml", `«PASSWORD»:\n  description: of tests\n  value: ^hunter22`, "colon"],
    ["on the next line", "a.yml", `«password»:\n  ^hunter22\n`, "colon"],
    ["as the value of an object", "a.json", `{"«token»": {"type": "string", "value": ^"hunter22"}}`, "colon"],
    ["as the value of a property", "a.js", `«token»: { value: ^"hunter22" }`, "colon"],
    ["in the next cell of Robot Framework", "a.robot", "${«PASSWORD»}    ^hunter22", "assign"],
    ["behind the infix of Kotlin", "a.kts", `mapOf("«token»" to ^"hunter22")`, "assign"],
    ["as PHP serialises it", "a.txt", `s:8:"«password»";s:8:^"hunter22";`, "assign"],
    ["behind the accessors of a property", "a.cs", `string «Password» { get; set; } = ^"hunter22";`, "assign"],
    ["behind a type of Julia", "a.jl", `«token»::String = ^"hunter22"`, "assign"],
    ["before the name, in SQL", "a.sql", `UPDATE settings SET value = ^'hunter22' WHERE name = '«password»'`, "assign"],
    ["before the name, in XML", "a.xml", `<add value=^"hunter22" name="«password»" />`, "assign"],
    ["above the name", "a.yml", `- value: ^hunter22\n  name: «PASSWORD»`, "assign"],
    ["before the arrow of R", "a.r", `^"hunter22" -> «token»`, "assign"],
    ["behind a blank, where settings are written so", "a.conf", `«password» ^hunter22`, "blank"],
    ["behind a flag", "a.sh", `curl --«token» ^hunter22`, "flag"]
  ]
  for (const [what, path, marked, by] of cases) {
    it(`${what}: ${marked}`, () => {
      assert.deepStrictEqual(positionOf(path, marked), {
        at: valueOf(marked),
        by,
        indirect: false
      })
    })
  }

  const indirectCases: ReadonlyArray<readonly [what: string, path: string, marked: string]> = [
    ["as a default", "a.js", `const key = env.«TOKEN» ?? ^"hunter22"`],
    ["as a default behind brackets", "a.js", `const key = env["«TOKEN»"] || ^"hunter22"`],
    ["as a default of Ruby", "a.rb", `ENV.fetch("«TOKEN»") { ^"hunter22" }`],
    ["as a default of Rust", "a.rs", `env::var("«TOKEN»").unwrap_or(^"hunter22")`],
    ["as the literal that a function yields", "a.js", `get«Token»() { return ^"hunter22" }`],
    ["as the literal that a method of Python yields", "a.py", `def «token»(self): return ^"hunter22"`],
    ["as the literal that a method of Ruby yields", "a.rb", `def «token»\n  ^"hunter22"\nend`]
  ]
  for (const [what, path, marked] of indirectCases) {
    it(`${what}: ${marked}`, () => {
      assert.deepStrictEqual(positionOf(path, marked), { at: valueOf(marked), by: "assign", indirect: true })
    })
  }

  const without: ReadonlyArray<readonly [path: string, marked: string]> = [
    ["a.xml", `</«password»>`],
    ["a.md", `https://shields.io/a.svg?«token»=hunter22`],
    ["a.js", `«token»; "hunter22"`],
    ["a.js", `«password» hunter22`],
    ["a.robot", "${«PASSWORD»}    ${OTHER}"]
  ]
  for (const [path, marked] of without) {
    it(`nowhere: ${marked}`, () => assert.isUndefined(positionOf(path, marked)))
  }
})
