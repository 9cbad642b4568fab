/**
 * Searches many literals in one pass over a text, ignoring the case of ASCII letters (Aho and Corasick, 1975, as a
 * table). Literals must be ASCII.
 */
import { isWide } from "./Bytes.ts"

/** Called for every occurrence: `literal` is an index of the list, `end` the offset after the last character. */
export type OnLiteral = (literal: number, end: number) => void

export interface Literals {
  /** Reports occurrences in ascending order of their ends. Passing the bytes of the text makes it faster. */
  scan(text: string, onLiteral: OnLiteral, bytes?: Uint8Array): void
}

/**
 * The table is built only after `maxSearched` characters were scanned in total, because building it takes as long as
 * scanning megabytes.
 */
export const literals = (list: ReadonlyArray<string>, maxSearched = 8_192): Literals => {
  const words = list.map((word) => word.toLowerCase())
  let searched = 0
  let table: Literals | undefined
  return {
    scan: (text, onLiteral, bytes) => {
      searched += text.length
      if (table === undefined && searched <= maxSearched) return searchEach(words, text, onLiteral)
      table ??= tableOf(words)
      table.scan(text, onLiteral, bytes)
    }
  }
}

/**
 * Searches one word after the other. Occurrences are sorted as the table reports them: of those with the same end, the
 * longest comes first.
 */
const searchEach = (words: ReadonlyArray<string>, text: string, onLiteral: OnLiteral): void => {
  const lower = text.replaceAll(/[A-Z]+/gu, (letters) => letters.toLowerCase())
  const ends: Array<{ readonly literal: number; readonly length: number; readonly end: number }> = []
  for (const [literal, word] of words.entries()) {
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + 1)) {
      ends.push({ literal, length: word.length, end: at + word.length })
    }
  }
  ends.sort((a, b) => a.end - b.end || b.length - a.length)
  for (const { end, literal } of ends) onLiteral(literal, end)
}

const tableOf = (words: ReadonlyArray<string>): Literals => {
  const longest = Math.max(0, ...words.map(({ length }) => length))
  const { classOf, firstOutput, outputs, rowBits, table } = buildTable(buildTrie(words), words)
  const step = (row: number, code = 0): number => table[row | (classOf[code] ?? 0)] ?? 0

  /** Pairs of a row that ends a literal and the offset after its last character, for each half of the text. */
  const walk = (codes: Uint8Array): ReadonlyArray<ReadonlyArray<number>> => {
    const half = (codes.length + 1) >> 1
    const from = codes.length - half
    const inFirst: Array<number> = []
    const inSecond: Array<number> = []
    let first = 0
    let second = 0
    // Only the preceding characters, as many as the longest literal has, determine the row.
    for (let i = Math.max(0, from - longest); i < from; i++) second = step(second, codes[i])
    // Each look-up depends on the result of the previous one. Interleaving two sequences hides that latency.
    for (let i = 0; i < half; i++) {
      first = step(first, codes[i])
      second = step(second, codes[from + i])
      // If the length is odd, both halves include the middle character.
      if (first >= firstOutput && i < from) inFirst.push(first, i + 1)
      if (second >= firstOutput) inSecond.push(second, from + i + 1)
    }
    return [inFirst, inSecond]
  }

  return {
    scan: (text, onLiteral, bytes) => {
      for (const ends of walk(codesOf(text, bytes))) {
        for (let i = 0; i < ends.length; i += 2) {
          const state = ((ends[i] ?? 0) - firstOutput) >> rowBits
          for (const literal of outputs[state] ?? []) onLiteral(literal, ends[i + 1] ?? 0)
        }
      }
    }
  }
}

/** Reused, and larger than most texts: it is read completely before a callback can scan another text. */
let shared = new Uint8Array(1 << 20)

/**
 * One byte per UTF-16 unit: its code if it is ASCII, otherwise a byte above 127. Uses the text's own bytes if their
 * number is equal.
 */
const codesOf = (text: string, bytes: Uint8Array | undefined): Uint8Array => {
  // A plain Uint8Array instead of a Buffer, so that V8 compiles the loop for one class.
  if (bytes?.length === text.length) return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
  if (shared.length < text.length) shared = new Uint8Array(text.length)
  if (bytes === undefined || !copyUtf8(bytes, shared, text.length)) {
    for (let i = 0; i < text.length; i++) shared[i] = Math.min(text.charCodeAt(i), 255)
  }
  return shared.subarray(0, text.length)
}

/**
 * Writes one byte per UTF-16 unit of UTF-8 text, which takes a fifth of the time of reading the text. False if the
 * bytes do not match the text's length.
 */
const copyUtf8 = (bytes: Uint8Array, codes: Uint8Array, length: number): boolean => {
  // UTF-16 or UTF-32 could have the right number of bytes by chance.
  if (isWide(bytes)) return false
  let at = 0
  for (let i = hasMark(bytes) ? 3 : 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0
    if (byte < 0x80) codes[at++] = byte
    else if (byte >= 0xc0) {
      codes[at++] = 255
      // A character beyond the Basic Multilingual Plane has two units.
      if (byte >= 0xf0) codes[at++] = 255
    }
  }
  return at === length
}

const hasMark = ([first, second, third]: Uint8Array): boolean => first === 0xef && second === 0xbb && third === 0xbf

interface Node {
  readonly children: Map<number, Node>
  /** The literals that end at this node, including suffixes of others. */
  readonly found: Array<number>
  /** The node to continue from if no child has the next character; undefined for the root. */
  fallback: Node | undefined
  /** Offset of the node's row in the table. */
  row: number
}

/** Nodes in breadth-first order, so that a node comes after its fallback. */
const buildTrie = (words: ReadonlyArray<string>): ReadonlyArray<Node> => {
  const makeNode = (): Node => ({ children: new Map(), found: [], fallback: undefined, row: 0 })
  const root = makeNode()
  words.forEach((word, literal) => {
    let node = root
    for (let i = 0; i < word.length; i++) {
      const code = word.charCodeAt(i) & 127
      const next = node.children.get(code) ?? makeNode()
      node.children.set(code, next)
      node = next
    }
    node.found.push(literal)
  })

  const nodes = [root]
  for (const node of nodes) {
    for (const [code, child] of node.children) {
      let back = node.fallback
      while (back !== undefined && !back.children.has(code)) back = back.fallback
      child.fallback = back?.children.get(code) ?? root
      child.found.push(...child.fallback.found)
      nodes.push(child)
    }
  }
  return nodes
}

/**
 * A row per state, with the offset of the next row for each class of bytes. Bytes that occur in no literal share a
 * class, and so do both cases of a letter: small rows fit into the processor's first cache. The states that end a
 * literal have the last rows, so that one comparison identifies them.
 */
const buildTable = (nodes: ReadonlyArray<Node>, words: ReadonlyArray<string>) => {
  const classOf = new Uint8Array(256)
  const characters = [...new Set(words.join(""))]
  for (const [index, character] of characters.entries()) {
    for (const written of [character, character.toUpperCase()]) classOf[written.charCodeAt(0) & 127] = index + 1
  }
  const rowBits = 32 - Math.clz32(characters.length)
  const plain = nodes.filter(({ found }) => found.length === 0)
  const output = nodes.filter(({ found }) => found.length > 0)
  for (const [state, node] of [...plain, ...output].entries()) node.row = state << rowBits
  const table = new Uint32Array(nodes.length << rowBits)
  for (const { children, fallback, row } of nodes) {
    const back = fallback?.row ?? 0
    table.copyWithin(row, back, back + (1 << rowBits))
    for (const [code, child] of children) table[row | (classOf[code] ?? 0)] = child.row
  }
  return { classOf, firstOutput: plain.length << rowBits, outputs: output.map(({ found }) => found), rowBits, table }
}
