/** Many literals looked for in one pass over a text, ignoring the case of ASCII letters (Aho and Corasick, 1975, as a table). */

/** Called for every occurrence: the literal's place in the list it was built from, and the offset after its last character. */
export type OnLiteral = (literal: number, end: number) => void

export interface Literals {
  scan(text: string, onLiteral: OnLiteral): void
}

export const literals = (list: ReadonlyArray<string>): Literals => {
  const words = list.map((word) => word.toLowerCase())
  const classTable = new Uint8Array(128)
  let classes = 1
  for (const word of words) {
    for (let i = 0; i < word.length; i++) {
      const code = word.charCodeAt(i)
      if (classTable[code] === 0) classTable[code] = classes++
    }
  }
  for (let code = 65; code <= 90; code++) classTable[code] = classTable[code + 32] ?? 0

  const trie = buildTrie(words, classTable, classes)
  const order = numberStates(trie)
  const { firstOutput } = order

  const table = new Int32Array(trie.length * classes)
  const outputs: Array<ReadonlyArray<number>> = []
  trie.forEach((node, state) => {
    const number = order.numbers[state] ?? 0
    for (let c = 0; c < classes; c++) table[number * classes + c] = (order.numbers[node.next[c] ?? 0] ?? 0) * classes
    if (node.found.length > 0) outputs[number - firstOutput] = node.found
  })
  const outputFrom = firstOutput * classes

  return {
    scan: (text, onLiteral) => {
      let state = 0
      for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i)
        state = code < 128 ? (table[state + (classTable[code] ?? 0)] ?? 0) : 0
        if (state >= outputFrom) {
          for (const literal of outputs[state / classes - firstOutput] ?? []) onLiteral(literal, i + 1)
        }
      }
    }
  }
}

interface Node {
  readonly next: Array<number>
  readonly found: Array<number>
  fallback: number
}

const buildTrie = (words: ReadonlyArray<string>, classTable: Uint8Array, classes: number): ReadonlyArray<Node> => {
  const node = (): Node => ({ next: Array.from<number>({ length: classes }).fill(-1), found: [], fallback: 0 })
  const trie = [node()]
  const at = (state: number): Node => trie[state] ?? node()

  words.forEach((word, literal) => {
    let state = 0
    for (let i = 0; i < word.length; i++) {
      const c = classTable[word.charCodeAt(i)] ?? 0
      const next = at(state).next[c] ?? -1
      if (next >= 0) state = next
      else {
        trie.push(node())
        at(state).next[c] = trie.length - 1
        state = trie.length - 1
      }
    }
    at(state).found.push(literal)
  })

  const queue: Array<number> = [0]
  for (const state of queue) {
    const { fallback, next } = at(state)
    for (let c = 0; c < classes; c++) {
      const target = next[c] ?? -1
      const elsewhere = state === 0 ? 0 : (at(fallback).next[c] ?? 0)
      if (target < 0) next[c] = elsewhere
      else {
        at(target).fallback = elsewhere
        at(target).found.push(...at(elsewhere).found)
        queue.push(target)
      }
    }
  }
  return trie
}

/** The states that end a literal get the highest numbers, so that one comparison tells them apart. */
const numberStates = (trie: ReadonlyArray<Node>) => {
  const plain = trie.filter(({ found }) => found.length === 0).length
  let nextPlain = 0
  let nextOutput = plain
  return {
    firstOutput: plain,
    numbers: trie.map(({ found }) => (found.length === 0 ? nextPlain++ : nextOutput++))
  }
}
