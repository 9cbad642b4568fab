import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { candidatesIn } from "../../src/Text.ts"

const values = (text: string, path: string) => candidatesIn(text, { path }).map(({ value }) => Redacted.value(value))

/** Synthetic random values. */
const drawn = "q7Zr2Vx9LtWk4Np8Yd3BHs6Jc1Mf0Gu5"
const other = "Mf0Gu5q7Zr2Vx9LtWk4Np8Yd3BHs6Jc1"

describe("cookies", () => {
  const cases: ReadonlyArray<readonly [what: string, path: string, text: string, values: ReadonlyArray<string>]> = [
    ["of a session, among others", "a.http", `Cookie: theme=dark; sessionid=${drawn}; visitor=${other}`, [drawn]],
    ["of a session of a framework", "a.sh", `curl -H 'Cookie: connect.sid=${drawn}' https://example.net`, [drawn]],
    ["in an object", "a.js", `const headers = { "Cookie": "PHPSESSID=${drawn}" }`, [drawn]],
    ["of no session", "a.http", `Cookie: _ga=${other}; cart=${drawn}; session=none`, []],
    ["of no value", "a.http", "Cookie: sessionid=; auth=$TOKEN; sid={{sid}}", []]
  ]
  for (const [what, path, text, expected] of cases) {
    it(what, () => assert.deepStrictEqual(values(text, path), expected))
  }
})

describe("a scheme that is joined to its token", () => {
  it.each([
    ["a.js", `const a = "Bearer " + "${drawn}"`],
    ["a.php", `$a = 'Bearer ' . '${drawn}';`]
  ])("%s: %s", (path, text) => {
    assert.deepStrictEqual(values(text, path), [drawn])
  })

  it("is nothing without one", () => {
    assert.deepStrictEqual(values(`const a = "Bearer " + "token"; const b = "Bearer " + token`, "a.js"), [])
  })
})
