/**
 * Events and findings as documents with seals. Without the key file, write access to the cluster is not enough to make
 * a search find another event, or to show a tenant the findings of another one.
 */
import { hash } from "node:crypto"
import * as Schema from "effect/Schema"
import type { Vault } from "../../crypto/Vault.ts"
import { uidForOrder, StoredEvent } from "../../events/EventStore.ts"
import { analysisContext, documentContext, type PreparedEvent, prepareEvent } from "../../events/PreparedEvent.ts"
import { fields } from "../../search/SearchDocument.ts"
import type { Hit } from "../cluster/Cluster.ts"
import { wordsToIndex } from "../cluster/ExpressionQuery.ts"
import type { Rewriting } from "../cluster/IndexDefinition.ts"
import { isReadable } from "../../requests/ForeignRecords.ts"
import { jsonDecoder } from "../../requests/JsonText.ts"

/** The id of an event's document. A digest, because a uid may be longer than the maximum length of an id. */
export const eventIdOf = (uid: string): string => hash("sha256", uid, "hex")

export const findingIdOf = (identifierId: number, eventId: string): string => `${identifierId}:${eventId}`

const words = Object.fromEntries(fields.map((field) => [field, Schema.String]))

const eventFields = {
  uid: Schema.String,
  /** Sorts like the uid: OpenSearch compares strings by code point. */
  uid_order: Schema.String,
  type: Schema.String,
  severity: Schema.String,
  /** Microseconds since 1970. */
  created_at: Schema.Int,
  /** ISO 8601. */
  loaded_at: Schema.String,
  /** A keyed digest of the content, to detect changes. */
  digest: Schema.String,
  /** Encrypted, in base64. */
  document: Schema.String,
  analysis: Schema.String,
  ...words,
  terms: Schema.Array(Schema.String),
  /** Authenticates all fields except the encrypted ones, which are bound to the uid. */
  seal: Schema.String,
  added_by: Schema.optional(Schema.Int),
  replaced_by: Schema.optional(Schema.Int)
}

export const EventDocument = Schema.Struct(eventFields)
export interface EventDocument extends Schema.Schema.Type<typeof EventDocument> {}

const Found = Schema.Struct({
  /** The id of the event's document. */
  event: Schema.String,
  identifier: Schema.Int,
  tenantId: Schema.Int,
  /** ISO 8601. */
  matched_at: Schema.String,
  /** Microseconds since 1970: see `Materialization.ts`. Not sealed, because it is written later. */
  materialized_at: Schema.optional(Schema.Int)
})
type Found = typeof Found.Type

export const FindingDocument = Schema.Struct({
  ...eventFields,
  ...Found.fields,
  /** Authenticates the fields of the finding together with the version of the event. */
  finding_seal: Schema.String
})
export interface FindingDocument extends Schema.Schema.Type<typeof FindingDocument> {}

export const eventDocumentOf = (vault: Vault, event: PreparedEvent, loadedAt: string): EventDocument => {
  const document = {
    uid: event.uid,
    uid_order: uidForOrder(event.uid) ?? event.uid,
    type: event.type,
    severity: event.severity,
    created_at: event.createdAt,
    loaded_at: loadedAt,
    digest: Buffer.from(event.digest).toString("hex"),
    document: Buffer.from(event.encrypted).toString("base64"),
    analysis: Buffer.from(event.analysis).toString("base64"),
    ...Object.fromEntries(fields.map((field, at) => [field, wordsToIndex(event.words[at] ?? "")])),
    terms: event.tokens.split(" ")
  }
  return { ...document, seal: vault.encryptToBase64("", eventContext(document)) }
}

/** A finding of an event that is already sealed. */
export const findingDocumentOf = (vault: Vault, event: EventDocument, found: Found): FindingDocument => {
  const finding = { ...event, ...found }
  return { ...finding, finding_seal: vault.encryptToBase64("", findingContext(finding)) }
}

/** Whether a program with the key file wrote every field, under this id or as a copy of a strict load. */
export const isSealedEvent = (vault: Vault, { document, id }: Omit<Hit<EventDocument>, "sort">): boolean =>
  isOfId(id, eventIdOf(document.uid)) &&
  decrypts(vault, document.seal, eventContext(document)) &&
  decrypts(vault, document.document, documentContext(document.uid)) &&
  decrypts(vault, document.analysis, analysisContext(document.uid))

export const isSealedFinding = (vault: Vault, { document, id }: Omit<Hit<FindingDocument>, "sort">): boolean =>
  isOfId(id, findingIdOf(document.identifier, document.event)) &&
  document.event === eventIdOf(document.uid) &&
  decrypts(vault, document.finding_seal, findingContext(document))

const isOfId = (stored: string, id: string): boolean => stored === id || stored.endsWith(`/${id}`)

const decrypts = (vault: Vault, encrypted: string, context: string): boolean =>
  isReadable(() => vault.decryptToBytes(encrypted, context))

type Bound = Omit<EventDocument, "analysis" | "document" | "seal">

/**
 * The associated data of the seal: everything by which an event is found, sorted and filtered, and the digest of its
 * content.
 */
const eventContext = (event: Bound): string => {
  const { created_at, digest, loaded_at, severity, terms, type, uid, uid_order } = event
  const texts = new Map<string, unknown>(Object.entries(event))
  const words = fields.map((field) => texts.get(field))
  return JSON.stringify(["events.seal", uid, uid_order, type, severity, created_at, loaded_at, digest, words, terms])
}

const findingContext = ({ digest, event, identifier, matched_at, tenantId }: Found & Pick<Bound, "digest">): string =>
  JSON.stringify(["findings.seal", identifier, event, tenantId, matched_at, digest])

/** The associated data of the encrypted fields of an event. */
export const encryptFields = (document: EventDocument) => ({
  document: documentContext(document.uid),
  analysis: analysisContext(document.uid),
  seal: eventContext(document)
})

export const encryptFieldsOfFinding = (document: FindingDocument) => ({
  ...encryptFields(document),
  finding_seal: findingContext(document)
})

const StoredRow = Schema.Struct({ uid: Schema.String, document: Schema.Uint8Array, loadedAt: Schema.String })

/** Prepares a stored event again, with the keys of this vault. */
export const rewrittenEvent = (vault: Vault, { document, loadedAt, uid }: typeof StoredRow.Type): EventDocument =>
  eventDocumentOf(vault, prepareEvent(vault, decodeStored(vault.decrypt(document, documentContext(uid)))), loadedAt)

const decodeStored = jsonDecoder(StoredEvent)

const decodeFormer = Schema.decodeUnknownSync(
  Schema.Struct({ uid: Schema.String, document: Schema.String, loaded_at: Schema.String })
)
const decodeFound = Schema.decodeUnknownSync(Found)
const decodeEvent = Schema.decodeUnknownSync(EventDocument)
const decodeFinding = Schema.decodeUnknownSync(FindingDocument)

const rewritten = (vault: Vault, source: unknown): EventDocument => {
  const { document, loaded_at, uid } = decodeFormer(source)
  return rewrittenEvent(vault, { uid, document: Buffer.from(document, "base64"), loadedAt: loaded_at })
}

/** Upgrades documents of version 1, which had no seals. */
export const eventUpgrade: Rewriting = { docValues: [], document: (vault, { source }) => rewritten(vault, source) }

export const findingUpgrade: Rewriting = {
  docValues: [],
  document: (vault, { source }) => findingDocumentOf(vault, rewritten(vault, source), decodeFound(source))
}

export const eventRewriting: Rewriting = {
  docValues: [],
  document: (vault, { id, source }) => {
    if (!isSealedEvent(vault, { id, document: decodeEvent(source) })) throw new Error("The event is not authentic")
    return eventUpgrade.document(vault, { id, source, docValues: {} })
  }
}

export const findingRewriting: Rewriting = {
  docValues: [],
  document: (vault, { id, source }) => {
    if (!isSealedFinding(vault, { id, document: decodeFinding(source) }))
      throw new Error("The finding is not authentic")
    return findingUpgrade.document(vault, { id, source, docValues: {} })
  }
}
