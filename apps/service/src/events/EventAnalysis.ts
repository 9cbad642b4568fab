/**
 * The result of indexing an event, in its stored form: the positions of its texts, the hidden spans in them, and the
 * terms. A page of events reads it to highlight matches, and does not index the events again.
 */
import * as Schema from "effect/Schema"
import { type FieldText, fields, type SearchDocument } from "../search/SearchDocument.ts"
import { hiddenSpan } from "@threat-exposure/detect/SecretsInText"
import { type BlindIndex, termKey, termKinds } from "../search/Term.ts"
import { tokenize, type Word } from "../search/Tokenizer.ts"
import { type EventDocument, pathOf } from "./EventDocument.ts"

/** Contains secrets in clear. */
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

/** The document that `eventDocument` gives for the event. Words are read from a text when they are first asked for. */
export const decodeAnalysis = (blindIndex: BlindIndex, data: unknown, analysis: string): SearchDocument => {
  const { terms, texts } = decode(analysis)
  return {
    texts: texts.map(([pointer, field, hidden, hasWords]): FieldText => {
      const text = String(pointer.reduce<unknown>(memberOf, data))
      const spans = inGroups(hidden, 2).map(([start = 0, end = 0]) => hiddenSpan(text, { start, end }))
      let words: ReadonlyArray<Word> | undefined
      return {
        path: pathOf(pointer),
        field: fields[field] ?? "other",
        text,
        hidden: spans,
        get words() {
          words ??= hasWords ? tokenize(blindIndex, text, spans) : []
          return words
        }
      }
    }),
    terms: new Map(
      terms.flatMap(([kindIndex, value, numbers]) => {
        const kind = termKinds[kindIndex]
        if (kind === undefined) return []
        const spans = inGroups(numbers, 4).map(([text = 0, start = 0, end = 0, secret]) => ({
          text,
          start,
          end,
          secret: secret === 1
        }))
        return [[termKey({ kind, value }), { kind, value, spans }]]
      })
    )
  }
}

const Analysis = Schema.Struct({
  /** Where in `data`, the index of the field, the hidden spans, and whether the text has words that can be searched. */
  texts: Schema.Array(
    Schema.Tuple([
      Schema.Array(Schema.Union([Schema.String, Schema.Int])),
      Schema.Int,
      Schema.Array(Schema.Int),
      Schema.Boolean
    ])
  ),
  /** The index of the kind, the value, and the spans: text, start, end, and 1 for a secret. */
  terms: Schema.Array(Schema.Tuple([Schema.Int, Schema.String, Schema.Array(Schema.Int)]))
})
type Analysis = typeof Analysis.Type

const decode = Schema.decodeSync(Schema.fromJsonString(Analysis))

const memberOf = (value: unknown, step: string | number): unknown =>
  value !== null && typeof value === "object" ? Reflect.get(value, step) : undefined

const inGroups = (numbers: ReadonlyArray<number>, length: number): ReadonlyArray<ReadonlyArray<number>> =>
  Array.from({ length: numbers.length / length }, (_, at) => numbers.slice(at * length, (at + 1) * length))
