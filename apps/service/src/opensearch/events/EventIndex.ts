/**
 * Events in OpenSearch, and findings: a copy of an event for each identifier that it matches. A listing of an identifier's
 * events asks the findings what a listing of the whole data set asks the events.
 */
import { hash } from "node:crypto"
import * as Schema from "effect/Schema"
import { Severity } from "@threat-exposure/core/domain/Severity"
import type { Cluster } from "../cluster/Cluster.ts"
import { expressionFields } from "../cluster/ExpressionQuery.ts"
import { type IndexDefinition, keptOnly, largeIndex, smallIndex, strictLoadFields } from "../cluster/IndexDefinition.ts"
import { fields } from "../../search/SearchDocument.ts"

/** The id of an event's document: a uid may be longer than an id can be. */
export const eventIdOf = (uid: string): string => hash("sha256", uid, "hex")

export const findingIdOf = (identifierId: number, eventId: string): string => `${identifierId}:${eventId}`

const words = Object.fromEntries(fields.map((field) => [field, Schema.String]))

const eventFields = {
  uid: Schema.String,
  /** In the order of uids: the engine compares texts by code point. */
  uid_order: Schema.String,
  type: Schema.String,
  severity: Schema.String,
  /** Microseconds since 1970. */
  created_at: Schema.Int,
  /** ISO 8601. */
  loaded_at: Schema.String,
  /** A keyed digest, to detect changes. */
  digest: Schema.String,
  /** Encrypted, in base64. */
  document: Schema.String,
  analysis: Schema.String,
  ...words,
  terms: Schema.Array(Schema.String),
  added_by: Schema.optional(Schema.Int),
  replaced_by: Schema.optional(Schema.Int)
}

const EventDocument = Schema.Struct(eventFields)
export type EventDocument = typeof EventDocument.Type

const FindingDocument = Schema.Struct({
  ...eventFields,
  /** The id of the event's document. */
  event: Schema.String,
  identifier: Schema.Int,
  tenantId: Schema.Int,
  /** ISO 8601. */
  matched_at: Schema.String,
  /** Microseconds since 1970: see `Materialization.ts`. */
  materialized_at: Schema.optional(Schema.Int)
})
export type FindingDocument = typeof FindingDocument.Type

const settings = {
  ...largeIndex,
  "sort.field": ["created_at", "uid_order"],
  "sort.order": ["desc", "desc"]
}

const properties = {
  uid: keptOnly,
  uid_order: { type: "keyword" },
  type: { type: "keyword" },
  severity: { type: "keyword" },
  created_at: { type: "long" },
  loaded_at: keptOnly,
  digest: keptOnly,
  document: keptOnly,
  analysis: keptOnly,
  ...expressionFields,
  ...strictLoadFields
}

export const eventIndex: IndexDefinition<EventDocument> = {
  name: "events",
  version: 1,
  settings,
  properties,
  isKeyed: true,
  document: EventDocument
}

export const findingIndex: IndexDefinition<FindingDocument> = {
  name: "findings",
  version: 1,
  settings,
  properties: {
    ...properties,
    event: { type: "keyword" },
    identifier: { type: "long" },
    tenantId: { type: "long" },
    matched_at: { type: "keyword" },
    materialized_at: { type: "long" }
  },
  isKeyed: true,
  document: FindingDocument
}

const AnnotationDocument = Schema.Struct({
  tenantId: Schema.Int,
  event: Schema.String,
  severity: Schema.NullOr(Severity),
  /** Whether it has a severity. Absent in what an earlier version stored. */
  isOverridden: Schema.optional(Schema.Boolean),
  tags: Schema.Array(Schema.String),
  notes: Schema.String,
  ignoredAt: Schema.NullOr(Schema.String),
  remediatedAt: Schema.NullOr(Schema.String),
  status: Schema.Literals(["open", "ignored", "remediated"])
})

export type AnnotationDocument = typeof AnnotationDocument.Type

/** Annotations of events by tenants: few, because people write them. */
export const annotationIndex: IndexDefinition<AnnotationDocument> = {
  name: "event-annotations",
  version: 1,
  settings: smallIndex,
  properties: {
    tenantId: { type: "long" },
    event: { type: "keyword" },
    severity: keptOnly,
    isOverridden: { type: "boolean" },
    tags: { type: "keyword" },
    notes: keptOnly,
    ignoredAt: keptOnly,
    remediatedAt: keptOnly,
    status: { type: "keyword" }
  },
  document: AnnotationDocument
}

/** Which versions of events are stored, by the ids of their documents. */
export const storedVersions = (cluster: Cluster["Service"], ids: ReadonlyArray<string>) =>
  cluster.fields(eventIndex, ids, ["digest", "loaded_at"], decodeVersion)

const decodeVersion = Schema.decodeUnknownSync(Schema.Struct({ digest: Schema.String, loaded_at: Schema.String }))
