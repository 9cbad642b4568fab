/**
 * Parses the language of a `query_string`: see docs/api.md#search-language.
 *
 *     leaked "acme corp" AND title:(password OR token*) NOT type:paste
 */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { and, type Expression, matchAll, matchNone, not, or, phrase } from "./Expression.ts"
import { type Field, fields } from "./SearchDocument.ts"
import type { BlindIndex } from "./Term.ts"
import { tokenize, wordsOf } from "./Tokenizer.ts"

/** UTF-16 code units. */
export const maxQueryLength = 10_000
export const maxWords = 128
export const maxGroupDepth = 16

/** UTF-16 code units. Longer texts would cost other requests time, and occur in no event. */
export const maxTermLength = 256

/** Not an `Error`, because capturing its stack would take longer than the rest of the refusal. */
export class QueryStringInvalid extends Data.TaggedClass("QueryStringInvalid")<{
  /** The member of the query. Default: `query_string`. */
  readonly field?: string
  /** The offset in UTF-16 code units, from 0. */
  readonly position: number
  readonly reason: string
}> {
  get message(): string {
    return `${this.reason} (at character ${this.position})`
  }

  /** The form in which a command prints it. */
  override toString(): string {
    return this.message
  }
}

export type ExactField = (value: string) => Expression | undefined

/** A query with valid syntax, not yet scanned for secrets, which takes a hundred times as long. */
export interface ParsedQuery {
  /** An upper bound for the number of words, if nothing in the query is hidden. */
  readonly words: number
  /** Throws {@link QueryStringInvalid} if there are too many words. */
  readonly expression: (blindIndex: BlindIndex) => Expression
}

export const parseQueryString = (
  text: string,
  exactFields: ReadonlyMap<string, ExactField>
): Result.Result<ParsedQuery, QueryStringInvalid> => resultOf(() => new Parser(text, exactFields).parse())

export const expressionIn = (
  blindIndex: BlindIndex,
  { expression }: ParsedQuery
): Result.Result<Expression, QueryStringInvalid> => resultOf(() => expression(blindIndex))

const resultOf = <A>(run: () => A): Result.Result<A, QueryStringInvalid> => {
  try {
    return Result.succeed(run())
  } catch (cause) {
    if (cause instanceof QueryStringInvalid) return Result.fail(cause)
    throw cause
  }
}

interface OperatorToken {
  readonly _tag: "Open" | "Close" | "And" | "Or" | "Not" | "Required"
  readonly position: number
}

type Token =
  | OperatorToken
  | { readonly _tag: "Field"; readonly name: string; readonly position: number }
  | {
      readonly _tag: "Words"
      readonly text: string
      readonly prefix: boolean
      readonly quoted: boolean
      readonly position: number
    }

interface Clause {
  readonly role: "wanted" | "excluded" | "required"
  readonly expression: (tokenizer: CountingTokenizer) => Expression
}

const clauseOf = (expression: Clause["expression"], role: Clause["role"] = "wanted"): Clause => ({ expression, role })

/** Counts the words of a query from its beginning. */
class CountingTokenizer {
  readonly #blindIndex: BlindIndex
  #words = 0

  constructor(blindIndex: BlindIndex) {
    this.#blindIndex = blindIndex
  }

  wordsOf(text: string, position: number): ReadonlyArray<string> {
    const words = tokenize(this.#blindIndex, text).map((word) => word.text)
    this.count(words.length, position)
    return words
  }

  count(words: number, position: number): void {
    this.#words += words
    if (this.#words > maxWords) throw tooManyWords(position)
  }
}

class Parser {
  readonly #text: string
  readonly #exactFields: ReadonlyMap<string, ExactField>
  #tokens: ReadonlyArray<Token> = []
  #next = 0
  #terms = 0
  #words = 0

  constructor(text: string, exactFields: ReadonlyMap<string, ExactField>) {
    this.#text = text
    this.#exactFields = exactFields
  }

  parse(): ParsedQuery {
    if (this.#text.length > maxQueryLength) {
      throw invalid(maxQueryLength, `A query has at most ${maxQueryLength} characters`)
    }
    this.#tokens = [...this.#scan()]
    const whole = this.#any(undefined, 0)
    const left = this.#peek()
    if (left !== undefined) throw invalid(left.position, "This closing bracket has no opening one")
    if (whole === undefined) throw invalid(0, "The query contains no word to search for")
    return {
      words: this.#words,
      expression: (blindIndex) => whole.expression(new CountingTokenizer(blindIndex))
    }
  }

  *#scan(): Generator<Token> {
    for (const { groups = {}, index: position } of this.#text.matchAll(tokenPattern)) {
      const { closing, field, quoted, word } = groups
      if (quoted !== undefined) {
        if (closing === undefined) throw invalid(position, "This quotation mark is not closed")
        yield { _tag: "Words", text: unescapeText(quoted), prefix: false, quoted: true, position }
      } else if (field !== undefined) {
        yield { _tag: "Field", name: field.toLowerCase(), position }
      } else if (word !== undefined) {
        const operator = operators.get(word)
        yield operator === undefined ? wordsToken(word, position) : { _tag: operator, position }
      }
    }
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#next]
  }

  /** The content of a group; undefined if it contains nothing to search for. */
  #any(field: Token | undefined, depth: number): Clause | undefined {
    const clauses: Array<Clause> = []
    let spelledOut = false
    for (;;) {
      const token = this.#peek()
      if (token === undefined || token._tag === "Close") {
        if (spelledOut) throw invalid(token?.position ?? this.#text.length, "An operand is missing after OR")
        break
      }
      if (token._tag === "Or") {
        if (spelledOut || clauses.length === 0) {
          throw invalid(token.position, "OR needs an operand on both sides")
        }
        spelledOut = true
        this.#next += 1
        continue
      }
      const clause = this.#all(field, depth)
      if (clause !== undefined) {
        clauses.push(spelledOut && clause.role === "excluded" ? clauseOf(clause.expression) : clause)
      }
      spelledOut = false
    }
    const [first, second] = clauses
    if (second === undefined) return first
    return clauseOf((tokenizer) => {
      const expressions = clauses.map(({ expression, role }) => ({ role, expression: expression(tokenizer) }))
      const of = (role: Clause["role"]) => expressions.flatMap((each) => (each.role === role ? [each.expression] : []))
      const [wanted, required] = [of("wanted"), of("required")]
      // Beside a required clause, an optional one would only change the order of results.
      return and(...required, ...(required.length > 0 || wanted.length === 0 ? [] : [or(...wanted)]), ...of("excluded"))
    })
  }

  #all(field: Token | undefined, depth: number): Clause | undefined {
    const needed: Array<Clause> = []
    for (;;) {
      const clause = this.#clause(field, depth)
      if (clause !== undefined) needed.push(clause)
      const token = this.#peek()
      if (token?._tag !== "And") {
        const [first, second] = needed
        if (second === undefined) return first
        return clauseOf((tokenizer) => and(...needed.map((clause) => clause.expression(tokenizer))))
      }
      this.#next += 1
    }
  }

  #clause(field: Token | undefined, depth: number): Clause | undefined {
    const token = this.#peek()
    if (token === undefined || token._tag === "Close" || token._tag === "And" || token._tag === "Or") {
      throw invalid(token?.position ?? this.#text.length, "A word, a phrase or a group is missing here")
    }
    this.#next += 1
    switch (token._tag) {
      case "Not":
      case "Required": {
        if (depth >= maxGroupDepth) throw invalid(token.position, `Groups can be nested at most ${maxGroupDepth} deep`)
        const signed = this.#clause(field, depth + 1)
        if (signed === undefined) return undefined
        if (token._tag === "Required") return clauseOf(signed.expression, "required")
        return clauseOf(
          (tokenizer) => not(signed.expression(tokenizer)),
          signed.role === "excluded" ? "wanted" : "excluded"
        )
      }
      case "Open": {
        if (depth >= maxGroupDepth) throw invalid(token.position, `Groups can be nested at most ${maxGroupDepth} deep`)
        const inside = this.#any(field, depth + 1)
        if (this.#peek()?._tag !== "Close") throw invalid(token.position, "This bracket is not closed")
        this.#next += 1
        return inside?.role === "required" ? clauseOf(inside.expression) : inside
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
      case "Words":
        return this.#wordsIn(field, token)
    }
  }

  #wordsIn(field: Token | undefined, token: Extract<Token, { _tag: "Words" }>): Clause | undefined {
    const { position, prefix, quoted, text } = token
    if (text.length > maxTermLength) throw invalid(position, `A term has at most ${maxTermLength} characters`)
    const name = field?._tag === "Field" ? field.name : undefined
    const exactField = name === undefined ? undefined : this.#exactFields.get(name)
    if (exactField !== undefined) {
      this.#count(1, position)
      if (prefix) throw invalid(position, "A field of exact values cannot contain *")
      const expression = exactField(text)
      if (expression === undefined) throw invalid(position, `Not a valid value for ${name}`)
      return clauseOf((tokenizer) => {
        tokenizer.count(1, position)
        return expression
      })
    }
    if (text === "" && prefix && name === undefined) return clauseOf(() => matchAll)
    const words = wordsOf(text)
    this.#count(words.length, position)
    if (prefix && (words.at(-1)?.text.length ?? 0) < 2) {
      throw invalid(position, "At least two letters or digits must precede *")
    }
    if (words.length === 0) return quoted ? clauseOf(() => matchNone) : undefined
    const searched = name !== undefined && isField(name) ? name : undefined
    return clauseOf((tokenizer) => phrase(tokenizer.wordsOf(text, position), { prefix, field: searched }))
  }

  /** A hidden value counts as one word, however many it contains, so only the terms are a lower bound. */
  #count(words: number, position: number): void {
    this.#words += words
    this.#terms += Math.min(words, 1)
    if (this.#terms > maxWords) throw tooManyWords(position)
  }
}

const tooManyWords = (position: number) => invalid(position, `A query has at most ${maxWords} words`)

const invalid = (position: number, reason: string) => new QueryStringInvalid({ position, reason })

const isField = (name: string): name is Field => fields.some((field) => field === name)

const operators = new Map<string, OperatorToken["_tag"]>([
  ["(", "Open"],
  [")", "Close"],
  ["+", "Required"],
  ["-", "Not"],
  ["!", "Not"],
  ["AND", "And"],
  ["&&", "And"],
  ["OR", "Or"],
  ["||", "Or"],
  ["NOT", "Not"]
])

/** White space, a text in quotes, the name of a field, or a word. A URL with its scheme is a word, not a field. */
const tokenPattern =
  /\s+|"(?<quoted>(?:\\[^]?|[^"\\])*)(?<closing>")?|(?<field>[A-Za-z][\w.]{0,63}):(?!\/\/)|(?<word>[()+\-!]|(?:\\[^]?|[^\s()"\\])+)/g

const unescapeText = (text: string): string => text.replaceAll(/\\([^]?)/gu, "$1")

const wordsToken = (word: string, position: number): Token => {
  // Keeps the length, so that positions stay valid.
  const unescaped = word.replaceAll(/\\[^]?/gu, (escaped) => "_".repeat(escaped.length))
  const star = unescaped.indexOf("*")
  if (star !== -1 && star < word.length - 1) throw invalid(position + star, "A * is allowed only at the end of a word")
  for (const [construct, pattern] of unsupported) {
    const at = isUrl.test(unescaped) ? -1 : unescaped.search(pattern)
    if (at !== -1)
      throw invalid(position + at, `${construct} is not supported: put the word in quotes, or a \\ before it`)
  }
  const text = unescapeText(word.slice(0, star === -1 ? undefined : -1))
  return { _tag: "Words", text, prefix: star !== -1, quoted: false, position }
}

/** Constructs of Lucene, which other services do not read as a word. */
const unsupported: ReadonlyArray<readonly [construct: string, pattern: RegExp]> = [
  ["A range such as [a TO b]", /^[[{]/u],
  ["A comparison such as >=5", /^[<>]/u],
  ["A regular expression such as /a/", /^\//u],
  ["A ? for any character", /\?/u],
  ["A similarity or distance such as ~2", /~/u],
  ["A weight such as ^2", /\^/u]
]

const isUrl = /^[A-Za-z][\w+.-]*:\/\//u
