/**
 * What an event must contain to be found. One expression has two readers that agree on every event (a property test holds
 * them to it): the full-text engine for what is stored, and `holds` for an event at hand (while loading, for highlights).
 *
 * Nothing a caller wrote reaches the engine as it came: words are letters and digits in quotes, terms are digests.
 */
import type { Vault } from "../crypto/Vault.ts"
import { type Column, columns, gap, type IndexedEvent, type Place, type Searchable, termKey } from "./IndexedEvent.ts"
import { type Term, tokenOf } from "./Term.ts"

export type Expression =
  | { readonly _tag: "Everything" }
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Exact"; readonly term: Term }
  /** The words one after another, in one field. `prefix`: the last one need only begin so. */
  | {
      readonly _tag: "Phrase"
      readonly words: ReadonlyArray<string>
      readonly prefix: boolean
      readonly column: Column | undefined
    }
  | { readonly _tag: "All"; readonly of: ReadonlyArray<Expression> }
  | { readonly _tag: "Any"; readonly of: ReadonlyArray<Expression> }
  | { readonly _tag: "Not"; readonly of: Expression }

export const everything: Expression = { _tag: "Everything" }
export const nothing: Expression = { _tag: "Nothing" }

export const exact = (term: Term): Expression => ({ _tag: "Exact", term })

/** Nothing, where no word is left to look for. */
export const phrase = (
  words: ReadonlyArray<string>,
  { column, prefix = false }: { readonly prefix?: boolean; readonly column?: Column | undefined } = {}
): Expression => (words.some((word) => word !== gap) ? { _tag: "Phrase", words, prefix, column } : nothing)

export const all = (...of: ReadonlyArray<Expression>): Expression => {
  const needed = of.flatMap((each) => (each._tag === "All" ? each.of : each._tag === "Everything" ? [] : [each]))
  if (needed.some(({ _tag }) => _tag === "Nothing")) return nothing
  return single(needed) ?? (needed.length === 0 ? everything : { _tag: "All", of: needed })
}

export const any = (...of: ReadonlyArray<Expression>): Expression => {
  const enough = of.flatMap((each) => (each._tag === "Any" ? each.of : each._tag === "Nothing" ? [] : [each]))
  if (enough.some(({ _tag }) => _tag === "Everything")) return everything
  return single(enough) ?? (enough.length === 0 ? nothing : { _tag: "Any", of: enough })
}

export const not = (of: Expression): Expression => {
  if (of._tag === "Everything") return nothing
  if (of._tag === "Nothing") return everything
  return of._tag === "Not" ? of.of : { _tag: "Not", of }
}

/** The token that every event carries in the `terms` column. */
export const everyToken = "zall"

/** The expression in the engine's own language, for a table with `columns` and `terms`. */
export const toMatch = (vault: Vault, expression: Expression): string => {
  switch (expression._tag) {
    case "Everything": {
      return `terms : "${everyToken}"`
    }
    case "Nothing": {
      return `terms : "znothing"`
    }
    case "Exact": {
      return `terms : "${tokenOf(vault, expression.term)}"`
    }
    case "Phrase": {
      const { column, prefix, words } = expression
      return `${column ?? `{${columns.join(" ")}}`} : "${words.join(" ")}"${prefix ? " *" : ""}`
    }
    case "All": {
      const excluded = expression.of.flatMap((each) => (each._tag === "Not" ? [each.of] : []))
      const required = expression.of.filter(({ _tag }) => _tag !== "Not")
      const base = required.length === 0 ? toMatch(vault, everything) : joined(vault, " AND ", required)
      return excluded.length === 0 ? base : `(${base}) NOT (${joined(vault, " OR ", excluded)})`
    }
    case "Any": {
      return joined(vault, " OR ", expression.of)
    }
    case "Not": {
      return `${toMatch(vault, everything)} NOT (${toMatch(vault, expression.of)})`
    }
  }
}

export const holds = (expression: Expression, event: Searchable): boolean => {
  switch (expression._tag) {
    case "Everything": {
      return true
    }
    case "Nothing": {
      return false
    }
    case "Exact": {
      return event.terms.has(termKey(expression.term))
    }
    case "Phrase": {
      return occurrences(expression, event).next().done !== true
    }
    case "All": {
      return expression.of.every((each) => holds(each, event))
    }
    case "Any": {
      return expression.of.some((each) => holds(each, event))
    }
    case "Not": {
      return !holds(expression.of, event)
    }
  }
}

/** Where the event holds it: the places of every part that is there and wanted. */
export const placesOf = (expression: Expression, event: IndexedEvent): ReadonlyArray<Place> => {
  switch (expression._tag) {
    case "Everything":
    case "Nothing":
    case "Not": {
      return []
    }
    case "Exact": {
      return event.terms.get(termKey(expression.term))?.places ?? []
    }
    case "Phrase": {
      return phrasePlaces(expression, event)
    }
    case "All": {
      return holds(expression, event) ? expression.of.flatMap((each) => placesOf(each, event)) : []
    }
    case "Any": {
      return expression.of.flatMap((each) => placesOf(each, event))
    }
  }
}

const joined = (vault: Vault, operator: string, of: ReadonlyArray<Expression>): string =>
  of.map((each) => `(${toMatch(vault, each)})`).join(operator)

const single = (of: ReadonlyArray<Expression>): Expression | undefined => (of.length === 1 ? of[0] : undefined)

/** Where a phrase begins: the text, and the word in it. */
function* occurrences(
  { column, prefix, words }: Phrase,
  { texts }: Searchable
): Generator<{ readonly text: number; readonly first: number }> {
  const last = words.length - 1
  for (const [text, { column: where, words: present }] of texts.entries()) {
    if (column !== undefined && column !== where) continue
    for (let first = 0; first + last < present.length; first += 1) {
      let matched = 0
      while (matched <= last) {
        const wanted = words[matched]
        const found = present[first + matched]?.text
        if (wanted === undefined || found === undefined) break
        if (found !== wanted && !(prefix && matched === last && found.startsWith(wanted))) break
        matched += 1
      }
      if (matched > last) yield { text, first }
    }
  }
}

const phrasePlaces = (expression: Phrase, event: IndexedEvent): ReadonlyArray<Place> =>
  [...occurrences(expression, event)].flatMap(({ first, text }) => {
    const words = event.texts[text]?.words
    const start = words?.[first]?.start
    const end = words?.[first + expression.words.length - 1]?.end
    return start === undefined || end === undefined ? [] : [{ text, start, end, secret: false }]
  })

type Phrase = Extract<Expression, { readonly _tag: "Phrase" }>
