/** One occurrence of a value in a file, which follows edits of the file. */
import type { Candidate } from "@threat-exposure/detect/Candidate"
import { Redacted } from "effect"
import type { Position, Span } from "../editor/Editor.ts"
import type { LeakPlace, LeakFinding } from "./LeakFinding.ts"
import { type Lines, spanOf } from "../detection/Lines.ts"

export interface Occurrence {
  /** Where the check found the value. */
  readonly place: LeakPlace
  readonly value: Redacted.Redacted
  /** The text in the file: the value or its encoded form. */
  readonly written: Redacted.Redacted
  /** Current location; the last one if the value is absent. */
  readonly span: Span
  /** False while the file does not contain the value; undo can bring it back. */
  readonly isPresent: boolean
}

/** An occurrence of a leak, whose place is that of the report. */
export interface LeakOccurrence extends Occurrence {
  readonly row: LeakFinding
}

/** Returns undefined if the file contains neither the line nor the value. */
export const occurrenceOf = (
  row: LeakFinding,
  place: LeakPlace,
  { location, value }: Candidate,
  lines: Lines
): LeakOccurrence | undefined => {
  const at: Position = { line: place.line - 1, character: place.column - 1 }
  const secret = Redacted.value(value)
  const span = spanOf(location)
  // The file may have been edited since the scan, or the line may come from another commit.
  const plain = lines.text(span) === secret ? span : lines.nearest(secret, at)
  if (plain !== undefined) return { row, place, value, written: value, span: plain, isPresent: true }
  const written = lines.text(span)
  return location.removed === true || written.trim() === ""
    ? undefined
    : { row, place, value, written: Redacted.make(written), span, isPresent: true }
}

/** Updates the occurrence after an edit; returns the same object if nothing changed. */
export const followEdit = <A extends Occurrence>(occurrence: A, lines: Lines): A => {
  const span = lines.nearest(Redacted.value(occurrence.written), occurrence.span.start)
  if (span === undefined) return occurrence.isPresent ? { ...occurrence, isPresent: false } : occurrence
  return occurrence.isPresent && sameSpan(span, occurrence.span) ? occurrence : { ...occurrence, span, isPresent: true }
}

export const isEncoded = ({ value, written }: Occurrence): boolean => Redacted.value(value) !== Redacted.value(written)

export const sameSpan = (a: Span, b: Span) =>
  a.start.line === b.start.line &&
  a.start.character === b.start.character &&
  a.end.line === b.end.line &&
  a.end.character === b.end.character

/** Whether the spans overlap or touch. */
export const overlaps = (a: Span, b: Span) => isBefore(a.start, b.end) && isBefore(b.start, a.end)

const isBefore = (a: Position, b: Position) => a.line < b.line || (a.line === b.line && a.character <= b.character)
