/** Many literals looked for in one pass over a text, ignoring the case of ASCII letters (Aho and Corasick, 1975, as a table). Literals are ASCII. */

/** Called for every occurrence: the literal's place in the list it was built from, and the offset after its last character. */
export type OnLiteral = (literal: number, end: number) => void

export interface Literals {
  scan(text: string, onLiteral: OnLiteral): void
}

export const literals = (list: ReadonlyArray<string>): Literals => {
  const nodes = buildTrie(list.map((word) => word.toLowerCase()))
  const { firstOutput, outputs, table } = buildTable(nodes)
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
  readonly children: Map<number, Node>
  /** The literals that end here, those that end with another one's end included. */
  readonly found: Array<number>
  /** Where a character that none of the children has is looked for next; none for the root. */
  fallback: Node | undefined
}

/** The nodes breadth first, so that the one that another falls back to comes before it. */
const buildTrie = (words: ReadonlyArray<string>): ReadonlyArray<Node> => {
  const makeNode = (): Node => ({ children: new Map(), found: [], fallback: undefined })
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

/** The states that end a literal get the highest numbers, so that one comparison tells them apart. */
const buildTable = (nodes: ReadonlyArray<Node>) => {
  const plain = nodes.filter(({ found }) => found.length === 0)
  const output = nodes.filter(({ found }) => found.length > 0)
  const numbers = new Map([...plain, ...output].map((node, number) => [node, number]))
  const rowOf = (node: Node | undefined): number => (node === undefined ? 0 : (numbers.get(node) ?? 0)) << 7
  const table = new (nodes.length > 1 << 16 ? Uint32Array : Uint16Array)(nodes.length << 7)
  for (const node of nodes) {
    const row = rowOf(node)
    const back = rowOf(node.fallback)
    table.copyWithin(row, back, back + 128)
    for (const [code, child] of node.children) {
      const number = numbers.get(child) ?? 0
      table[row | code] = number
      if (code >= 97 && code <= 122) table[row | (code - 32)] = number
    }
  }
  return { firstOutput: plain.length, outputs: output.map(({ found }) => found), table }
}
