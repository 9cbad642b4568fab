/** A text, as rules read it, and their findings in it. */
import type { CandidateKind } from "../Candidate.ts"
import type { FileKind } from "./FileKind.ts"

export interface Source {
  readonly text: string
  readonly path: string
  readonly kind: FileKind
  /** Text of people, dumps and transcripts, and no file: nothing in it is taken for an example. */
  readonly freeText: boolean
  /** The bytes from which the text was decoded, if it was. */
  readonly bytes: Uint8Array | undefined
  /** Whether to stop reading, because the time limit has passed. */
  isLate(): boolean
  /** Offset of the first character of the line around an offset. */
  lineStart(at: number): number
  /** Offset of the line feed that ends the line around an offset, or of the end of the text. */
  lineEnd(at: number): number
  /** The decoded form of a text that is embedded in this one under such a name. Offsets are those of the decoded text. */
  within(text: string, path: string): ReadonlyArray<Finding>
}

/** A value in a text before it is redacted. It never leaves the module that collects them. */
export interface Finding {
  readonly value: string
  readonly kind: CandidateKind
  readonly rule: string
  readonly confidence: number
  /** Offsets in the text. If the value is encoded there, the text between them is not the value. */
  readonly start: number
  readonly end: number
  /** The account beside it, if a rule for prose found both. */
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
  // Rules ask again and again within one line, which may be very long.
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
    isLate,
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
