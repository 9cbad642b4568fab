/** The examples of docs/detection.md#add-a-rule. */
import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { candidatesIn } from "../src/Text.ts"
import { keywordsOf } from "../src/rules/KeywordsOf.ts"
import { makeRuleSet } from "../src/rules/RuleSet.ts"
import { fileKind } from "../src/text/FileKind.ts"
import { makeSource } from "../src/text/Source.ts"

const page = readFileSync(new URL("../../../docs/detection.md", import.meta.url), "utf8")
const [row = "", rule = ""] = Array.from(page.matchAll(/```ts\n([\s\S]*?)```/gu), ([, code = ""]) => code)
const importing = (code: string) => import(`data:text/javascript,${encodeURIComponent(stripTypeScriptTypes(code))}`)

describe("docs/detection.md", () => {
  it("shows a row whose pattern starts at its keyword and ends where the token ends", async () => {
    const [, pattern] = (await importing(`export ${row}`)).row
    const token = `${keywordsOf(pattern)[0] ?? ""}${"aB3d".repeat(8)}`
    const matches = (text: string) => new RegExp(pattern).exec(text)?.[0]
    assert.strictEqual(matches(`${token}" there`), token)
    assert.isUndefined(matches(`${token}a`))
    assert.isUndefined(matches(`a${token}`))
  })

  it.each(
    Array.from(
      page.matchAll(/^\| `([^`]+)`[^|]*\| `([^`]+)`\s*\| ((?:`[^`]+` ?)+)\s*\|$/gmu),
      ([, path = "", line = "", secrets = ""]) => ({ path, line, secrets })
    )
  )("finds the secret of $path as it is: $line", ({ line, path, secrets }) => {
    const text = `${line.replaceAll("⏎", "\n").replaceAll("⇥", "\t")}\n`
    assert.deepStrictEqual(
      candidatesIn(text, { path }).map(({ value }) => Redacted.value(value)),
      Array.from(secrets.matchAll(/`([^`]+)`/gu), ([, secret]) => secret)
    )
  })

  it("adds a rule that finds what it says", async () => {
    const { vpnPasswords } = await importing(rule)
    const text = "! site 3\nvpn-password hunter22-x\n"
    const found = makeRuleSet([vpnPasswords]).findIn(makeSource(text, "vpn.conf", fileKind("vpn.conf"), () => []))
    assert.deepStrictEqual(
      found.map(({ rule, value }) => [rule, value]),
      [["vpn-password", "hunter22-x"]]
    )
  })
})
