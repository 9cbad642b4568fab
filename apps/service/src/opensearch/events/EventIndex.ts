/**
 * The index of events, and that of findings: a finding is a copy of an event for an identifier that it matches. The
 * same search runs on findings to list an identifier's events, and on events to list the whole data set.
 */
import * as Schema from "effect/Schema"
import { Severity } from "@threat-exposure/core/domain/Severity"
import type { Cluster } from "../cluster/Cluster.ts"
import { expressionFields } from "../cluster/ExpressionQuery.ts"
import { sealedIndex } from "../cluster/DocumentSeal.ts"
import { type IndexDefinition, keptOnly, largeIndex, strictLoadFields } from "../cluster/IndexDefinition.ts"
import { EventDocument, eventUpgrade, FindingDocument, findingUpgrade } from "./SealedEvent.ts"

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
  seal: keptOnly,
  ...strictLoadFields
}

export const eventIndex: IndexDefinition<EventDocument> = {
  name: "events",
  // Version 1 had no seals.
  version: 2,
  settings,
  properties,
  upgrade: eventUpgrade,
  isKeyed: true,
  document: EventDocument
}

export const findingIndex: IndexDefinition<FindingDocument> = {
  name: "findings",
  version: 2,
  settings,
  properties: {
    ...properties,
    event: { type: "keyword" },
    identifier: { type: "long" },
    tenantId: { type: "long" },
    matched_at: { type: "keyword" },
    materialized_at: { type: "long" },
    finding_seal: keptOnly
  },
  upgrade: findingUpgrade,
  isKeyed: true,
  document: FindingDocument
}

const AnnotationDocument = Schema.Struct({
  tenantId: Schema.Int,
  event: Schema.String,
  severity: Schema.NullOr(Severity),
  /** Whether the tenant has set a severity. Absent in documents of an earlier version. */
  isOverridden: Schema.optional(Schema.Boolean),
  tags: Schema.Array(Schema.String),
  notes: Schema.String,
  ignoredAt: Schema.NullOr(Schema.String),
  remediatedAt: Schema.NullOr(Schema.String),
  status: Schema.Literals(["open", "ignored", "remediated"])
})

export type AnnotationDocument = typeof AnnotationDocument.Type

/** The tenants' annotations of events. They are few, because people write them. */
export const annotationIndex = sealedIndex<AnnotationDocument>({
  name: "event-annotations",
  version: 2,
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
})

/** The digest and load time of the stored events, by the ids of their documents. */
export const readVersions = (cluster: Cluster["Service"], ids: ReadonlyArray<string>) =>
  cluster.fields(eventIndex, ids, ["digest", "loaded_at"], decodeVersion)

const decodeVersion = Schema.decodeUnknownOption(Schema.Struct({ digest: Schema.String, loaded_at: Schema.String }))
