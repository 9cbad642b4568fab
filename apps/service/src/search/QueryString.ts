/**
 * The language of a `query_string`: see docs/api.md#search-language.
 *
 *     leaked "acme corp" AND title:(password OR token*) NOT type:paste
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { and, type Expression, matchAll, matchNone, not, or, phrase } from "./Expression.ts"
import { type Field, fields } from "./SearchDocument.ts"
import type { BlindIndex } from "./Term.ts"
import { tokenize } from "./Tokenizer.ts"

/** In UTF-16 units. */
export const maxQueryLength = 2_000
/** Words in one query, those of phrases included. */
export const maxWords = 128
/** Groups within groups. */
export const deepestGroup = 16

/** In UTF-16 units. A longer text costs every other request time, and no event contains it. */
export const maxTermLength = 256

/** `position` counts UTF-16 units from 0. */
export class QueryStringInvalid extends Schema.TaggedError<QueryStringInvalid>()("QueryStringInvalid", {
  /** The member of the query; `query_string` by default. */
  field: Schema.optionalKey(Schema.String),
  position: Schema.Int,
  reason: Schema.String
}) {
  override get message() {
    return `${this.reason} (at character ${this.position})`
  }
}

/** The expression of a field that takes exact values; undefined where the value is not of the field's kind. */
export type ExactField = (value: string) => Expression | undefined

export const parseQueryString = (
  blindIndex: BlindIndex,
  text: string,
  exactFields: ReadonlyMap<string, ExactField>
): Result.Result<Expression, QueryStringInvalid> => {
  try {
    return Result.succeed(new Parser(blindIndex, text, exactFields).parse())
  } catch (cause) {
    if (cause instanceof QueryStringInvalid) return Result.fail(cause)
    throw cause
  }
}

type Token =
  | { readonly _tag: "Open" | "Close" | "And" | "Or" | "Not"; readonly position: number }
  | { readonly _tag: "Field"; readonly name: string; readonly position: number }
  | {
      readonly _tag: "Words"
      readonly text: string
      readonly prefix: boolean
      readonly quoted: boolean
      readonly position: number
    }

class Parser {
  readonly #blindIndex: BlindIndex
  readonly #text: string
  readonly #exactFields: ReadonlyMap<string, ExactField>
  #tokens: ReadonlyArray<Token> = []
  #next = 0
  #words = 0

  constructor(blindIndex: BlindIndex, text: string, exactFields: ReadonlyMap<string, ExactField>) {
    this.#blindIndex = blindIndex
    this.#text = text
    this.#exactFields = exactFields
  }

  parse(): Expression {
    if (this.#text.length > maxQueryLength) {
      throw invalid(maxQueryLength, `A query has at most ${maxQueryLength} characters`)
    }
    this.#tokens = [...this.#scan()]
    const expression = this.#any(undefined, 0)
    const left = this.#peek()
    if (left !== undefined) throw invalid(left.position, "This closing bracket has no opening one")
    if (expression === undefined) throw invalid(0, "The query contains no word to search for")
    return expression
  }

  *#scan(): Generator<Token> {
    const text = this.#text
    let at = 0
    while (at < text.length) {
      const position = at
      const character = text.charAt(at)
      if (/\s/.test(character)) {
        at += 1
      } else if (character === "(" || character === ")") {
        at += 1
        yield { _tag: character === "(" ? "Open" : "Close", position }
      } else if (character === '"') {
        let inside = ""
        at += 1
        while (at < text.length && text.charAt(at) !== '"') {
          if (text.charAt(at) === "\\") at += 1
          inside += text.charAt(at)
          at += 1
        }
        if (at >= text.length) throw invalid(position, "This quotation mark is not closed")
        at += 1
        yield { _tag: "Words", text: inside, prefix: false, quoted: true, position }
      } else {
        const field = fieldPattern.exec(text.slice(at, at + 66))?.[1]
        if (field !== undefined) {
          at += field.length + 1
          yield { _tag: "Field", name: field.toLowerCase(), position }
          continue
        }
        let word = ""
        let star = -1
        let plain = true
        while (at < text.length && !/[\s()"]/.test(text.charAt(at))) {
          if (star !== -1) throw invalid(star, "A * is allowed only at the end of a word")
          if (text.charAt(at) === "\\") {
            plain = false
            at += 1
            word += text.charAt(at)
          } else if (text.charAt(at) === "*") star = at
          else word += text.charAt(at)
          at += 1
        }
        const operator = plain && star === -1 ? operators.get(word) : undefined
        if (operator !== undefined) yield { _tag: operator, position }
        else yield { _tag: "Words", text: word, prefix: star !== -1, quoted: false, position }
      }
    }
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#next]
  }

  /** The content of a group; undefined if nothing in it can be searched for. */
  #any(field: Token | undefined, depth: number): Expression | undefined {
    const wanted: Array<Expression> = []
    const excluded: Array<Expression> = []
    let spelledOut = false
    for (;;) {
      const token = this.#peek()
      if (token === undefined || token._tag === "Close") {
        if (spelledOut) throw invalid(token?.position ?? this.#text.length, "An operand is missing after OR")
        break
      }
      if (token._tag === "Or") {
        if (spelledOut || wanted.length + excluded.length === 0) {
          throw invalid(token.position, "OR needs an operand on both sides")
        }
        spelledOut = true
        this.#next += 1
        continue
      }
      const clause = this.#all(field, depth)
      if (clause !== undefined) {
        if (!spelledOut && clause._tag === "Not") excluded.push(clause)
        else wanted.push(clause)
      }
      spelledOut = false
    }
    if (wanted.length + excluded.length === 0) return undefined
    return and(...(wanted.length === 0 ? [] : [or(...wanted)]), ...excluded)
  }

  #all(field: Token | undefined, depth: number): Expression | undefined {
    const needed: Array<Expression> = []
    for (;;) {
      const clause = this.#clause(field, depth)
      if (clause !== undefined) needed.push(clause)
      const token = this.#peek()
      if (token?._tag !== "And") return needed.length === 0 ? undefined : and(...needed)
      this.#next += 1
    }
  }

  #clause(field: Token | undefined, depth: number): Expression | undefined {
    const token = this.#peek()
    if (token === undefined || token._tag === "Close" || token._tag === "And" || token._tag === "Or") {
      throw invalid(token?.position ?? this.#text.length, "A word, a phrase or a group is missing here")
    }
    this.#next += 1
    switch (token._tag) {
      case "Not": {
        if (depth >= deepestGroup) throw invalid(token.position, `Groups can be nested at most ${deepestGroup} deep`)
        const excluded = this.#clause(field, depth + 1)
        return excluded === undefined ? undefined : not(excluded)
      }
      case "Open": {
        if (depth >= deepestGroup) throw invalid(token.position, `Groups can be nested at most ${deepestGroup} deep`)
        const inside = this.#any(field, depth + 1)
        if (this.#peek()?._tag !== "Close") throw invalid(token.position, "This bracket is not closed")
        this.#next += 1
        return inside
      }
      case "Field": {
        if (field !== undefined) throw invalid(token.position, "A field cannot contain another field")
        if (!isField(token.name) && !this.#exactFields.has(token.name)) {
          const known = [...fields, ...this.#exactFields.keys()].join(", ")
          throw invalid(token.position, `Unknown field: put the words in quotes, or use one of ${known}`)
        }
        const value = this.#peek()
        if (value?._tag !== "Words" && value?._tag !== "Open") {
          throw invalid(value?.position ?? this.#text.length, "A field needs a word, a phrase or a group")
        }
        return this.#clause(token, depth)
      }
      case "Words": {
        return this.#wordsIn(field, token)
      }
    }
  }

  #wordsIn(field: Token | undefined, token: Extract<Token, { _tag: "Words" }>): Expression | undefined {
    const { position, prefix, quoted, text } = token
    if (text.length > maxTermLength) throw invalid(position, `A term has at most ${maxTermLength} characters`)
    const name = field?._tag === "Field" ? field.name : undefined
    const exactField = name === undefined ? undefined : this.#exactFields.get(name)
    if (exactField !== undefined) {
      this.#count(1, position)
      if (prefix) throw invalid(position, "A field of exact values cannot contain *")
      const expression = exactField(text)
      if (expression === undefined) throw invalid(position, `Not a valid value for ${name}`)
      return expression
    }
    if (text === "" && prefix && name === undefined) return matchAll
    const words = tokenize(this.#blindIndex, text).map((word) => word.text)
    this.#count(words.length, position)
    const last = words.at(-1)
    if (prefix && (last === undefined || last.length < 2)) {
      throw invalid(position, "At least two letters or digits must precede *")
    }
    if (words.length === 0) return quoted ? matchNone : undefined
    return phrase(words, { prefix, field: name !== undefined && isField(name) ? name : undefined })
  }

  #count(words: number, position: number): void {
    this.#words += words
    if (this.#words > maxWords) throw invalid(position, `A query has at most ${maxWords} words`)
  }
}

const invalid = (position: number, reason: string) => new QueryStringInvalid({ position, reason })

const isField = (name: string): name is Field => fields.some((field) => field === name)

const operators = new Map<string, "And" | "Or" | "Not">([
  ["AND", "And"],
  ["OR", "Or"],
  ["NOT", "Not"]
])

/** A field name and a colon; a URL with its scheme is a word. */
const fieldPattern = /^([A-Za-z][\w.]{0,63}):(?!\/\/)/
