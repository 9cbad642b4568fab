import { assert, it } from "@effect/vitest"
import { attributeRules } from "../../src/git/AttributeRules.ts"

it.each<readonly [line: string, marked: ReadonlyArray<string>, unmarked: ReadonlyArray<string>]>([
  ["*.lock.env linguist-generated", ["a.lock.env", "x/y/a.lock.env", ".lock.env"], ["a.env"]],
  ["/gen/** text=auto linguist-vendored=true", ["gen/a", "gen/x/y"], ["x/gen/a"]],
  ["gen/*.env linguist-generated", ["gen/a.env"], ["gen/x/a.env", "x/gen/a.env"]],
  ['"a b.env" linguist-generated', ["a b.env", "x/a b.env"], ["a"]],
  ["a{b}(c).env linguist-generated", ["a{b}(c).env"], ["ab.env"]],
  ["[!a].env linguist-generated", ["b.env"], ["a.env"]],
  ["* linguist-generated\nkept.env -linguist-generated\nalso.env !linguist-generated", ["a"], ["kept.env", "also.env"]],
  [
    "a.env linguist-generated=false\n# b.env linguist-generated\n!c.env linguist-generated",
    [],
    ["a.env", "b.env", "c.env"]
  ]
])("of %s", (text, marked, unmarked) => {
  const isMarked = attributeRules([[".gitattributes", text]])
  assert.deepStrictEqual([...marked, ...unmarked].filter(isMarked), marked)
})

it("of a folder come before those above it", () => {
  const isMarked = attributeRules([
    [".gitattributes", "*.env linguist-generated"],
    ["own/.gitattributes", "*.env -linguist-generated"]
  ])
  assert.deepStrictEqual(["a.env", "own/a.env"].filter(isMarked), ["a.env"])
})
