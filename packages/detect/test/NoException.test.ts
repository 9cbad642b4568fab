/** An exception in a rule would end the scan of the whole repository. */
import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { generateCorpus } from "../testing/Corpus.ts"
import { seededRandom } from "../testing/ValueGenerators.ts"
import { findingsInProse, scanText } from "../src/Text.ts"

const random = seededRandom(17)
const label = ["PRIVATE", "KEY"].join(" ")
const files = [
  ...generateCorpus(readFileSync(new URL("corpus/development.txt", import.meta.url), "utf8"), { seed: 1, copies: 1 }),
  ...["OPENSSH ", "PGP ", ""].map((kind) => ({
    path: "id.pem",
    text: `-----BEGIN ${kind}${label}-----\n${"b3BlbnNzaC1rZXktdjEAAAAABG5vbmU".repeat(8)}\n-----END ${kind}${label}-----\n`
  }))
]
/** Characters with a meaning for decoders, expressions or formats. */
const marks = [..."_-%\\+=/.:;'\"`$(){}[]<>#&*|~^\0\n\r\t \u00fc\u0130\ud83d\udc00"]

/** Replaces, removes or duplicates a few characters of a text. */
const damaged = (text: string): string => {
  let result = text
  for (let change = 0; change < 6; change++) {
    const at = random.between(0, result.length)
    const kept = result.slice(at + random.between(0, 3))
    result = result.slice(0, at) + random.pick(marks).repeat(random.between(0, 4)) + kept
  }
  return result
}

it("no damaged text makes a rule fail", () => {
  for (const { path, text } of files) {
    for (let copy = 0; copy < 4; copy++) {
      const broken = damaged(text)
      try {
        scanText(broken, path, { minConfidence: 0 })
        findingsInProse(broken)
      } catch (cause) {
        assert.fail(`${path}: ${String(cause)}\n${JSON.stringify(broken)}`)
      }
    }
  }
})
