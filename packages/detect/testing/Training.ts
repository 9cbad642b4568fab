/** Learns the weight of each feature from files with known secrets. */
import { rules } from "@threat-exposure/detect/rules/Rules"
import { makeRuleSet } from "@threat-exposure/detect/rules/RuleSet"
import { confidenceOf, logistic } from "@threat-exposure/detect/scoring/Confidence"
import type { Evidence } from "@threat-exposure/detect/scoring/Evidence"
import { type Features, featuresOf } from "@threat-exposure/detect/scoring/Features"
import { fileKind } from "@threat-exposure/detect/text/FileKind"
import { makeSource, type Source } from "@threat-exposure/detect/text/Source"
import type { CorpusFile } from "./Corpus.ts"
import { isInUse } from "./Measure.ts"

export interface Sample {
  readonly features: Features
  readonly isSecret: boolean
}

export type Weights = Readonly<Record<string, number>>

/**
 * Samples of values that the rules find and that scoring does not exclude. Values that are neither clearly secret nor
 * clearly harmless are left out: weak secrets, keys for tests, values with a wrong start or end.
 */
export const samplesOf = (files: ReadonlyArray<CorpusFile>): ReadonlyArray<Sample> => {
  const samples: Array<Sample> = []
  const fileOf = new Map<Source, CorpusFile>()
  const ruleSet = makeRuleSet(rules, (source, evidence) => {
    const confidence = confidenceOf(source, evidence)
    const file = fileOf.get(source)
    if (confidence > 0 && file !== undefined) samples.push(...sampleOf(file, source, evidence))
    return confidence
  })
  for (const file of files) {
    const source = makeSource(file.text, file.path, fileKind(file.path), () => [])
    fileOf.set(source, file)
    ruleSet.findIn(source)
  }
  return samples
}

const sampleOf = (file: CorpusFile, source: Source, evidence: Evidence): ReadonlyArray<Sample> => {
  const near = file.labels.filter(({ end, start }) => evidence.start < end && evidence.start + 1 > start)
  const label = file.labels.find(({ value }) => value === evidence.value)
  const teaches =
    label === undefined
      ? near.every(({ strength }) => strength === "none")
      : label.strength !== "weak" && (file.place === "live" || label.kind !== "private-key")
  return teaches
    ? [{ features: featuresOf(source, evidence), isSecret: label !== undefined && isInUse(file, label) }]
    : []
}

/**
 * The weights that make the samples most likely, regularised towards a prior: logistic regression with Newton's method.
 *
 * `strength` is the number of samples that it takes to move a weight away from its prior.
 */
export const train = (samples: ReadonlyArray<Sample>, prior: Weights, strength: number): Weights => {
  const names = Object.keys(prior)
  const indexOf = new Map(names.map((name, index) => [name, index]))
  const rows = samples.map(({ features, isSecret }) => ({
    cells: features.flatMap(([name, value]) => {
      const index = indexOf.get(name)
      return index === undefined ? [] : [[index, value] as const]
    }),
    isSecret: Number(isSecret)
  }))
  const start = names.map((name) => prior[name] ?? 0)
  let weights = start
  for (let round = 0; round < 12; round++) {
    const gradient = weights.map((weight, i) => strength * (weight - (start[i] ?? 0)))
    const curvature = weights.map((_, i) => weights.map((__, j) => (i === j ? strength : 0)))
    for (const { cells, isSecret } of rows) {
      const sum = cells.reduce((total, [i, value]) => total + (weights[i] ?? 0) * value, 0)
      const share = 1 / (1 + Math.exp(-sum))
      for (const [i, value] of cells) {
        gradient[i] = (gradient[i] ?? 0) + (share - isSecret) * value
        const row = curvature[i] ?? []
        for (const [j, other] of cells) row[j] = (row[j] ?? 0) + share * (1 - share) * value * other
      }
    }
    const step = solve(curvature, gradient)
    weights = weights.map((weight, i) => weight - (step[i] ?? 0))
  }
  return Object.fromEntries(names.map((name, i) => [name, rounded(weights[i] ?? 0)]))
}

/** Rounds to hundredths, and turns negative zero into zero. */
const rounded = (weight: number) => Math.round(weight * 100) / 100 + 0

/** The mean surprise of the samples in bits; 0 is perfect. */
export const logLoss = (samples: ReadonlyArray<Sample>, weights: Weights): number =>
  samples.reduce((sum, { features, isSecret }) => {
    const share = logistic(features, weights)
    return sum - Math.log2(Math.max(1e-9, isSecret ? share : 1 - share))
  }, 0) / samples.length

/** Solves a symmetric positive definite system by Gaussian elimination. */
const solve = (matrix: ReadonlyArray<ReadonlyArray<number>>, right: ReadonlyArray<number>): ReadonlyArray<number> => {
  const rows = matrix.map((row, i) => [...row, right[i] ?? 0])
  const size = rows.length
  rows.forEach((pivot, i) => {
    const head = pivot[i] ?? 1
    for (const row of rows.slice(i + 1)) {
      const factor = (row[i] ?? 0) / head
      if (factor !== 0) for (let j = i; j <= size; j++) row[j] = (row[j] ?? 0) - factor * (pivot[j] ?? 0)
    }
  })
  const solution = right.map(() => 0)
  for (let i = size - 1; i >= 0; i--) {
    const row = rows[i] ?? []
    const known = solution.reduce((sum, value, j) => (j > i ? sum + value * (row[j] ?? 0) : sum), 0)
    solution[i] = ((row[size] ?? 0) - known) / (row[i] ?? 1)
  }
  return solution
}
