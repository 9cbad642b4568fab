/** Two interpreters agree on every document: the full-text engine for stored documents, and `matches` in memory. */
import { type Field, type Matchable, type SearchDocument, type TextSpan } from "./SearchDocument.ts"
import { type Term, termKey } from "./Term.ts"
import { positionGap } from "./Tokenizer.ts"

export type Expression =
  | { readonly _tag: "MatchAll" }
  | { readonly _tag: "MatchNone" }
  | { readonly _tag: "Term"; readonly term: Term }
  /** Consecutive words in one text. With `prefix`, the last word is a prefix. */
  | {
      readonly _tag: "Phrase"
      readonly words: ReadonlyArray<string>
      readonly prefix: boolean
      readonly field: Field | undefined
    }
  | { readonly _tag: "And"; readonly of: ReadonlyArray<Expression> }
  | { readonly _tag: "Or"; readonly of: ReadonlyArray<Expression> }
  | { readonly _tag: "Not"; readonly of: Expression }

export const matchAll: Expression = { _tag: "MatchAll" }
export const matchNone: Expression = { _tag: "MatchNone" }

export const termExpression = (term: Term): Expression => ({ _tag: "Term", term })

export const phrase = (
  words: ReadonlyArray<string>,
  { field, prefix = false }: { readonly prefix?: boolean; readonly field?: Field | undefined } = {}
): Expression => (words.some((word) => word !== positionGap) ? { _tag: "Phrase", words, prefix, field } : matchNone)

export const and = (...of: ReadonlyArray<Expression>): Expression => {
  const needed = of.flatMap((each) => (each._tag === "And" ? each.of : each._tag === "MatchAll" ? [] : [each]))
  if (needed.some(({ _tag }) => _tag === "MatchNone")) return matchNone
  return onlyOne(needed) ?? (needed.length === 0 ? matchAll : { _tag: "And", of: needed })
}

export const or = (...of: ReadonlyArray<Expression>): Expression => {
  const enough = of.flatMap((each) => (each._tag === "Or" ? each.of : each._tag === "MatchNone" ? [] : [each]))
  if (enough.some(({ _tag }) => _tag === "MatchAll")) return matchAll
  return onlyOne(enough) ?? (enough.length === 0 ? matchNone : { _tag: "Or", of: enough })
}

export const not = (of: Expression): Expression => {
  if (of._tag === "MatchAll") return matchNone
  if (of._tag === "MatchNone") return matchAll
  return of._tag === "Not" ? of.of : { _tag: "Not", of }
}

export const matches = (expression: Expression, document: Matchable): boolean => {
  switch (expression._tag) {
    case "MatchAll":
      return true
    case "MatchNone":
      return false
    case "Term":
      return document.terms.has(termKey(expression.term))
    case "Phrase":
      return occurrences(expression, document).next().done !== true
    case "And":
      return expression.of.every((each) => matches(each, document))
    case "Or":
      return expression.of.some((each) => matches(each, document))
    case "Not":
      return !matches(expression.of, document)
  }
}

/** The spans of every matching part of the expression; a `Not` has none. */
export const matchSpans = (expression: Expression, document: SearchDocument): ReadonlyArray<TextSpan> => {
  switch (expression._tag) {
    case "MatchAll":
    case "MatchNone":
    case "Not":
      return []
    case "Term":
      return document.terms.get(termKey(expression.term))?.spans ?? []
    case "Phrase":
      return phraseSpans(expression, document)
    case "And":
      return matches(expression, document) ? expression.of.flatMap((each) => matchSpans(each, document)) : []
    case "Or":
      return expression.of.flatMap((each) => matchSpans(each, document))
  }
}

const onlyOne = (of: ReadonlyArray<Expression>): Expression | undefined => (of.length === 1 ? of[0] : undefined)

/** The occurrences of a phrase: the text, and the index of the first word in it. */
function* occurrences(
  { field, prefix, words }: Phrase,
  { texts }: Matchable
): Generator<{ readonly text: number; readonly first: number }> {
  const last = words.length - 1
  for (const [text, { field: where, words: present }] of texts.entries()) {
    if (field !== undefined && field !== where) continue
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

const phraseSpans = (expression: Phrase, document: SearchDocument): ReadonlyArray<TextSpan> =>
  [...occurrences(expression, document)].flatMap(({ first, text }) => {
    const words = document.texts[text]?.words
    const start = words?.[first]?.start
    const end = words?.[first + expression.words.length - 1]?.end
    return start === undefined || end === undefined ? [] : [{ text, start, end, secret: false }]
  })

type Phrase = Extract<Expression, { readonly _tag: "Phrase" }>
