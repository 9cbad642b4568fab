/** The searchable form of a document: the words of its texts, and their exact values (terms). */
import type { Span } from "@threat-exposure/detect/text/Spans"
import type { Term } from "./Term.ts"
import type { Word } from "./Tokenizer.ts"

/** The fields that words can be searched in. `other` holds every text that belongs to none of the first five. */
export const fields = ["title", "content", "description", "actor", "url", "other"] as const
export type Field = (typeof fields)[number]

export interface SearchDocument {
  readonly texts: ReadonlyArray<FieldText>
  /** The keys are those of `termKey`. */
  readonly terms: ReadonlyMap<string, FoundTerm>
}

export interface FieldText {
  /** Where the text comes from: nested names joined by dots, array positions left out. */
  readonly path: string
  readonly field: Field
  readonly text: string
  readonly words: ReadonlyArray<Word>
  /** Spans that a highlight masks. */
  readonly hidden: ReadonlyArray<Span>
}

export interface FoundTerm extends Term {
  /** Empty for a term of the whole document, such as its type. */
  readonly spans: ReadonlyArray<TextSpan>
}

/** A span of one of a document's texts. */
export interface TextSpan extends Span {
  /** The index in `texts`. */
  readonly text: number
  /** The span is a password, a key or a token. */
  readonly secret: boolean
}

/** The part of a document that decides whether an expression matches. */
export interface Matchable {
  readonly texts: ReadonlyArray<{ readonly field: Field; readonly words: ReadonlyArray<{ readonly text: string }> }>
  /** By `termKey`. */
  readonly terms: { readonly has: (key: string) => boolean; readonly keys: () => Iterable<string> }
}
