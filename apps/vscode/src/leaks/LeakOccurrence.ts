/** One place of a value in a file, followed while the file is edited. */
import type { Candidate } from "@threat-exposure/detect/Candidate"
import { Redacted } from "effect"
import type { Position, Span } from "../editor/Editor.ts"
import type { LeakPlace, LeakFinding } from "./LeakFinding.ts"
import { type Lines, spanOf } from "../detection/Lines.ts"

export interface Occurrence {
  /** Where it was found. */
  readonly place: LeakPlace
  readonly value: Redacted.Redacted
  /** The text in the file: the value, or its encoded form. */
  readonly written: Redacted.Redacted
  /** Its current location, or else the last one. */
  readonly span: Span
  /** False while the file does not have it: it was taken out, and may come back when that is undone. */
  readonly isPresent: boolean
}

/** The occurrence of a leak; its place is as the report names it. */
export interface LeakOccurrence extends Occurrence {
  readonly row: LeakFinding
}

/** Returns `None` if the file no longer has the line, and does not contain the value elsewhere. */
export const occurrenceOf = (
  row: LeakFinding,
  place: LeakPlace,
  { location, value }: Candidate,
  lines: Lines
): LeakOccurrence | undefined => {
  const at: Position = { line: place.line - 1, character: place.column - 1 }
  const secret = Redacted.value(value)
  const span = spanOf(location)
  // The file may have been edited since it was read, or the line be another commit's.
  const plain = lines.text(span) === secret ? span : lines.nearest(secret, at)
  if (plain !== undefined) return { row, place, value, written: value, span: plain, isPresent: true }
  const written = lines.text(span)
  return location.removed === true || written.trim() === ""
    ? undefined
    : { row, place, value, written: Redacted.make(written), span, isPresent: true }
}

/** The same one where nothing changed for it. */
export const followed = <A extends Occurrence>(occurrence: A, lines: Lines): A => {
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

/** Whether they touch, too. */
export const overlaps = (a: Span, b: Span) => isBefore(a.start, b.end) && isBefore(b.start, a.end)

const isBefore = (a: Position, b: Position) => a.line < b.line || (a.line === b.line && a.character <= b.character)
