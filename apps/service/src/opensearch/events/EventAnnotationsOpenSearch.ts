import type { EventAnnotation } from "../../events/EventStore.ts"
import { transferredAnnotations } from "../../transfer/TransferredTables.ts"
import { transferredDocuments } from "../cluster/ClusterTransfer.ts"
import { idOfTenant } from "../cluster/IndexDefinition.ts"
import type { WriteOperation } from "../cluster/WriteOperation.ts"
import { annotationIndex, eventIdOf } from "./EventIndex.ts"

/** Replaces the tenant's previous annotations of the event. */
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

export const annotationsTransfer = transferredDocuments({
  table: transferredAnnotations,
  index: annotationIndex,
  toDocument: ({ tenant_id, ...annotation }) => annotationDocument(tenant_id, annotation)
})
