/** One kind of secret: where it may stand, and what finds it there. */
import type { Finding, Source } from "../text/Source.ts"

export interface Rule {
  /** Reports carry it, so it is stable: `assignment`, `provider/github`. Rules that find the same in several places share it. */
  readonly id: string
  /** ASCII strings, case ignored: the rule is called where one of them stands. Without any it is called once for each text, with (0, 0). */
  readonly keywords: ReadonlyArray<string>
  /** Looks around one keyword, [start, end), and returns the offset before which it need not be called again. */
  find(source: Source, start: number, end: number, report: Report): number
}

export type Report = (match: Match) => void

/** A finding; its rule is the one that reports it, unless it names another. */
export interface Match extends Omit<Finding, "rule"> {
  readonly rule?: string
}
