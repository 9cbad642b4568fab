import { assert, it } from "@effect/vitest"
import { keywordOf } from "../../src/rules/KeywordOf.ts"

it.each([
  [/ghp_[A-Za-z]{36}/y, "ghp_"],
  [/AGE-SECRET-KEY-1[A-Z]{58}/y, "age-secret-key-1"],
  [/sk\.eyJ[\w-]{60}/y, "sk.eyj"],
  [/colou?r=/y, "colo"],
  [/A{21}/y, ""],
  [/(?:a|b)c/y, ""]
])("%s begins with %s", (pattern, keyword) => {
  assert.strictEqual(keywordOf(pattern), keyword)
})
