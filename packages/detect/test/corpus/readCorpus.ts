/** The files of one half of the corpus: weights are trained on one and measured on the other. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type CorpusFile, generateCorpus } from "@threat-exposure/detect/testing/Corpus"

export type Half = "development" | "held-out"

/** Contains more look-alikes, to make them as frequent among findings as in real code. */
export const readCorpus = (half: Half, seed: number, copies: number): ReadonlyArray<CorpusFile> => [
  ...generate(`${half}.txt`, seed, copies),
  ...generate(`look-alikes-${half}.txt`, seed, copies * 3)
]

const generate = (file: string, seed: number, copies: number) =>
  generateCorpus(readFileSync(join(import.meta.dirname, file), "utf8"), { seed, copies })
