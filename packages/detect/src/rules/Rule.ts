/** One kind of secret: where it may stand, and what finds it there. */
import type { CandidateKind } from "../Candidate.ts"
import type { Evidence } from "../scoring/Evidence.ts"
import type { Finding, Source } from "../text/Source.ts"

export interface Rule {
  /** Reports carry it, so it is stable: `assignment`, `provider/github`. Rules that find the same in several places share it. */
  readonly id: string
  /** ASCII strings, case ignored: the rule is called where one of them stands. Without any it is called once for each text, with (0, 0). */
  readonly keywords: ReadonlyArray<string>
  /** Looks around one keyword, [start, end), and returns the offset before which it need not be called again. */
  find(source: Source, start: number, end: number, report: Report): number
}

/** Takes a match, to which scoring/ gives the confidence that is returned, or a finding of a text within, which has one. */
export type Report = (match: Match | Finding) => number

/** A value and what its place says of it. A rule gives no confidence. */
export interface Match extends Evidence {
  readonly kind: CandidateKind
  /** Offset of the first character after it in the text. */
  readonly end: number
}
