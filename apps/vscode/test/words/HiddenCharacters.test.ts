import { assert, it } from "@effect/vitest"
import { onItsLines, onOneLine, visible } from "../../src/words/HiddenCharacters.ts"

it("shows hidden characters as escapes, and keeps those that scripts and emoji need", () => {
  assert.strictEqual(visible("safe\u202egnp.exe\u0000\u001b[31m"), String.raw`safe\u202egnp.exe\u0000\u001b[31m`)
  assert.strictEqual(visible("pass\u200dword\u{e0041}"), String.raw`pass\u200dword\udb40\udc41`)
  for (const text of ["a\n\tb\r\n", "👩‍👩‍👧", "می‌خواهم", "क्‍ष"]) assert.strictEqual(visible(text), text)
})

it("leaves no character that ends a line or changes its direction, and keeps the number of code units", () => {
  const hostile = "dead\u202ebeef\r\n\u2028\u{e0041}x"
  assert.strictEqual(onOneLine(hostile), "dead beef     x")
  for (const text of ["👩‍👧", "Que voulez-vous surveiller\u202F?", "«\u00A0tout\u00A0»"])
    assert.strictEqual(onOneLine(text), text)
  assert.strictEqual(onItsLines("a\u202e\nb\tc"), "a \nb c")
})
