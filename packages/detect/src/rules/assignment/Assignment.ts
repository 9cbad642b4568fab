/** Finds assignments to names of secrets, in the notations of code, settings, markup and shells. */
import { type SecretName, secretName } from "../SecretName.ts"
import { wordsOf } from "../../text/AssignedName.ts"
import type { Format } from "../../text/FileKind.ts"
import type { Source } from "../../text/Source.ts"
import { readValue } from "./AssignedValue.ts"
import type { WrittenValue } from "./BareValue.ts"
import { type ListedValue, listedValues, sectionValues, valuesOfLines } from "./ListedValues.ts"
import { isUnassigned, valuePosition } from "./ValuePosition.ts"

/** A value, and how it is written. */
export interface Assignment extends WrittenValue {
  readonly name: Exclude<SecretName, "none">
  /** The name as written. */
  readonly written: string
  /** True for a comparison, a default or an argument: weaker evidence than an assignment. */
  readonly indirect: boolean
  /** True for a value of a list or mapping: the name is that of the whole list. */
  readonly listed: boolean
}

/**
 * The assignments to the name around an offset: none, one, or those of a list.
 *
 * `resume` is the offset up to which the text has been searched.
 */
export const assignmentAt = (source: Source, at: number): Assignments => {
  const start = nameStart(source.text, at)
  const end = nameEnd(source.text, start, at)
  const resume = Math.max(end, at + 1)
  return isUnassigned(source, start, end) ? { found: [], resume } : assignmentsTo(source, start, end, resume)
}

export interface Assignments {
  readonly found: ReadonlyArray<Assignment>
  readonly resume: number
}

const assignmentsTo = (source: Source, start: number, end: number, resume: number): Assignments => {
  const word = source.text.slice(start, end)
  const written = /^keys?$/i.test(word) ? labelBefore(source, start) + word : word
  const whole = source.freeText ? nameInFreeText(written) : secretName(written)
  const dot = written.lastIndexOf(".")
  const member = dot < 0 ? whole : secretName(written.slice(dot + 1))
  if (whole === "none" && member === "none") return { found: [], resume }
  if (namesSection(source, start, end)) return listOf(whole, written, sectionValues(source.text, end + 1), resume)
  const position = valuePosition(source, start, end)
  if (position === undefined) return { found: [], resume }
  // In a call such as `token.set("…")`, only the member `set` counts, whatever its object is named.
  const name = position.by === "call" ? member : whole
  // The argument is the plaintext to encrypt, not a key.
  if (name === "none" || (position.by === "call" && /encrypt$/i.test(written))) return { found: [], resume }
  const value = readValue(source, position, start)
  const lines = value === undefined || !plural.test(written) ? [] : valuesOfLines(source.text, value)
  if (value !== undefined && lines.length < 2) {
    return {
      found: [{ name, written, indirect: position.indirect, listed: false, ...value }],
      resume: Math.max(resume, value.start)
    }
  }
  const mayBeList =
    plural.test(written) ||
    (name === "password" && source.kind.format === "json") ||
    (name === "token" && source.text.charAt(position.at) === "[")
  const list = lines.length > 0 ? lines : position.indirect || !mayBeList ? [] : listedValues(source, position.at)
  return listOf(name, written, list, resume)
}

const listOf = (name: SecretName, written: string, list: ReadonlyArray<ListedValue>, resume: number): Assignments => ({
  found:
    name === "none"
      ? []
      : list.map((value) => ({ ...value, name, written, delimited: true, indirect: false, listed: true })),
  resume
})

/** Whether the name is that of a section, `[api_keys]` or `[prod.tokens]`, that consists of secrets. */
const namesSection = ({ kind, lineStart, text }: Source, start: number, end: number): boolean =>
  text.charAt(end) === "]" &&
  /ini|toml|other/.test(kind.format) &&
  plural.test(text.slice(start, end)) &&
  text.slice(lineStart(start), start).trim() === "["

/** The word before the name in `Public key: …` or `api key = …`, with an underscore; empty if there is none. */
const labelBefore = ({ kind, lineBefore }: Source, start: number): string => {
  const word = labelFormats.has(kind.format) ? wordBefore.exec(lineBefore(start, 40))?.[1] : undefined
  return word === undefined ? "" : `${word}_`
}

const wordBefore = /(?:^[ \t#;*-]*|[a-z] )([A-Za-z]{2,12}) $/i
const labelFormats: ReadonlySet<Format> = new Set<Format>(["ini", "yaml", "prose", "other"])

/** Classifies a name that may be joined to other words, such as `run-without-password=…`. */
const nameInFreeText = (written: string): SecretName => {
  const whole = secretName(written)
  return whole === "none" ? secretName(wordsOf(written).at(-1) ?? "") : whole
}

const plural = /s$/i

const maxNameLength = 80

const nameStart = (text: string, at: number): number => {
  let start = at
  while (start > 0 && at - start < maxNameLength && isNameCode(text.charCodeAt(start - 1))) start--
  return start
}

const nameEnd = (text: string, start: number, at: number): number => {
  let end = at
  while (end < text.length && end - at < maxNameLength && isNameCode(text.charCodeAt(end))) end++
  while (end > start && isMark(text.charCodeAt(end - 1))) end--
  return end
}

const isMark = (code: number) => code === 45 || code === 46

/** Characters of Latin, Cyrillic, Chinese, Japanese and Korean names. */
const isNameCode = (code: number) =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  isMark(code) ||
  (code >= 0xe0 && code <= 0xff) ||
  (code >= 0x400 && code < 0x500) ||
  (code >= 0x3040 && code < 0xa000) ||
  (code >= 0xac00 && code < 0xd7a4)
