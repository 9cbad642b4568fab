/** A tenant's annotations of an event. The API returns them (docs/api.md#event) and has no operation that changes them. */
import type { Severity } from "@threat-exposure/core/domain/Severity"
import { annotationIndex, eventIdOf } from "../matching/EventIndex.ts"
import type { WriteOperation } from "../opensearch/Cluster.ts"
import type { Connection } from "../sqlite/Connection.ts"

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
export const annotationOperation = (
  tenantId: number,
  { ignored_at, notes, remediated_at, severity, tags, uid }: EventAnnotation
): WriteOperation => ({
  index: annotationIndex,
  id: `${tenantId}:${eventIdOf(uid)}`,
  document: {
    tenantId,
    event: eventIdOf(uid),
    severity,
    tags,
    notes,
    ignoredAt: ignored_at,
    remediatedAt: remediated_at,
    status: remediated_at !== null ? "remediated" : ignored_at !== null ? "ignored" : "open"
  }
})
