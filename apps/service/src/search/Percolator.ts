/**
 * Reverse search: finds which of many registered expressions match a document. Each is registered under keys (terms,
 * phrases, prefixes), of which a matching document contains one, so the time does not grow with the number of
 * expressions.
 */
import { type Expression, matches } from "./Expression.ts"
import type { Matchable } from "./SearchDocument.ts"
import { termKey } from "./Term.ts"

export class Percolator {
  readonly #entries = new Map<number, Entry>()
  readonly #terms = new KeyNode()
  readonly #phrases = new KeyNode()
  /** The prefixes by their length. */
  readonly #prefixes = new Map<number, KeyNode>()
  /** Entries without keys, such as a bare `NOT`, which are evaluated for every document. */
  readonly #unkeyed = new KeyNode()

  get size(): number {
    return this.#entries.size
  }

  add(id: number, expression: Expression): void {
    this.remove(id)
    const { exact, keys } = this.#cover(expression) ?? { keys: [{ root: this.#unkeyed, path: [] }], exact: false }
    const entry: Entry = { id, expression, keys, exact }
    this.#entries.set(id, entry)
    for (const { path, root } of keys) root.create(path).entries.add(entry)
  }

  remove(id: number): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    this.#entries.delete(id)
    for (const { path, root } of entry.keys) root.delete(path, entry)
  }

  /** The distinct ids of the matching expressions, in no particular order. */
  match(document: Matchable): ReadonlyArray<number> {
    const candidates = new Set(this.#unkeyed.entries)
    const collect = (node: KeyNode | undefined) => {
      if (node !== undefined) for (const entry of node.entries) candidates.add(entry)
    }
    const { next: terms } = this.#terms
    if (terms !== undefined) for (const key of document.terms.keys()) collect(terms.get(key))
    for (const { words } of document.texts) {
      for (let first = 0; first < words.length; first += 1) {
        const word = words[first]?.text ?? ""
        for (const length of this.#prefixes.keys()) {
          if (word.length >= length) collect(this.#prefixes.get(length)?.next?.get(word.slice(0, length)))
        }
        let node = this.#phrases.next?.get(word)
        for (let next = first + 1; node !== undefined; next += 1) {
          collect(node)
          node = node.next?.get(words[next]?.text ?? "")
        }
      }
    }
    const matching: Array<number> = []
    for (const { exact, expression, id } of candidates) if (exact || matches(expression, document)) matching.push(id)
    return matching
  }

  /** The keys of an expression. Undefined if it can match a document without any key. */
  #cover(expression: Expression): Cover | undefined {
    const coverBy = (root: KeyNode, path: ReadonlyArray<string>, exact: boolean, cost: number): Cover => ({
      keys: [{ root, path }],
      exact,
      cost: (root.find(path)?.entries.size ?? 0) + cost
    })
    switch (expression._tag) {
      case "MatchAll":
      case "Not":
        return undefined
      case "MatchNone":
        return { keys: [], exact: true, cost: 0 }
      case "Term": {
        const { kind } = expression.term
        const cost = kind === "type" || kind === "severity" ? inMostDocuments : 1
        return coverBy(this.#terms, [termKey(expression.term)], true, cost)
      }
      case "Phrase": {
        const { field, prefix, words } = expression
        const whole = prefix ? words.slice(0, -1) : words
        if (whole.length > 0) {
          return coverBy(this.#phrases, whole, !prefix && field === undefined, whole.length > 1 ? 1 : inSomeDocuments)
        }
        const text = (words[0] ?? "").slice(0, maxPrefixLength)
        const prefixes = this.#prefixes.get(text.length) ?? new KeyNode()
        this.#prefixes.set(text.length, prefixes)
        return coverBy(prefixes, [text], text === words[0] && field === undefined, inManyDocuments)
      }
      case "And": {
        let best: Cover | undefined
        for (const each of expression.of) {
          const cover = this.#cover(each)
          if (cover !== undefined && (best === undefined || cover.cost < best.cost)) best = { ...cover, exact: false }
        }
        return best
      }
      case "Or": {
        const covers = expression.of.map((each) => this.#cover(each))
        const keys: Array<Key> = []
        let cost = 0
        let exact = true
        for (const cover of covers) {
          if (cover === undefined) return undefined
          keys.push(...cover.keys)
          cost += cover.cost
          exact &&= cover.exact
        }
        return { keys, exact, cost }
      }
    }
  }
}

interface Entry {
  readonly id: number
  readonly expression: Expression
  readonly keys: ReadonlyArray<Key>
  /** Whether a document with one of the keys matches without evaluating the expression. */
  readonly exact: boolean
}

/** The term, the words of the phrase or the prefix, below the node of its kind. */
interface Key {
  readonly root: KeyNode
  readonly path: ReadonlyArray<string>
}

interface Cover {
  readonly keys: ReadonlyArray<Key>
  readonly exact: boolean
  /** An estimate of how often the entry is evaluated without a match: an `And` takes the keys of its cheapest part. */
  readonly cost: number
}

const inSomeDocuments = 4
const inManyDocuments = 100
const inMostDocuments = 1_000_000

/** UTF-16 code units. Limits the number of look-ups per word. */
const maxPrefixLength = 8

/** A node of a trie. Most nodes are leaves, which have no map. */
class KeyNode {
  readonly entries = new Set<Entry>()
  next: Map<string, KeyNode> | undefined

  find(path: ReadonlyArray<string>): KeyNode | undefined {
    return path.reduce<KeyNode | undefined>((node, step) => node?.next?.get(step), this)
  }

  create(path: ReadonlyArray<string>): KeyNode {
    return path.reduce<KeyNode>((node, step) => {
      node.next ??= new Map()
      const next = node.next.get(step) ?? new KeyNode()
      node.next.set(step, next)
      return next
    }, this)
  }

  delete([step, ...rest]: ReadonlyArray<string>, entry: Entry): void {
    if (step === undefined) {
      this.entries.delete(entry)
      return
    }
    const next = this.next?.get(step)
    next?.delete(rest, entry)
    if (next?.entries.size === 0 && next.next === undefined) this.next?.delete(step)
    if (this.next?.size === 0) this.next = undefined
  }
}
