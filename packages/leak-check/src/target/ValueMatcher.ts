/**
 * Finds any of many values in a text, whatever the case, and in the encodings that hide them from a plain look: an
 * index of their first characters makes the cost depend on the text alone, not on how many values there are.
 */
import { base64FormsOf, hexOf } from "@threat-exposure/core/domain/Secret"

/** The parts of `text` that hold a value, in order and without overlaps. */
export type Find = (text: string) => ReadonlyArray<readonly [start: number, end: number]>

/** Shorter values are not targets, and would match many texts. */
export const minLength = 6

export const valueMatcher = (values: Iterable<string>): Find => {
  const index = new Map<string, Array<string>>()
  for (const form of new Set(Array.from(values).flatMap(formsOf).map(folded))) {
    if (form.length < minLength) continue
    const start = form.slice(0, minLength)
    const same = index.get(start)
    if (same === undefined) index.set(start, [form])
    else same.push(form)
  }
  for (const forms of index.values()) forms.sort((a, b) => b.length - a.length)

  return (text) => {
    const found: Array<[start: number, end: number]> = []
    const plain = folded(text)
    for (let at = 0; at + minLength <= plain.length; at++) {
      const form = index.get(plain.slice(at, at + minLength))?.find((form) => plain.startsWith(form, at))
      if (form === undefined) continue
      const end = at + form.length
      const last = found.at(-1)
      if (last !== undefined && last[1] >= at) last[1] = Math.max(last[1], end)
      else found.push([at, end])
    }
    return found
  }
}

/** In lower case, of the same length. */
const folded = (text: string) => {
  const lower = text.toLowerCase()
  return lower.length === text.length
    ? lower
    : Array.from({ length: text.length }, (_, i) => {
        const char = text.charAt(i).toLowerCase()
        return char.length === 1 ? char : text.charAt(i)
      }).join("")
}

/** The forms in which a value is recognised: verbatim, on one line, in NFC and NFD, in hexadecimal, in base64; for a key, each of its lines. */
const formsOf = (value: string): ReadonlyArray<string> =>
  Array.from(
    new Set([
      value,
      value.replace(/\s+/gu, " "),
      value.normalize("NFC"),
      value.normalize("NFD"),
      ...(value.includes("\n") ? value.split(/\s*\n\s*/u).filter(({ length }) => length >= 16) : [])
    ])
  ).flatMap((text) => {
    const bytes = new TextEncoder().encode(text)
    // In two bytes a character, as some shells encode.
    const wide = new Uint8Array(text.length * 2)
    for (let i = 0; i < text.length; i++) wide.set([text.charCodeAt(i) & 255, text.charCodeAt(i) >> 8], i * 2)
    return [text, hexOf(bytes)].concat(base64FormsOf(bytes), base64FormsOf(wide))
  })
