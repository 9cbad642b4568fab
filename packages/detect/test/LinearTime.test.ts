/**
 * Every rule takes time in proportion to the text, whatever the text: a hostile file could stop a check or a service.
 *
 * A text is pumped from each keyword of a rule and what may follow it. Where four times the text takes more than eight
 * times the processor time, three times in a row, the rule is not linear: a square takes sixteen times. No time has a
 * limit of its own.
 */
import { assert, describe, it } from "@effect/vitest"
import { proseRules } from "../src/rules/prose/ProseRules.ts"
import type { Rule } from "../src/rules/Rule.ts"
import { rules } from "../src/rules/Rules.ts"
import { makeRuleSet, type RuleSet } from "../src/rules/RuleSet.ts"
import { secretsIn } from "../src/SecretsInText.ts"
import { findingsInProse, scanText } from "../src/Text.ts"
import { fileKind } from "../src/text/FileKind.ts"
import { makeSource } from "../src/text/Source.ts"
import { maxValue } from "../src/text/StringLiteral.ts"

const characters = Array.from(' \t\na~="<({[-.:,\\|')
const fills = [...characters, "A1b2", 'a="b" ', "a: b\n", "-a ", "{{", "&a=b", "eyJ"]
/** A path for each rule that is called only for some. */
const pathsOfRules =
  ".pgpass .curlrc .fetchmailrc .netrc sasl_passwd userlist.txt users.acl master.key password.txt ipsec.secrets .erlang.cookie rsyncd.secrets chap-secrets psk.txt passwd.client ntp.keys .monitrc realm.properties turnserver.conf resource.cfg secrets.yaml vpn/auth.txt a.csv".split(
    " "
  )
const paths = ["README.md", "a.py", "a.yaml", "a.sh", ".env", "a.tf", "a.sql", "a.rs", "a.conf"]

/** How a text of a length is made from a keyword and a fill. */
const shapes: ReadonlyArray<(keyword: string, fill: string, length: number) => string> = [
  (keyword, fill, length) => keyword + fill.repeat(length / fill.length),
  (keyword, fill, length) => (keyword + fill).repeat(length / (keyword.length + fill.length)),
  (keyword, fill, length) => `${keyword}="${fill.repeat(maxValue / fill.length)}"\n`.repeat(length / maxValue),
  (keyword, fill, length) => `${fill.repeat(length / fill.length)}${keyword}=x`
]

const millisecondsOf = (work: () => void): number => {
  const start = process.cpuUsage()
  work()
  const { system, user } = process.cpuUsage(start)
  return (user + system) / 1000
}

const warmUpLength = 256

/** Shorter runs are noise. */
const minMilliseconds = 10
const maxRatio = 8

/** Whether the time grows with more than the length, each time that it is measured. */
const isSuperlinear = (work: (length: number) => void, length: number): boolean => {
  // V8 compiles an expression when it is run again.
  work(warmUpLength)
  for (let attempt = 0; attempt < 3; attempt++) {
    const once = millisecondsOf(() => work(length))
    if (once < minMilliseconds) return false
    if (millisecondsOf(() => work(length * 4)) < maxRatio * once) return false
  }
  return true
}

const findIn = (set: RuleSet, path: string, text: string) =>
  set.findIn({ ...makeSource(text, path, fileKind(path), () => []), freeText: path === "" })

const length = maxValue

/** Texts have up to 4 MB then, and each fill of a rule has two of the shapes in turn. Otherwise, it has one. */
const isLong = process.env["LONG_PROPERTIES"] === "true"

/** The keywords of a rule lead to the same code: the first of them stands for all. */
const keywordOf = ({ keywords }: Rule): string => keywords[0] ?? ""

describe("time grows with the text", () => {
  it("notices that it grows with the square, in the simplest of patterns that do", () => {
    const isQuadratic = (pattern: RegExp) =>
      isSuperlinear((size) => Array.from("=".repeat(size).matchAll(pattern)).length, (length * 3) / 4)
    assert.isTrue(isQuadratic(/=+x/gu))
    assert.isFalse(isQuadratic(/(?<!=)=+x/gu))
  })

  it.each([...new Set([...rules, ...proseRules])].map((rule, index) => [`${rule.id} ${index}`, rule] as const))(
    "%s",
    (name, rule) => {
      const set = makeRuleSet([rule])
      const isProvider = rule.id.startsWith("provider/")
      const found: Array<string> = []
      let turn = name.length
      const keyword = keywordOf(rule)
      for (const [at, fill] of (isProvider ? ["-", keyword] : fills).entries()) {
        for (const [shape, make] of shapes.slice(0, isProvider ? 2 : undefined).entries()) {
          if (!isProvider && (shape + at + name.length) % (isLong ? 2 : shapes.length) !== 0) continue
          // The next of the paths: all of them for each fill would take minutes.
          const path =
            rule.path === undefined
              ? proseRules.includes(rule)
                ? ""
                : paths[turn++ % paths.length]
              : pathsOfRules.find((one) => rule.path?.test(one))
          assert.isDefined(path)
          const work = (size: number) => findIn(set, path, make(keyword, fill, size))
          if (isSuperlinear(work, length)) found.push(JSON.stringify({ keyword, fill, shape, path }))
        }
      }
      assert.deepStrictEqual(found, [])
    }
  )

  const texts: ReadonlyArray<readonly [path: string, (length: number) => string]> = [
    ["README.md", (size) => "~".repeat(size)],
    ["a.txt", (size) => `Authorization: ${" ".repeat(size)}`],
    ["a.txt", (size) => `password ${" ".repeat(size)}x`],
    ["a.pem", (size) => `-----BEGIN RSA ${"PRIVATE"} KEY-----\n`.repeat(size / 32)],
    [
      "a.env",
      (size) => Array.from({ length: Math.floor(size / 40) }, (_, at) => `PASSWORD_${at}=w8NqT5yU${at}c3Zk`).join("\n")
    ],
    [
      "a.js",
      (size) => Array.from({ length: Math.floor(size / 40) }, (_, at) => `password="w8NqT5yU${at}c3Zk";`).join("")
    ],
    [
      "a.rs",
      (size) =>
        Array.from({ length: Math.floor(size / 40) }, (_, at) => `let password = "w8NqT5yU${at}c3Zk";`).join("\n")
    ],
    ["a.lua", (size) => "x = [[\n".repeat(size / 7)],
    ["a.cs", (size) => 'x = @"\n'.repeat(size / 7)],
    ["a.cs", (size) => 'password = @"a""'.repeat(size / 16)],
    ["a.pl", (size) => "password = q{".repeat(size / 13)],
    ["a.tf", (size) => "set_sensitive { ".repeat(size / 16)],
    ["a.tf", (size) => 'value = "abcd"\n name = "password"\n'.repeat(size / 34)],
    ["a.yaml", (size) => "- value: abcd\n  name: password\n".repeat(size / 31)],
    ["a.yaml", (size) => "cookies:\n  name: a\n  b: c\n".repeat(size / 27)],
    ["a.jmx", (size) => '<elementProp "cookie.value">abcdefghijklmnopqrst<'.repeat(size / 49)],
    ["a.properties", (size) => "password=a # ".repeat(size / 13)],
    [
      "a.sql",
      (size) =>
        Array.from({ length: Math.floor(size / 40) }, (_, at) => `insert into t${at} values ('a', 'b');`).join("\n")
    ]
  ]
  it.each(texts)("%s, %s", (path, make) => {
    assert.isFalse(
      isSuperlinear((size) => scanText(make(size), path), isLong ? 1_000_000 : 30_000),
      "as a file"
    )
    assert.isFalse(
      isSuperlinear((size) => findingsInProse(make(size)), isLong ? 1_000_000 : 15_000),
      "as prose"
    )
  })

  it.each(["a@", "a@b.c ", "-u a ", 'key="pw" ', "pw=a(", "'a:", "jane@example.com\n", "new one is "])(
    "the beginning of a secret in a text, repeated: %s",
    (piece) => {
      const work = (size: number) => secretsIn(piece.repeat(size / piece.length))
      assert.isFalse(isSuperlinear(work, isLong ? 1_000_000 : 15_000))
    }
  )
})
