import { hash } from "node:crypto"
import { microsecondsOf } from "../requests/Microseconds.ts"
import type { Vault } from "../crypto/Vault.ts"
import { type Field, fields, type SearchDocument } from "../search/SearchDocument.ts"
import { everyToken, tokenOf } from "../search/Term.ts"
import { positionGap } from "../search/Tokenizer.ts"
import { encodeAnalysis } from "./EventAnalysis.ts"
import { eventDocument } from "./EventDocument.ts"
import type { StoredEvent } from "./EventStore.ts"

/** An event with everything that can be computed before the transaction. */
export interface PreparedEvent {
  readonly uid: string
  readonly type: string
  readonly severity: string
  /** Microseconds since 1970. */
  readonly createdAt: number
  /** A digest to detect changes. Keyed, because a plain digest of a short text could be guessed. */
  readonly digest: Uint8Array
  readonly encrypted: Uint8Array
  /** The result of indexing, encrypted: see `EventAnalysis.ts`. */
  readonly analysis: Uint8Array
  readonly words: ReadonlyArray<string>
  readonly tokens: string
  /** Terms by `termKey`. Contains values in clear. */
  readonly terms: ReadonlySet<string>
}

export const documentContext = (uid: string): string => `events.document/${uid}`

export const analysisContext = (uid: string): string => `events.analysis/${uid}`

/** `estimated_created_at` must be a valid timestamp. */
export const prepareEvent = (vault: Vault, event: StoredEvent): PreparedEvent => {
  const { estimated_created_at, severity, uid } = event.metadata
  const createdAt = microsecondsOf(estimated_created_at)
  if (createdAt === undefined) throw new Error("An event without a time was about to be stored")
  const document = JSON.stringify(event)
  const indexed = eventDocument(vault, event)
  return {
    uid,
    type: event.event_type,
    severity,
    createdAt,
    digest: vault.blindIndex("event/document", hash("sha256", document, "hex")),
    encrypted: vault.encrypt(document, documentContext(uid)),
    analysis: vault.encrypt(encodeAnalysis(indexed), analysisContext(uid)),
    words: fields.map((field) => wordsIn(indexed, field)),
    tokens: tokensOf(vault, indexed),
    terms: new Set(indexed.terms.keys())
  }
}

const wordsIn = ({ texts }: SearchDocument, field: Field): string =>
  texts
    .filter((text) => text.field === field)
    .map(({ words }) => words.map(({ text }) => text).join(" "))
    .join(` ${positionGap} `)

const tokensOf = (vault: Vault, { terms }: SearchDocument): string =>
  [everyToken, ...[...terms.values()].map((term) => tokenOf(vault, term))].join(" ")
