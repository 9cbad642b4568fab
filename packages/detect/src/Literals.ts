/** Many literals looked for in one pass over a text, ignoring the case of ASCII letters (Aho and Corasick, 1975, as a table). Literals are ASCII. */

/** Called for every occurrence: the literal's place in the list it was built from, and the offset after its last character. */
export type OnLiteral = (literal: number, end: number) => void

export interface Literals {
  scan(text: string, onLiteral: OnLiteral): void
}

export const literals = (list: ReadonlyArray<string>): Literals => {
  const trie = buildTrie(list.map((word) => word.toLowerCase()))
  const { firstOutput, numbers } = numberStates(trie)
  const table = new Uint16Array(trie.length << 7)
  const outputs: Array<ReadonlyArray<number>> = []
  trie.forEach(({ found, next }, state) => {
    const number = numbers[state] ?? 0
    for (let code = 0; code < 128; code++) {
      table[(number << 7) | code] = numbers[next[code >= 65 && code <= 90 ? code + 32 : code] ?? 0] ?? 0
    }
    if (found.length > 0) outputs[number - firstOutput] = found
  })

  return {
    scan: (text, onLiteral) => {
      let state = 0
      for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i)
        state = code < 128 ? (table[(state << 7) | code] ?? 0) : 0
        if (state >= firstOutput) {
          for (const literal of outputs[state - firstOutput] ?? []) onLiteral(literal, i + 1)
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

const buildTrie = (words: ReadonlyArray<string>): ReadonlyArray<Node> => {
  const node = (): Node => ({ next: Array.from<number>({ length: 128 }).fill(-1), found: [], fallback: 0 })
  const trie = [node()]
  const at = (state: number): Node => trie[state] ?? node()

  words.forEach((word, literal) => {
    let state = 0
    for (let i = 0; i < word.length; i++) {
      const code = word.charCodeAt(i) & 127
      const next = at(state).next[code] ?? -1
      if (next >= 0) state = next
      else {
        trie.push(node())
        at(state).next[code] = trie.length - 1
        state = trie.length - 1
      }
    }
    at(state).found.push(literal)
  })

  const queue: Array<number> = [0]
  for (const state of queue) {
    const { fallback, next } = at(state)
    for (let code = 0; code < 128; code++) {
      const target = next[code] ?? -1
      const elsewhere = state === 0 ? 0 : (at(fallback).next[code] ?? 0)
      if (target < 0) next[code] = elsewhere
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
