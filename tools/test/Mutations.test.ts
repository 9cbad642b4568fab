import { assert, describe, it } from "vitest"
import { describeMutation, mutate, mutationsOf } from "../Mutations.ts"

const changesOf = (source: string) => mutationsOf(source).map((mutation) => mutate(source, mutation))

describe("mutations", () => {
  it.each([
    ["const ok = a < 3", ["const ok = a <= 3", "const ok = a < 4"]],
    ["const ok = a /* < */ >= b", ["const ok = a /* < */ > b"]],
    ["const ok = !a && b", ["const ok = a && b", "const ok = !a || b"]],
    ["if (done) stop()", ["", "if (!(done)) stop()", "if (done) "]],
    ["const maxEntries = 10", ["const maxEntries = 11"]],
    ["const words = text.trim().split(' ')", ["const words = text.split(' ')"]],
    ["const f = () => { return true }", ["const f = () => { return false }"]],
    ["type A = B extends true ? 1 : 2", []],
    ["function* f() { yield* Effect.logDebug('x') }", []],
    ["console.log(1)", []],
    ["const both = Stream.filter(even)", []]
  ])("of %s", (source, expected) => {
    assert.deepStrictEqual(
      changesOf(source).map((changed) => changed.trimEnd()),
      expected.map((changed) => changed.trimEnd())
    )
  })

  it("name the line, what was there and what is there now", () => {
    const source = "const a = 1\nif (a < 2) run(a)\n"
    assert.deepStrictEqual(
      mutationsOf(source).map((mutation) => describeMutation(source, mutation)),
      ["2: if (a < 2) run(a) → (nothing)", "2: < → <=", "2: 2 → 3", "2: run(a) → (nothing)"]
    )
  })
})
