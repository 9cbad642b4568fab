/** One place of a leak in a file, followed while the file is edited. */
import type { Candidate } from "@threat-exposure/detect/Candidate"
import { Redacted } from "effect"
import type { Position, Span } from "../Editor.ts"
import type { LeakPlace, LeakRow } from "./LeakRow.ts"
import { type Lines, spanOf } from "./Lines.ts"

export interface Spot {
  readonly row: LeakRow
  /** As the report names it. */
  readonly place: LeakPlace
  readonly value: Redacted.Redacted
  /** What stands in the file: the value, or what it was encoded in. */
  readonly written: Redacted.Redacted
  /** Where it stands, or stood last. */
  readonly span: Span
  /** False while the file does not have it: it was taken out, and may come back when that is undone. */
  readonly isThere: boolean
}

/** None where the file no longer has the line, and the value stands nowhere else in it. */
export const spotOf = (
  row: LeakRow,
  place: LeakPlace,
  { location, value }: Candidate,
  lines: Lines
): Spot | undefined => {
  const at: Position = { line: place.line - 1, character: place.column - 1 }
  const secret = Redacted.value(value)
  const span = spanOf(location)
  // The file may have been edited since it was read, or the line be another commit's.
  const plain = lines.text(span) === secret ? span : lines.nearest(secret, at)
  if (plain !== undefined) return { row, place, value, written: value, span: plain, isThere: true }
  const written = lines.text(span)
  return location.removed === true || written.trim() === ""
    ? undefined
    : { row, place, value, written: Redacted.make(written), span, isThere: true }
}

/** The same one where nothing changed for it. */
export const followed = (spot: Spot, lines: Lines): Spot => {
  const span = lines.nearest(Redacted.value(spot.written), spot.span.start)
  if (span === undefined) return spot.isThere ? { ...spot, isThere: false } : spot
  return spot.isThere && sameSpan(span, spot.span) ? spot : { ...spot, span, isThere: true }
}

export const isEncoded = ({ value, written }: Spot): boolean => Redacted.value(value) !== Redacted.value(written)

export const sameSpan = (a: Span, b: Span) =>
  a.start.line === b.start.line &&
  a.start.character === b.start.character &&
  a.end.line === b.end.line &&
  a.end.character === b.end.character
