/** Finds one kind of secret around its keywords. */
import type { CandidateKind } from "../Candidate.ts"
import type { Evidence } from "../scoring/Evidence.ts"
import type { Finding, Source } from "../text/Source.ts"

export interface Rule {
  /**
   * Stable, because reports contain it: `assignment`, `provider/github`. Rules that find the same secret in different
   * contexts share an id.
   */
  readonly id: string
  /**
   * Case-insensitive ASCII strings: the rule is called at each occurrence. A rule without keywords is called once per
   * text, with (0, 0).
   */
  readonly keywords: ReadonlyArray<string>
  /** Only for a rule without keywords: it is called only if this matches the lower-case path. */
  readonly path?: RegExp | undefined
  /**
   * Searches around one keyword, [start, end). Returns the offset before which it need not be called again; 0 means
   * everywhere.
   */
  find(source: Source, start: number, end: number, report: Report): number
}

/**
 * Reports a match, and returns the confidence that scoring/ gives it. A finding in an embedded text already has one.
 */
export type Report = (match: Match | Finding) => number

/** A value, with evidence from its context. Rules assign no confidence. */
export interface Match extends Evidence {
  /** Default: `password`. */
  readonly kind?: CandidateKind
  /** Offset after the last character of the value's text. */
  readonly end: number
}
