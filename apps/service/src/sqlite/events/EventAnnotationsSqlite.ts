import type { EventAnnotation } from "../../events/EventStore.ts"
import type { Connection } from "../database/Connection.ts"

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
