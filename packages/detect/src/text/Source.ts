/** A text as rules see it, and the findings in it. */
import type { CandidateKind } from "../Candidate.ts"
import type { FileKind } from "./FileKind.ts"

export interface Source {
  readonly text: string
  readonly path: string
  readonly kind: FileKind
  /** True for free text of people, dumps and transcripts instead of a file: no value is taken for an example. */
  readonly freeText: boolean
  /** The bytes that the text was decoded from, if available. */
  readonly bytes: Uint8Array | undefined
  /** Whether the time limit has passed, so that the scan must stop. In a loop, only one of 256 indices asks the clock. */
  isLate(index?: number): boolean
  /** Offset of the first character of the line around an offset. */
  lineStart(at: number): number
  /** Offset of the line feed that ends the line around an offset, or of the end of the text. */
  lineEnd(at: number): number
  /** At most `count` characters before an offset. */
  before(at: number, count: number): string
  /** At most `count` characters before an offset, on its line. */
  lineBefore(at: number, count: number): string
  /** Makes a function that gives the line and column of ascending offsets, both counted from 1. */
  makePositions(): (at: number) => { readonly line: number; readonly column: number }
  /**
   * Scans the decoded form of an embedded text. `path` determines its syntax; offsets are relative to the decoded text.
   */
  within(text: string, path: string): ReadonlyArray<Finding>
}

/** A value in a text, not yet redacted. Never leaves this package. */
export interface Finding {
  readonly value: string
  readonly kind: CandidateKind
  readonly rule: string
  readonly confidence: number
  /** Offsets in the text. If the value is encoded there, the text between them is the encoded form. */
  readonly start: number
  readonly end: number
  /** The account beside the value, if a rule for prose found one. */
  readonly account?: string | undefined
}

export const makeSource = (
  text: string,
  path: string,
  kind: FileKind,
  within: Source["within"],
  bytes?: Uint8Array,
  isLate: () => boolean = () => false
): Source => {
  // Caches the last line: rules ask repeatedly about one line, which may be very long.
  let from = 0
  let to = -1
  const seek = (at: number) => {
    if (at >= from && at <= to) return
    from = text.lastIndexOf("\n", at - 1) + 1
    const end = text.indexOf("\n", at)
    to = end < 0 ? text.length : end
  }
  return {
    text,
    path,
    kind,
    freeText: false,
    bytes,
    within,
    isLate: (index = 255) => (index & 255) === 255 && isLate(),
    before: (at, count) => text.slice(Math.max(0, at - count), at),
    lineBefore: (at, count) => {
      seek(at)
      return text.slice(Math.max(from, at - count), at)
    },
    makePositions: () => {
      let line = 1
      let counted = 0
      return (at) => {
        seek(at)
        for (; counted < from; counted = text.indexOf("\n", counted) + 1) line++
        return { line, column: at - from + 1 }
      }
    },
    lineStart: (at) => {
      seek(at)
      return from
    },
    lineEnd: (at) => {
      seek(at)
      return to
    }
  }
}
