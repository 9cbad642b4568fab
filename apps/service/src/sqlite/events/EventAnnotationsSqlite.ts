import {
  changeAnnotation,
  type EventAnnotation,
  type EventChange,
  noAnnotation
} from "../../events/EventAnnotations.ts"
import { type Connection, select } from "../database/Connection.ts"
import { isPublished } from "../database/Generations.ts"
import type { OpenDatabase } from "../database/Procedure.ts"
import { transferredAnnotations } from "../../transfer/TransferredTables.ts"

/** Returns the new annotations. If events match no identifier of the tenant, changes nothing and returns their uids. */
export const annotateEvents = (
  { connection }: OpenDatabase,
  tenantId: number,
  uids: ReadonlyArray<string>,
  change: EventChange
): { readonly annotations: ReadonlyArray<EventAnnotation>; readonly missing: ReadonlyArray<string> } => {
  const missing = uids.filter((uid) => !connection.has(matchedEvent, uid, tenantId))
  if (missing.length > 0) return { annotations: [], missing }
  const annotations = uids.map((uid) =>
    changeAnnotation(connection.first(annotationOf, tenantId, uid) ?? noAnnotation(uid), change)
  )
  for (const annotation of annotations) annotateEvent(connection, tenantId, annotation)
  return { annotations, missing }
}

export const annotateEvent = (connection: Connection, tenantId: number, annotation: EventAnnotation): void =>
  connection.replace("event_annotations", {
    ...annotation,
    tags: JSON.stringify(annotation.tags),
    tenant_id: tenantId
  })

const matchedEvent = // A deleted identifier has no tenant; its matches are removed later.
  `FROM events e CROSS JOIN identifier_events m INDEXED BY events_of_tenant ON m.event_id = e.id
     CROSS JOIN identifiers i ON i.id = m.identifier_id AND i.tenant_id = m.tenant_id
   WHERE e.uid = ? AND m.tenant_id = ? AND ${isPublished("e", "events")}`

const annotationOf = select(transferredAnnotations.row, "FROM event_annotations WHERE tenant_id = ? AND uid = ?")
