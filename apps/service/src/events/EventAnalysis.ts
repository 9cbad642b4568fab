/**
 * The result of indexing an event, in its stored form: the positions of its texts, the hidden spans in them, and the
 * terms. A page of events reads it to highlight matches, and does not index the events again.
 */
import * as Schema from "effect/Schema"
import {
  type Field,
  type FieldText,
  fields,
  type FoundTerm,
  type SearchDocument,
  type TextSpan
} from "../search/SearchDocument.ts"
import { type HiddenSpan, hiddenSpan } from "@threat-exposure/detect/SecretsInText"
import { type BlindIndex, termKey, type TermKind, termKinds } from "../search/Term.ts"
import { tokenize, type Word } from "../search/Tokenizer.ts"
import { type EventDocument, pathOf } from "./EventDocument.ts"
import { jsonDecoder } from "../requests/JsonText.ts"

/** The stored form of the document. Contains secrets in clear. */
export const encodeAnalysis = ({ terms, texts }: EventDocument): string =>
  JSON.stringify({
    texts: texts.map(({ field, hidden, pointer, words }) => [
      pointer,
      fields.indexOf(field),
      hidden.flatMap(({ end, start }) => [start, end]),
      words.length > 0
    ]),
    terms: [...terms.values()].map(({ kind, spans, value }) => [
      termKinds.indexOf(kind),
      value,
      spans.flatMap(({ end, secret, start, text }) => [text, start, end, secret ? 1 : 0])
    ])
  } satisfies Analysis)

/** Parses each text on first use: a page needs few of an event's texts, and the spans of few terms. */
export const decodeAnalysis = (blindIndex: BlindIndex, data: unknown, analysis: string): SearchDocument => {
  const { terms, texts } = decode(analysis)
  const found = new Map<string, FoundTerm>()
  for (const [kindIndex, value, numbers] of terms) {
    const kind = termKinds[kindIndex]
    if (kind !== undefined) found.set(termKey({ kind, value }), new AnalysedTerm(kind, value, numbers))
  }
  return { texts: texts.map((text) => new AnalysedText(blindIndex, data, text)), terms: found }
}

class AnalysedText implements FieldText {
  readonly #blindIndex: BlindIndex
  readonly #data: unknown
  readonly #analysis: Analysis["texts"][number]
  #text: string | undefined
  #hidden: ReadonlyArray<HiddenSpan> | undefined
  #words: ReadonlyArray<Word> | undefined

  constructor(blindIndex: BlindIndex, data: unknown, analysis: Analysis["texts"][number]) {
    this.#blindIndex = blindIndex
    this.#data = data
    this.#analysis = analysis
  }

  get path(): string {
    return pathOf(this.#analysis[0])
  }

  get field(): Field {
    return fields[this.#analysis[1]] ?? "other"
  }

  get text(): string {
    this.#text ??= String(this.#analysis[0].reduce<unknown>(memberOf, this.#data))
    return this.#text
  }

  get hidden(): ReadonlyArray<HiddenSpan> {
    this.#hidden ??= inGroups(this.#analysis[2], 2).map(([start = 0, end = 0]) => hiddenSpan(this.text, { start, end }))
    return this.#hidden
  }

  get words(): ReadonlyArray<Word> {
    this.#words ??= this.#analysis[3] ? tokenize(this.#blindIndex, this.text, this.hidden) : []
    return this.#words
  }
}

class AnalysedTerm implements FoundTerm {
  readonly kind: TermKind
  readonly value: string
  readonly #numbers: ReadonlyArray<number>

  constructor(kind: TermKind, value: string, numbers: ReadonlyArray<number>) {
    this.kind = kind
    this.value = value
    this.#numbers = numbers
  }

  get spans(): ReadonlyArray<TextSpan> {
    return inGroups(this.#numbers, 4).map(([text = 0, start = 0, end = 0, secret]) => ({
      text,
      start,
      end,
      secret: secret === 1
    }))
  }
}

const Analysis = Schema.Struct({
  /** Per text: its path in `data`, the index of its field, its hidden spans, and whether it has searchable words. */
  texts: Schema.Array(
    Schema.Tuple([
      Schema.Array(Schema.Union([Schema.String, Schema.Int])),
      Schema.Int,
      Schema.Array(Schema.Int),
      Schema.Boolean
    ])
  ),
  /** Per term: the index of its kind, its value, and its spans as text index, start, end, and 1 for a secret. */
  terms: Schema.Array(Schema.Tuple([Schema.Int, Schema.String, Schema.Array(Schema.Int)]))
})
type Analysis = typeof Analysis.Type

const decode = jsonDecoder(Analysis)

const memberOf = (value: unknown, step: string | number): unknown =>
  value !== null && typeof value === "object" ? Reflect.get(value, step) : undefined

const inGroups = (numbers: ReadonlyArray<number>, length: number): ReadonlyArray<ReadonlyArray<number>> =>
  Array.from({ length: numbers.length / length }, (_, at) => numbers.slice(at * length, (at + 1) * length))
