import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { goRegExp } from "../../src/config/GoRegExp.ts"

const matches = (source: string, text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(Result.getOrThrow(goRegExp(source))), ([match]) => match)

describe("goRegExp", () => {
  const cases: ReadonlyArray<readonly [source: string, text: string, found: ReadonlyArray<string>]> = [
    ["(?i)abc", "xABCx", ["ABC"]],
    ["a(?i)b", "aB AB", ["aB"]],
    ["(?i:a)b", "Ab AB", ["Ab"]],
    ["(?i)a|b", "A B", ["A", "B"]],
    ["a(?i)b|c", "aB AB C", ["aB", "C"]],
    ["(a(?i)b)c", "aBc aBC", ["aBc"]],
    ["(?i)a(?-i)b", "Ab AB", ["Ab"]],
    ["(?i)(?-i:a)b", "aB AB", ["aB"]],
    ["(?i)[a-f]{2}[^x]", "AfX Afy", ["Afy"]],
    ["(?i)[M-f][[:lower:]]", "zK gK", ["zK"]],
    ["(?i)\\Qa.B\\E", "A.b", ["A.b"]],
    ["(?i)\\bkey\\d", "KEY1", ["KEY1"]],
    ["(?i)é", "É", ["É"]],
    ["(?s)a.b", "a\nb", ["a\nb"]],
    ["a.b", "a\nb a\u2028b", ["a\u2028b"]],
    ["(?s:a.)b.", "a\nb\n a\nbc", ["a\nbc"]],
    ["(?m)^b$", "a\nb", ["b"]],
    ["(?P<name>b)", "abc", ["b"]],
    ["\\Aab\\z", "ab", ["ab"]],
    ["\\Ab", "ab", []],
    ["a\\z", "a\n", []],
    ["[[:alnum:]_]+", "-a1_-", ["a1_"]],
    ["[^[:space:]]+", "a b", ["a", "b"]],
    ["[]a]+", "]a[", ["]a"]],
    ["\\Qa.b\\E+", "a.b axb", ["a.b"]],
    ["\\x{1F511}", "a\u{1f511}", ["\u{1f511}"]],
    ["\\pL+", "ü1", ["ü"]],
    ["a{2,3}", "aaaa", ["aaa"]],
    ["{", "{", ["{"]],
    ["(?:ab){1,3}c*", "ababcc", ["ababcc"]],
    ["(?:foo|bar)+", "foobar", ["foobar"]],
    ["(?:[0-9a-f]{2}:){12}", "00:".repeat(12), ["00:".repeat(12)]],
    ["a(?:\\.\\w+)+", "a.b.c", ["a.b.c"]],
    ["(?:/[^/]+)*x", "/a/bx", ["/a/bx"]],
    ["([a-z]+-){3}", "a-b-c-", ["a-b-c-"]]
  ]
  for (const [source, text, found] of cases) {
    it(source, () => assert.deepStrictEqual(matches(source, text), found))
  }

  it("expands flags, because Node 22 does not support groups with flags", () => {
    for (const source of ["(?i)a[b-d]", "(?i:a)b", "(?im)^a$", "(?s)a.", "(?-i)a", "a(?i)b|c"]) {
      const compiled = Result.getOrThrow(goRegExp(source))
      assert.strictEqual(compiled.flags, "g", source)
      assert.notMatch(compiled.source, /\(\?[a-z-]+[:)]/u, source)
    }
  })

  const endless = [
    "(a+)+",
    "(?:a*b)*",
    "(a|b*){2,}",
    "(a|aa)+$",
    "(?i)(A|a)+$",
    "([ab]|a)+$",
    "(a?){50}a",
    "(a{1,50}){1,50}$",
    "((?:a|a))+$",
    "(?:\\.[.a]+)+$",
    "(|a)+$"
  ]
  for (const source of [...endless, "(?U)a+", "a)", "(a", "[a", "\\C"]) {
    it(`${source} is refused, with a reason`, () => {
      const result = goRegExp(source)
      assert.isTrue(Result.isFailure(result))
      assert.isNotEmpty(Result.isFailure(result) ? result.failure : "")
    })
  }
})
