import { assert, describe, it } from "@effect/vitest"
import { randomness } from "../../src/scoring/Randomness.ts"

/** Random values from a separate generator, so that they are the same in every run. */
const drawn = (alphabet: string, length: number, count: number): ReadonlyArray<string> => {
  let state = 42
  const next = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648
  return Array.from({ length: count }, () =>
    Array.from({ length }, () => alphabet.charAt(Math.floor(next() * alphabet.length))).join("")
  )
}

const share = (values: ReadonlyArray<string>) =>
  values.filter((value) => randomness(value) >= 0.5).length / values.length

describe("randomness", () => {
  it("is high for random values", () => {
    const letters = "abcdefghijklmnopqrstuvwxyz"
    assert.isAbove(share(drawn(`${letters}${letters.toUpperCase()}0123456789`, 20, 1000)), 0.97)
    assert.isAbove(share(drawn(`${letters}0123456789`, 32, 1000)), 0.97)
    assert.isAbove(share(drawn("0123456789abcdef", 32, 1000)), 0.99)
    assert.isAbove(share(drawn(`${letters}${letters.toUpperCase()}0123456789+/`, 40, 1000)), 0.99)
  })

  it("is low for names", () => {
    const names =
      "getUserPassword createHttpClient application/json x-amz-security-token MONGODB_URI com.example.app.Main useEffectOnce primary-button-hover tests/fixtures/users.json utf8-decoder sha256sum ISO-8859-1 handleSubmit2 Content-Security-Policy".split(
        " "
      )
    assert.deepStrictEqual(
      names.filter((name) => randomness(name) >= 0.5),
      []
    )
  })
})
