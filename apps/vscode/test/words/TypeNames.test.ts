import { assert, it } from "vitest"
import { nameOfType } from "../../src/words/TypeNames.ts"

// docs/api.md#event-types
it("has one name for a type with two names in the API", () => {
  for (const [type, another, name] of [
    ["cc", "credit_card", "credit card"],
    ["lookalike", "lookalike_domain", "lookalike domain"],
    ["ransomleak", "ransom_leak", "ransom leak"]
  ] as const) {
    assert.deepStrictEqual([nameOfType(type), nameOfType(another)], [name, name])
  }
})
