/** Stores events: sealed, indexed, and matched against the identifiers of every tenant. */
import { hash } from "node:crypto"
import * as Schema from "effect/Schema"
import { microsecondsOf } from "../requests/Microseconds.ts"
import type { Vault } from "../crypto/Vault.ts"
import { identifiersThatMatch } from "../matching/IdentifierPercolator.ts"
import { query } from "../sqlite/Connection.ts"
import type { OpenDatabase } from "../sqlite/Procedure.ts"
import { type Field, fields, type SearchDocument } from "../search/SearchDocument.ts"
import { tokenOf } from "../search/Term.ts"
import { positionGap } from "../search/Tokenizer.ts"
import { everyToken } from "../sqlite/FullTextQuery.ts"
import { encodeAnalysis } from "./EventAnalysis.ts"
import { eventDocument } from "./EventDocument.ts"
import type { StoredEvent } from "./EventStore.ts"
import { newEventId, orderedUid, slotOf } from "./EventOrder.ts"

/** An event with everything that can be computed before the transaction. */
export interface PreparedEvent {
  readonly uid: string
  readonly type: string
  readonly severity: string
  /** Microseconds since 1970. */
  readonly createdAt: number
  /** Detects a changed event. Keyed, because a plain digest of a short text could be guessed. */
  readonly digest: Uint8Array
  readonly encrypted: Uint8Array
  /** What indexing found, encrypted. */
  readonly analysis: Uint8Array
  /** The words of each search field, in their order. */
  readonly words: ReadonlyArray<string>
  readonly tokens: string
  /** By `termKey`; contains values in clear. */
  readonly terms: ReadonlySet<string>
}

/** What an encrypted `document` is bound to. */
export const documentContext = (uid: string): string => `events.document/${uid}`

/** What an encrypted `analysis` is bound to. */
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

/**
 * Replaces an event with the same `uid`, keeping its id if its time is in the same slot. An unchanged event is not
 * written.
 */
export const insertEvent = (
  database: OpenDatabase,
  { analysis, createdAt, digest, encrypted, severity, terms, tokens, type, uid, words }: PreparedEvent,
  now: string
): "added" | "replaced" | "unchanged" => {
  const { connection } = database
  const known = connection.first(knownEvent, uid)
  if (known !== undefined && Buffer.from(known.digest).equals(digest)) return "unchanged"
  const keepsId = known !== undefined && slotOf(known.created_at) === slotOf(createdAt)
  const id = keepsId ? BigInt(known.id) : newEventId(connection, createdAt)
  if (known !== undefined) {
    connection.run("DELETE FROM event_index WHERE rowid = CAST(? AS INTEGER)", known.id)
    connection.run("DELETE FROM events WHERE id = CAST(? AS INTEGER)", known.id)
  }
  connection.run(
    `INSERT INTO events (id, uid, uid_order, type, severity, created_at, loaded_at, digest, document, analysis)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    uid,
    orderedUid(uid),
    type,
    severity,
    createdAt,
    now,
    digest,
    encrypted,
    analysis
  )
  connection.run(insertInto("event_index"), id, ...words, tokens)
  const texts = fields.map((field, index) => ({
    field,
    words: (words[index] ?? "").split(" ").map((text) => ({ text }))
  }))
  for (const identifier of identifiersThatMatch(database, { texts, terms })) {
    connection.run(
      "INSERT INTO identifier_events (identifier_id, event_id, matched_at) VALUES (?, ?, ?)",
      identifier,
      id,
      now
    )
  }
  return known === undefined ? "added" : "replaced"
}

const wordsIn = ({ texts }: SearchDocument, field: Field): string =>
  texts
    .filter((text) => text.field === field)
    .map(({ words }) => words.map(({ text }) => text).join(" "))
    .join(` ${positionGap} `)

const tokensOf = (vault: Vault, { terms }: SearchDocument): string =>
  [everyToken, ...[...terms.values()].map((term) => tokenOf(vault, term))].join(" ")

/** Into the full-text index, or one like it: the rowid, the words of each field, the tokens. */
export const insertInto = (index: string): string =>
  `INSERT INTO ${index} (rowid, ${fields.join(", ")}, terms) VALUES (?${", ?".repeat(fields.length + 1)})`

const knownEvent = query(
  Schema.Struct({ id: Schema.String, created_at: Schema.Int, digest: Schema.Uint8Array }),
  "SELECT CAST(id AS TEXT) AS id, created_at, digest FROM events WHERE uid = ?"
)
