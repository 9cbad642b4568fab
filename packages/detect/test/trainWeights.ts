/**
 * Trains the weights of src/scoring/Weights.ts on the development half of the corpus. The same inputs give the same
 * weights.
 */
import { samplesOf, train, type Weights } from "@threat-exposure/detect/testing/Training"
import { readCorpus } from "./corpus/readCorpus.ts"
import { handMadeWeights } from "./scoring/handMadeWeights.ts"

/** The strength with the least loss in cross-validation, with a sixth of the templates held out in turn. */
const strength = 5

export const trainWeights = (): Weights => train(samplesOf(readCorpus("development", 1, 12)), handMadeWeights, strength)
