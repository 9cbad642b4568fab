import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  and,
  type Expression,
  matchAll,
  matches,
  matchNone,
  not,
  or,
  phrase,
  termExpression
} from "@threat-exposure/service/search/Expression"
import { Percolator } from "@threat-exposure/service/search/Percolator"
import { fields, type Matchable } from "@threat-exposure/service/search/SearchDocument"
import { termKey, termKinds } from "@threat-exposure/service/search/Term"

const word = fc.constantFrom("a", "ab", "abc", "b", "bc", "abcdefghij", "abcdefghik", "abcdefgh", "¶")
const term = fc.record({ kind: fc.constantFrom(...termKinds), value: fc.constantFrom("x", "y") })
const field = fc.constantFrom(...fields)

const { expression } = fc.letrec<{ expression: Expression }>((tie) => ({
  expression: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(matchAll, matchNone),
    term.map(termExpression),
    fc
      .tuple(
        fc.array(word, { minLength: 1, maxLength: 4 }),
        fc.record({ prefix: fc.boolean(), field: fc.option(field, { nil: undefined }) })
      )
      .map(([words, options]) => phrase(words, options)),
    fc.array(tie("expression"), { maxLength: 3 }).map((of) => and(...of)),
    fc.array(tie("expression"), { maxLength: 3 }).map((of) => or(...of)),
    tie("expression").map(not)
  )
}))

const document: fc.Arbitrary<Matchable> = fc.record({
  texts: fc.array(
    fc.record({ field, words: fc.array(word, { maxLength: 8 }).map((words) => words.map((text) => ({ text }))) }),
    { maxLength: 3 }
  ),
  terms: fc.array(term, { maxLength: 4 }).map((terms) => new Set(terms.map(termKey)))
})

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ id: fc.integer({ min: 1, max: 30 }), expression }) },
  { weight: 1, arbitrary: fc.record({ id: fc.integer({ min: 1, max: 30 }), expression: fc.constant(undefined) }) },
  { weight: 2, arbitrary: document }
)

describe("Percolator", () => {
  it("finds the same expressions as trying each of them, whatever was added and removed before", () => {
    let tried = 0
    let matched = 0
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const percolator = new Percolator()
        const registered = new Map<number, Expression>()
        for (const step of steps) {
          if ("texts" in step) {
            const expected = [...registered].filter(([, expression]) => matches(expression, step)).map(([id]) => id)
            tried += registered.size
            matched += expected.length
            assert.sameMembers([...percolator.match(step)], expected)
            assert.strictEqual(percolator.match(step).length, expected.length)
          } else if (step.expression === undefined) {
            percolator.remove(step.id)
            registered.delete(step.id)
          } else {
            percolator.add(step.id, step.expression)
            registered.set(step.id, step.expression)
          }
          assert.strictEqual(percolator.size, registered.size)
        }
      }),
      { seed: 11, numRuns: 3_000 }
    )
    // Neither everything nor nothing matches.
    assert.isAbove(matched, tried / 20)
    assert.isBelow(matched, (tried * 19) / 20)
  })
})
