/**
 * Single words, the scheme and host of a URL, and repeated characters occur in ordinary text: no match by themselves.
 */
import { minRun } from "./GramIndex.ts"

export type Part = readonly [start: number, end: number]

/** Sorted by start. `cased` is the form before it was converted to lower case. Each part includes its neighbours. */
export const ordinaryParts = (folded: Uint8Array, cased: Uint8Array): ReadonlyArray<Part> => {
  const { length } = folded
  const parts: Array<Part> = []
  const add = (start: number, end: number) => parts.push([Math.max(0, start - 1), Math.min(length, end + 1)])
  let done = 0
  let repeatedTo = 0
  // A part has at least `word` bytes of the same kind, so checking one in so many positions finds all.
  for (let at = word - 1; at < length; at += word) {
    const byte = cased[at] ?? 0
    if (at >= repeatedTo && (byte === cased[at - 1] || (at + 1 < length && byte === cased[at + 1]))) {
      const [start, end] = repetitionAt(cased, at)
      repeatedTo = end
      if (end - start >= word && start >= done) add(start, end)
    }
    const kind = letterKinds[byte] ?? 0
    if ((kind !== small && kind !== capital) || at < done) continue
    const [start, end] = wordAt(cased, at, kind)
    done = end
    const isWord = isBoundary(cased, start - 1) && isBoundary(cased, end)
    if (isWord && end - start >= minRun && (end - start) * 3 <= length) add(start, end)
  }
  for (let at = cased.indexOf(colon); at !== -1; at = cased.indexOf(colon, at + 1)) {
    if (cased[at + 1] === slash && cased[at + 2] === slash) parts.push(...addressParts(folded, at))
  }
  return parts.toSorted(([a], [b]) => a - b)
}

const word = minRun - 1

const isBoundary = (bytes: Uint8Array, at: number) => at < 0 || at >= bytes.length || letterKinds[bytes[at] ?? 0] === 0

const repetitionAt = (bytes: Uint8Array, at: number): Part => {
  let start = at
  let end = at + 1
  while (start > 0 && bytes[start - 1] === bytes[at]) start--
  while (end < bytes.length && bytes[end] === bytes[at]) end++
  return [start, end]
}

/** The letters of one case around `at`. A lower-case word may begin with a capital. */
const wordAt = (bytes: Uint8Array, at: number, kind: number): Part => {
  let start = at
  let end = at + 1
  while (start > 0 && letterKinds[bytes[start - 1] ?? 0] === kind) start--
  while (end < bytes.length && letterKinds[bytes[end] ?? 0] === kind) end++
  return [kind === small && start > 0 && letterKinds[bytes[start - 1] ?? 0] === capital ? start - 1 : start, end]
}

const [colon, slash] = [0x3a, 0x2f] as const
const [small, capital, other] = [1, 2, 3] as const

/** Kinds of bytes. Digits and bytes of non-ASCII letters do not occur in ordinary words. */
const letterKinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  if (/[a-z]/u.test(character)) return small
  if (/[A-Z]/u.test(character)) return capital
  return byte >= 0x80 || /\d/u.test(character) ? other : 0
})

/** The scheme of a URL, and its host without user and password. */
const addressParts = (bytes: Uint8Array, colonAt: number): ReadonlyArray<Part> => {
  const { length } = bytes
  let scheme = colonAt
  while (scheme > 0 && colonAt - scheme < maxScheme && letterKinds[bytes[scheme - 1] ?? 0] !== 0) scheme--
  const authority = colonAt + 3
  let end = authority
  let host = authority
  while (end < length && end - authority <= maxAuthority && !authorityEnds.has(bytes[end] ?? 0)) {
    if (bytes[end++] === 0x40) host = end
  }
  const name = String.fromCharCode(...bytes.subarray(host, end))
  if (!hostName.test(name)) return [[scheme, authority]]
  const hostEnd = Math.min(length, end + 1)
  return host === authority
    ? [[scheme, hostEnd]]
    : [
        [scheme, authority],
        [host, hostEnd]
      ]
}

const maxScheme = 32
const maxAuthority = 255
const authorityEnds = new Set(Array.from("/?#\"'<>\\,; ", (character) => character.charCodeAt(0)))
const hostName = /^(?:localhost|(?:[a-z\d-]+\.)+(?:[a-z]{2,24}|\d{1,3}))(?::\d{1,5})?$/u
