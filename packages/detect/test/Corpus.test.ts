/** Detection must not get worse: raise a threshold when a figure has risen, but never lower one to pass. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { calibrate, logistic } from "../src/scoring/Confidence.ts"
import { weights } from "../src/scoring/Weights.ts"
import type { SecretKind } from "@threat-exposure/detect/testing/ValueGenerators"
import { measureLive, measureStrong } from "@threat-exposure/detect/testing/Measure"
import { logLoss, samplesOf } from "@threat-exposure/detect/testing/Training"
import { candidatesIn } from "../src/Text.ts"
import { readCorpus } from "./corpus/readCorpus.ts"
import { handMadeWeights } from "./scoring/handMadeWeights.ts"
import { trainWeights } from "./trainWeights.ts"

/** The held-out half, which `node packages/detect/test/writeWeights.ts` never reads. */
const files = readCorpus("held-out", 1, 4)

const find = (text: string, path: string) =>
  new Set(candidatesIn(text, { path }).map(({ value }) => Redacted.value(value)))

/** Minimum recall for secrets in use, by kind. */
const leastRecall: Readonly<Record<SecretKind, number>> = {
  password: 0.94,
  token: 0.94,
  key: 0.94,
  "json-web-key": 1,
  url: 0.97,
  "command-line": 0.89,
  sql: 0.97,
  "one-time-password": 0.8,
  "private-key": 1,
  jwt: 1,
  "provider-token": 1
}
const leastPrecision = { live: 0.96, strong: 0.96 }

describe("the held-out half of the corpus", () => {
  const live = measureLive(files, find)

  for (const [kind, { all, found }] of live.kinds) {
    it(`${kind}: ${leastRecall[kind]} are found`, () => assert.isAtLeast(found / all, leastRecall[kind]))
  }

  it("leads to few values that are sent in vain", () => {
    assert.sameMembers([...live.kinds.keys()], Object.keys(leastRecall))
    assert.isAtLeast(live.precision, leastPrecision.live)
    assert.isAtLeast(measureStrong(files, find).precision, leastPrecision.strong)
  })
})

describe("confidence", () => {
  const samples = samplesOf(readCorpus("held-out", 2, 12))
  const tenths = Map.groupBy(
    samples.map(({ features, isSecret }) => ({ confidence: calibrate(logistic(features, weights)), isSecret })),
    ({ confidence }) => Math.min(9, Math.floor(confidence * 10))
  )

  it("is within 0.1 of the share of secrets, in each interval with enough values", () => {
    // Intervals with fewer values only contain those of one or two templates.
    const common = [...tenths.values()].filter((some) => some.length >= samples.length / 50)
    assert.isAtLeast(common.flat().length, samples.length * 0.95)
    for (const some of common) {
      const mean = some.reduce((sum, { confidence }) => sum + confidence, 0) / some.length
      const share = some.filter(({ isSecret }) => isSecret).length / some.length
      assert.approximately(mean, share, 0.1)
    }
  })

  it("has the weights that result from training: run test/writeWeights.ts after a change of rules, features or corpus", () => {
    assert.deepStrictEqual(weights, trainWeights())
  })

  it("is clearly better than with the weights that were set by hand", () => {
    assert.isBelow(logLoss(samples, weights), logLoss(samples, handMadeWeights) * 0.7)
  })
})
