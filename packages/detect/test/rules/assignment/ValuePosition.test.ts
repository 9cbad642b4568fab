import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { isUnassigned, valuePosition } from "../../../src/rules/assignment/ValuePosition.ts"
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
      // A character that continues a name would be a part of it.
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
