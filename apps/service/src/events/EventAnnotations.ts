/** A tenant's annotations of an event. The API returns them (docs/api.md#event) and has no operation that changes them. */
import * as Schema from "effect/Schema"
import type { Severity } from "@threat-exposure/core/domain/Severity"
import { annotationIndex, eventIdOf } from "../matching/EventIndex.ts"
import { idOfTenant } from "../opensearch/IndexDefinition.ts"
import type { WriteOperation } from "../opensearch/WriteOperation.ts"
import type { Connection } from "../sqlite/Connection.ts"
import { transferredTable } from "../transfer/TransferredTable.ts"

export interface EventAnnotation {
  readonly uid: string
  readonly tags: ReadonlyArray<string>
  readonly notes: string
  /** Overrides the event's own severity; null for none. */
  readonly severity: Severity | null
  /** ISO 8601; null if the event is not ignored or not remediated. If it is both, it counts as remediated. */
  readonly ignored_at: string | null
  readonly remediated_at: string | null
}

/** Replaces the tenant's previous annotations of the event. */
export const annotateEvent = (
  connection: Connection,
  tenantId: number,
  { ignored_at, notes, remediated_at, severity, tags, uid }: EventAnnotation
): void => {
  connection.run(
    `INSERT OR REPLACE INTO event_annotations (tenant_id, uid, severity, tags, notes, ignored_at, remediated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    tenantId,
    uid,
    severity,
    JSON.stringify(tags),
    notes,
    ignored_at,
    remediated_at
  )
}

/** {@link annotateEvent} on OpenSearch. */
export const annotationOperation = (tenantId: number, annotation: EventAnnotation): WriteOperation => ({
  index: annotationIndex,
  ...annotationDocument(tenantId, annotation)
})

const annotationDocument = (
  tenantId: number,
  {
    ignored_at,
    notes,
    remediated_at,
    severity,
    tags,
    uid
  }: Omit<EventAnnotation, "severity"> & { readonly severity: string | null }
) => ({
  id: idOfTenant(tenantId, eventIdOf(uid)),
  document: {
    tenantId,
    event: eventIdOf(uid),
    severity,
    tags,
    notes,
    ignoredAt: ignored_at,
    remediatedAt: remediated_at,
    status: statusOf(remediated_at, ignored_at)
  }
})

const statusOf = (remediatedAt: string | null, ignoredAt: string | null) => {
  if (remediatedAt !== null) return "remediated"
  return ignoredAt === null ? "open" : "ignored"
}

export const transferredAnnotations = transferredTable({
  index: annotationIndex,
  columns: "tenant_id, uid, severity, tags, notes, ignored_at, remediated_at",
  from: "event_annotations",
  row: Schema.Struct({
    tenant_id: Schema.Int,
    uid: Schema.String,
    severity: Schema.NullOr(Schema.String),
    tags: Schema.fromJsonString(Schema.Array(Schema.String)),
    notes: Schema.String,
    ignored_at: Schema.NullOr(Schema.String),
    remediated_at: Schema.NullOr(Schema.String)
  }),
  toDocument: ({ tenant_id, ...annotation }) => annotationDocument(tenant_id, annotation)
})
