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
  readonly #terms = new Map<string, Set<Entry>>()
  readonly #phrases = new PhraseNode()
  readonly #prefixes = new Map<string, Set<Entry>>()
  /** The number of prefix keys of each length. */
  readonly #prefixLengths = new Map<number, number>()
  /** Entries without keys, such as a bare `NOT`, which are evaluated for every document. */
  readonly #unkeyed = new Set<Entry>()

  get size(): number {
    return this.#entries.size
  }

  add(id: number, expression: Expression): void {
    this.remove(id)
    const { exact, keys } = this.#cover(expression) ?? { keys: undefined, exact: false }
    const entry: Entry = { id, expression, keys, exact }
    this.#entries.set(id, entry)
    if (keys === undefined) this.#unkeyed.add(entry)
    else for (const key of keys) this.#register(key, entry)
  }

  remove(id: number): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    this.#entries.delete(id)
    if (entry.keys === undefined) this.#unkeyed.delete(entry)
    else for (const key of entry.keys) this.#unregister(key, entry)
  }

  /** The distinct ids of the matching expressions, in no particular order. */
  match(document: Matchable): ReadonlyArray<number> {
    const candidates = new Set(this.#unkeyed)
    const collect = (entries: Iterable<Entry> | undefined) => {
      if (entries !== undefined) for (const entry of entries) candidates.add(entry)
    }
    if (this.#terms.size > 0) for (const key of document.terms.keys()) collect(this.#terms.get(key))
    for (const { words } of document.texts) {
      for (let first = 0; first < words.length; first += 1) {
        const word = words[first]?.text ?? ""
        for (const length of this.#prefixLengths.keys()) {
          if (word.length >= length) collect(this.#prefixes.get(word.slice(0, length)))
        }
        let node = this.#phrases.next.get(word)
        for (let next = first + 1; node !== undefined; next += 1) {
          collect(node.entries)
          node = node.next.size === 0 ? undefined : node.next.get(words[next]?.text ?? "")
        }
      }
    }
    const matching: Array<number> = []
    for (const { exact, expression, id } of candidates) if (exact || matches(expression, document)) matching.push(id)
    return matching
  }

  /** The keys of an expression. Undefined if it can match a document without any key. */
  #cover(expression: Expression): Cover | undefined {
    switch (expression._tag) {
      case "MatchAll":
      case "Not":
        return undefined
      case "MatchNone":
        return { keys: [], exact: true, cost: 0 }
      case "Term": {
        const { kind } = expression.term
        const key = termKey(expression.term)
        const cost = (this.#terms.get(key)?.size ?? 0) + (kind === "type" || kind === "severity" ? inMostDocuments : 1)
        return { keys: [{ _tag: "Term", key }], exact: true, cost }
      }
      case "Phrase": {
        const { field, prefix, words } = expression
        const whole = prefix ? words.slice(0, -1) : words
        if (whole.length > 0) {
          const others = this.#phrases.find(whole)?.entries.size ?? 0
          const cost = others + (whole.length > 1 ? 1 : inSomeDocuments)
          return { keys: [{ _tag: "Phrase", words: whole }], exact: !prefix && field === undefined, cost }
        }
        const text = (words[0] ?? "").slice(0, maxPrefixLength)
        const cost = (this.#prefixes.get(text)?.size ?? 0) + inManyDocuments
        return { keys: [{ _tag: "Prefix", text }], exact: text === words[0] && field === undefined, cost }
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

  #register(key: Key, entry: Entry): void {
    switch (key._tag) {
      case "Term":
        addTo(this.#terms, key.key, entry)
        return
      case "Phrase":
        this.#phrases.create(key.words).entries.add(entry)
        return
      case "Prefix": {
        const { length } = key.text
        if (addTo(this.#prefixes, key.text, entry)) {
          this.#prefixLengths.set(length, (this.#prefixLengths.get(length) ?? 0) + 1)
        }
      }
    }
  }

  #unregister(key: Key, entry: Entry): void {
    switch (key._tag) {
      case "Term":
        deleteFrom(this.#terms, key.key, entry)
        return
      case "Phrase":
        this.#phrases.delete(key.words, entry)
        return
      case "Prefix": {
        const { length } = key.text
        if (!deleteFrom(this.#prefixes, key.text, entry)) return
        const left = (this.#prefixLengths.get(length) ?? 0) - 1
        if (left > 0) this.#prefixLengths.set(length, left)
        else this.#prefixLengths.delete(length)
      }
    }
  }
}

interface Entry {
  readonly id: number
  readonly expression: Expression
  /** Undefined if the entry is evaluated for every document. */
  readonly keys: ReadonlyArray<Key> | undefined
  /** Whether a document with one of the keys matches without evaluating the expression. */
  readonly exact: boolean
}

type Key =
  | { readonly _tag: "Term"; readonly key: string }
  | { readonly _tag: "Phrase"; readonly words: ReadonlyArray<string> }
  | { readonly _tag: "Prefix"; readonly text: string }

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

class PhraseNode {
  readonly next = new Map<string, PhraseNode>()
  readonly entries = new Set<Entry>()

  find(words: ReadonlyArray<string>): PhraseNode | undefined {
    return words.reduce<PhraseNode | undefined>((node, word) => node?.next.get(word), this)
  }

  create(words: ReadonlyArray<string>): PhraseNode {
    return words.reduce<PhraseNode>((node, word) => {
      let next = node.next.get(word)
      if (next === undefined) node.next.set(word, (next = new PhraseNode()))
      return next
    }, this)
  }

  delete([word, ...rest]: ReadonlyArray<string>, entry: Entry): void {
    if (word === undefined) {
      this.entries.delete(entry)
      return
    }
    const next = this.next.get(word)
    next?.delete(rest, entry)
    if (next?.entries.size === 0 && next.next.size === 0) this.next.delete(word)
  }
}

/** Adds the entry, and returns whether the key is new. */
const addTo = (index: Map<string, Set<Entry>>, key: string, entry: Entry): boolean => {
  const entries = index.get(key)
  if (entries === undefined) index.set(key, new Set([entry]))
  else entries.add(entry)
  return entries === undefined
}

/** Deletes the entry, and returns whether the key is gone. */
const deleteFrom = (index: Map<string, Set<Entry>>, key: string, entry: Entry): boolean => {
  const entries = index.get(key)
  return entries?.delete(entry) === true && entries.size === 0 && index.delete(key)
}
