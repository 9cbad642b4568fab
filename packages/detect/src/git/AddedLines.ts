/** Finds candidates in added lines, and locates those lines in the head of a range. */
import { Redacted } from "effect"
import { decode } from "../text/Bytes.ts"
import type { Candidate } from "../Candidate.ts"
import type { Piece } from "./Patch.ts"
import type { ScanCounter } from "../skip/ScanCounter.ts"
import { scanText, type TextOptions } from "../Text.ts"

export interface Added {
  readonly candidate: Candidate
  /** The text of the candidate's line, to find it in another version of the file. Never part of the result. */
  readonly line: string
  /** The name of the file after all later renames. */
  readonly headPath: string
}

export interface AddedOptions extends TextOptions {
  /** If false, allow comments that the change itself adds have no effect. */
  readonly heedsAddedComments: boolean
}

/** Candidates in the added lines of a piece. `names` maps former file names to the latest ones. */
export const addedIn = (
  piece: Piece,
  options: AddedOptions,
  counter: ScanCounter,
  names: ReadonlyMap<string, string>
): ReadonlyArray<Added> => {
  const { allowed, candidates, skipped } = scanText(piece.text, piece.path, options, piece.content)
  if (skipped !== undefined) counter.skip(skipped, piece.path)
  const isAdded = ({ location }: Candidate) => piece.added.slice(location.line - 1, location.endLine).includes(true)
  const notHeeded = allowed.filter(({ candidate, commentLine }) => {
    if (!isAdded(candidate)) return false
    const isHeeded = options.heedsAddedComments || commentLine === undefined || piece.added[commentLine - 1] !== true
    const reason = commentLine === undefined ? "allowlisted" : isHeeded ? "allow-comment" : "added-allow-comment"
    const { line } = candidate.location
    counter.skip(reason, `${piece.path}:${piece.lines[line - 1] ?? line}`)
    return !isHeeded
  })
  const found = [...candidates.filter(isAdded), ...notHeeded.map(({ candidate }) => candidate)]
  if (found.length === 0) return []
  const lines = piece.text.split("\n")
  return found.map(({ location, ...candidate }): Added => {
    const { endLine, line } = location
    return {
      candidate: {
        ...candidate,
        location: {
          ...location,
          line: piece.lines[line - 1] ?? line,
          endLine: piece.lines[endLine - 1] ?? endLine,
          commit: piece.commit
        }
      },
      line: lines[line - 1] ?? "",
      headPath: names.get(piece.path) ?? piece.path
    }
  })
}

/** A piece in which every line is added. */
export const wholePiece = (path: string, commit: string | undefined, content: Uint8Array): Piece => {
  const text = decode(content)
  const lines = text.split("\n")
  return {
    path,
    commit,
    text,
    lines: lines.map((_, index) => index + 1),
    added: lines.map(() => true),
    content
  }
}

/**
 * Maps candidates to the lines of the head. `texts` holds the head's files by name. Each location is reported once,
 * with the newest commit that added it.
 */
export const placeInHead = (
  found: ReadonlyArray<Added>,
  texts: ReadonlyMap<string, string>
): ReadonlyArray<Candidate> => {
  const places = new Set<string>()
  const values = new Set<string>()
  const kept: Array<Candidate> = []
  const gone: Array<Candidate> = []
  const indices = new Map<string, LineIndex>()
  const indexOf = (path: string) => {
    const index = indices.get(path) ?? lineIndex(texts.get(path))
    indices.set(path, index)
    return index
  }
  for (const { candidate, headPath, line } of found) {
    const { location } = candidate
    const number = nearest(indexOf(headPath).get(line) ?? [], location.line)
    const value = Redacted.value(candidate.value)
    if (number === undefined) {
      gone.push({ ...candidate, location: { ...location, removed: true } })
      continue
    }
    values.add(`${headPath}\0${value}`)
    const place = `${headPath}\0${number}\0${location.column}`
    if (places.has(place)) continue
    places.add(place)
    kept.push({
      ...candidate,
      location: { ...location, path: headPath, line: number, endLine: location.endLine - location.line + number }
    })
  }
  const left = gone.filter(({ location, value }) => {
    const key = `${location.path}\0${Redacted.value(value)}`
    return !values.has(key) && values.add(key) !== undefined
  })
  return [...kept, ...left]
}

/** Ascending line numbers by the text of the line. */
type LineIndex = ReadonlyMap<string, ReadonlyArray<number>>

const lineIndex = (text: string | undefined): LineIndex => {
  const index = new Map<string, Array<number>>()
  for (const [at, line] of (text?.split("\n") ?? []).entries()) {
    const numbers = index.get(line)
    if (numbers === undefined) index.set(line, [at + 1])
    else numbers.push(at + 1)
  }
  return index
}

/** The line number nearest to the former one; the smaller of two that are equally near. */
const nearest = (ascending: ReadonlyArray<number>, at: number): number | undefined => {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? at) < at) low = middle + 1
    else high = middle
  }
  const [before, behind] = [ascending[low - 1], ascending[low]]
  if (before === undefined || behind === undefined) return before ?? behind
  return at - before <= behind - at ? before : behind
}
