/** The rule that docs/detection.md adds as an example. */
import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { assert, it } from "@effect/vitest"
import { makeRuleSet } from "../src/rules/RuleSet.ts"
import { fileKind } from "../src/text/FileKind.ts"
import { makeSource } from "../src/text/Source.ts"

it("docs/detection.md adds a rule that finds what it says", async () => {
  const page = readFileSync(new URL("../../../docs/detection.md", import.meta.url), "utf8")
  const [, code = ""] = /```ts\n([\s\S]*?)```/u.exec(page) ?? []
  const module = await import(`data:text/javascript,${encodeURIComponent(stripTypeScriptTypes(code))}`)
  const text = "! site 3\nvpn-password hunter22-x\n"
  const found = makeRuleSet([module.vpnPasswords]).findIn(makeSource(text, "vpn.conf", fileKind("vpn.conf"), () => []))
  assert.deepStrictEqual(
    found.map(({ rule, value }) => [rule, value]),
    [["vpn-password", "hunter22-x"]]
  )
})
