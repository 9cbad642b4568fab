import { assert, it } from "@effect/vitest"
import { keywordsOf } from "../../src/rules/KeywordsOf.ts"

it.each([
  [/ghp_[A-Za-z]{36}/y, ["ghp_"]],
  [/AGE-SECRET-KEY-1[A-Z]{58}/y, ["age-secret-key-1"]],
  [/sk\.eyJ[\w-]{60}/y, ["sk.eyj"]],
  [/colou?r=/y, ["colo"]],
  [/A{21}/y, [""]],
  [/(?:a|b)c/y, ["ac", "bc"]],
  [/gh[po]_\w{36}|github_pat_\w{22}/y, ["ghp_", "gho_", "github_pat_"]],
  [/x(?:key|(?:s|p)mtp)sib-[|)]{3}/y, ["xkeysib-", "xsmtpsib-", "xpmtpsib-"]],
  [/a(?:b|\.(?:c|d\w))e/y, ["abe", "a.ce", "a.d"]],
  [/sbp_(?:v0_)?\w{40}/y, ["sbp_"]],
  [/line[ ](?:vty|con(?:sole)?)/y, ["line vty", "line con"]],
  [/[a-f\d]{32}|ab[cd]+/y, ["", "ab"]]
] as const)("%s begins with %s", (pattern, keywords) => {
  assert.deepStrictEqual(keywordsOf(pattern), keywords)
})
