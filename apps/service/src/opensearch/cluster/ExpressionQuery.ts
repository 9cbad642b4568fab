/**
 * Translates a search expression to the query language of OpenSearch, for an index with the search fields, `all` and
 * `terms`.
 *
 * No text of a caller reaches a parser of OpenSearch: words are letters and digits, terms are digests.
 */
import { hash } from "node:crypto"
import * as Predicate from "effect/Predicate"
import type { Expression } from "../../search/Expression.ts"
import { fields } from "../../search/SearchDocument.ts"
import { type BlindIndex, tokenOf } from "../../search/Term.ts"
import type { Query } from "./Cluster.ts"

export const expressionQuery = (blindIndex: BlindIndex, expression: Expression): Query => {
  const queries = (of: ReadonlyArray<Expression>) => of.map((each) => expressionQuery(blindIndex, each))
  switch (expression._tag) {
    case "MatchAll":
      return { match_all: {} }
    case "MatchNone":
      return { match_none: {} }
    case "Term":
      return { term: { terms: tokenOf(blindIndex, expression.term) } }
    case "Phrase": {
      const { field = "all", prefix, words } = expression
      if (!prefix) return { match_phrase: { [field]: wordsToIndex(words.join(" ")) } }
      const [word = "", ...rest] = words
      return rest.length === 0
        ? { prefix: { [field]: word.slice(0, maxWordLength) } }
        : { match_phrase_prefix: { [field]: { query: wordsToIndex(words.join(" ")), max_expansions: maxExpansions } } }
    }
    case "And":
      return {
        bool: {
          filter: queries(expression.of.filter(({ _tag }) => _tag !== "Not")),
          must_not: queries(expression.of.flatMap((each) => (each._tag === "Not" ? [each.of] : [])))
        }
      }
    case "Or": {
      // A list of values is a single clause; a node refuses searches with more clauses than its limit.
      const exact = expression.of.map((each) => exactValue(blindIndex, each))
      const byField = Map.groupBy(exact.filter(Predicate.isNotUndefined), ({ field }) => field)
      const lists = Array.from(byField, ([field, list]) => ({ terms: { [field]: list.map(({ value }) => value) } }))
      const others = expression.of.filter((_, at) => exact[at] === undefined)
      return { bool: { should: [...lists, ...queries(others)], minimum_should_match: 1 } }
    }
    case "Not":
      return { bool: { must_not: [expressionQuery(blindIndex, expression.of)] } }
  }
}

/** The single value that the expression requires of a field; undefined for other expressions. */
const exactValue = (
  blindIndex: BlindIndex,
  expression: Expression
): { readonly field: string; readonly value: string } | undefined => {
  if (expression._tag === "Term") return { field: "terms", value: tokenOf(blindIndex, expression.term) }
  if (expression._tag !== "Phrase" || expression.prefix) return undefined
  const { field = "all", words } = expression
  const [word, ...rest] = words
  return word === undefined || rest.length > 0 ? undefined : { field, value: wordsToIndex(word) }
}

/**
 * Words separated by spaces, shortened where necessary: the analyzer would split a word of more than 255 characters.
 */
export const wordsToIndex = (words: string): string =>
  words.length <= maxWordLength
    ? words
    : words
        .split(" ")
        .map((word) =>
          word.length <= maxWordLength
            ? word
            : `${word.slice(0, maxWordLength)}z${hash("sha256", word, "hex").slice(0, 32)}`
        )
        .join(" ")

const maxWordLength = 200

/** The maximum number of words that a prefix is expanded to. */
const maxExpansions = 100_000

const words = { type: "text", analyzer: "whitespace", norms: false } as const

/** The fields that expressions search. A phrase in any field is searched in `all`. */
export const expressionFields = {
  ...Object.fromEntries(fields.map((field) => [field, { ...words, copy_to: "all" }])),
  all: words,
  terms: { type: "keyword", doc_values: false }
}
