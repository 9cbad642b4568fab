/** Candidates of one text: pure and synchronous, the same in Node and in a web worker. */
import type { Candidate } from "./Candidate.ts"
import { minConfidence } from "./Candidate.ts"
import { privateKeysIn } from "./PrivateKey.ts"

export interface TextOptions {
  /** Candidates of less are left out; `minConfidence` of Candidate.ts unless given. */
  readonly minConfidence?: number | undefined
}

/** In the order of the text, each place once. The path decides what the text is taken for. */
export const candidatesIn = (
  text: string,
  file: { readonly path: string },
  options?: TextOptions
): ReadonlyArray<Candidate> =>
  privateKeysIn(text, file.path).filter(({ confidence }) => confidence >= (options?.minConfidence ?? minConfidence))
