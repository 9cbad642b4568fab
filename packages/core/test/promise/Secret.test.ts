import { assert, describe, it } from "@effect/vitest"
import * as Equal from "effect/Equal"
import * as HashSet from "effect/HashSet"
import { Secret } from "../../src/promise.ts"

describe("a secret", () => {
  it("equals itself alone, for Effect too", () => {
    const [a, b, other] = [new Secret("Zq8wKd72"), new Secret("Zq8wKd72"), new Secret("mXp9Lr9U")]
    assert.isTrue(Equal.equals(a, a))
    assert.isFalse(Equal.equals(a, b))
    assert.isFalse(Equal.equals(a, other))
    assert.isFalse(Equal.equals({ password: a }, { password: other }))
    assert.strictEqual(HashSet.size(HashSet.make(a, a, b, other)), 3)
  })
})
