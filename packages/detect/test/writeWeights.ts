/**
 * Trains the weights on the development half of the corpus and writes them to src/scoring/Weights.ts.
 *
 * Run it after a change of the rules, the features or the corpus: `node packages/detect/test/writeWeights.ts`.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { logLoss, samplesOf } from "@threat-exposure/detect/testing/Training"
import { readCorpus } from "./corpus/readCorpus.ts"
import { handMadeWeights } from "./scoring/handMadeWeights.ts"
import { trainWeights } from "./trainWeights.ts"

const weights = trainWeights()
const lines = Object.entries(weights).map(([name, weight]) => {
  const key = /^[a-z]+$/.test(name) ? name : JSON.stringify(name)
  return `  ${key}: ${weight}`
})
writeFileSync(
  join(import.meta.dirname, "../src/scoring/Weights.ts"),
  `/**
 * The weight that each feature of Features.ts adds to the log-odds that a value is a secret in use: written by
 * test/writeWeights.ts, never by hand.
 */
export const weights: Readonly<Record<string, number>> = {
${lines.join(",\n")}
}
`
)
const samples = samplesOf(readCorpus("development", 1, 12))
const held = samplesOf(readCorpus("held-out", 2, 12))
for (const [name, each] of [
  ["made by hand", handMadeWeights],
  ["trained", weights]
] as const) {
  const losses = [samples, held].map((some) => logLoss(some, each).toFixed(3))
  process.stdout.write(`${name}: loss ${losses[0]} bits on the development half, ${losses[1]} on the held-out half\n`)
}
