/** The searchable form of a document: the words of its texts, and exact values (terms). */
import type { Span } from "@threat-exposure/detect/text/Spans"
import type { Term } from "./Term.ts"
import type { Word } from "./Tokenizer.ts"

/** The fields in which words can be searched. `other` contains every text that is in none of the first five. */
export const fields = ["title", "content", "description", "actor", "url", "other"] as const
export type Field = (typeof fields)[number]

export interface SearchDocument {
  readonly texts: ReadonlyArray<FieldText>
  readonly terms: ReadonlyMap<string, FoundTerm>
}

export interface FieldText {
  /** The path of the text: nested names joined by dots, without array positions. */
  readonly path: string
  readonly field: Field
  readonly text: string
  readonly words: ReadonlyArray<Word>
  readonly hidden: ReadonlyArray<Span>
}

export interface FoundTerm extends Term {
  /** Empty for a term of the whole document, such as its type. */
  readonly spans: ReadonlyArray<TextSpan>
}

export interface TextSpan extends Span {
  /** The index of the text in `texts`. */
  readonly text: number
  /** Whether the span is a password, a key or a token. */
  readonly secret: boolean
}

/** The part of a document that determines whether an expression matches. */
export interface Matchable {
  readonly texts: ReadonlyArray<{ readonly field: Field; readonly words: ReadonlyArray<{ readonly text: string }> }>
  /** The terms by `termKey`. */
  readonly terms: { readonly has: (key: string) => boolean; readonly keys: () => Iterable<string> }
}
