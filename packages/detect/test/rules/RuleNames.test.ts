import { assert, describe, it } from "@effect/vitest"
import { ruleNames } from "../../src/rules/RuleNames.ts"
import { rules } from "../../src/rules/Rules.ts"

describe("ruleNames", () => {
  it("names every rule, and nothing else", () => {
    assert.deepStrictEqual(Object.keys(ruleNames).toSorted(), Array.from(new Set(rules.map(({ id }) => id))).toSorted())
  })
})
