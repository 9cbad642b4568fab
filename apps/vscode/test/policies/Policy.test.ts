import { assert, it } from "@effect/vitest"
import { kindText, ruleText } from "../../src/policies/Policy.ts"

const policy = (policy_type: string, value: Readonly<Record<string, unknown>>) => ({
  uuid: "5d0b1f6a-3c52-4e0e-8a27-6f1d9c4b7e10",
  name: "Shop",
  policy_type,
  value,
  created_at: null,
  last_updated_at: null
})

it("describes a policy in words, without constants of the API", () => {
  const keywords = policy("INCLUDED_KEYWORDS", { keywords: ["checkout", "shop"] })
  assert.strictEqual(ruleText(keywords), "keywords: checkout, shop")
  assert.strictEqual(kindText(keywords), "included keywords")
  assert.strictEqual(ruleText(policy("OF_ANOTHER_KIND", {})), "of another kind")
})
