/** A rule: where one kind of secret may occur, and how to find it there. */
import type { CandidateKind } from "../Candidate.ts"
import type { Evidence } from "../scoring/Evidence.ts"
import type { Finding, Source } from "../text/Source.ts"

export interface Rule {
  /**
   * Stable, because reports contain it: `assignment`, `provider/github`. Rules that find the same kind in several
   * places share it.
   */
  readonly id: string
  /**
   * ASCII strings, case-insensitive: the rule is called at each occurrence. Without keywords, it is called once per
   * text, with (0, 0).
   */
  readonly keywords: ReadonlyArray<string>
  /** For a rule without keywords: it is called only where this matches the path in lower case. */
  readonly path?: RegExp | undefined
  /** Looks around one keyword, [start, end), and returns the offset before which it need not be called again; 0 changes nothing. */
  find(source: Source, start: number, end: number, report: Report): number
}

/**
 * Reports a match, and returns the confidence that scoring/ computes for it; or a finding in an embedded text, which
 * already has one.
 */
export type Report = (match: Match | Finding) => number

/** A value with evidence from its position. A rule assigns no confidence. */
export interface Match extends Evidence {
  /** Default: `password`. */
  readonly kind?: CandidateKind
  /** Offset of the first character after it in the text. */
  readonly end: number
}
