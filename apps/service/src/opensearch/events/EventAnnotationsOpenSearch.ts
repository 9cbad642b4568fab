import * as Effect from "effect/Effect"
import type { EventStatus } from "@threat-exposure/core/domain/Event"
import {
  changeAnnotation,
  type EventAnnotation,
  type EventChange,
  noAnnotation
} from "../../events/EventAnnotations.ts"
import { transferredAnnotations } from "../../transfer/TransferredTables.ts"
import { updateMany } from "../cluster/BulkUpdate.ts"
import type { Cluster } from "../cluster/Cluster.ts"
import { defineTransfer } from "../cluster/ClusterTransfer.ts"
import { idOfTenant } from "../cluster/IndexDefinition.ts"
import { type AnnotationDocument, annotationIndex } from "./EventIndex.ts"
import { eventIdOf } from "./SealedEvent.ts"

export const annotationDocument = (
  tenantId: number,
  { ignored_at, notes, remediated_at, severity, tags, uid }: EventAnnotation
) => ({
  id: idOfTenant(tenantId, eventIdOf(uid)),
  document: {
    tenantId,
    event: eventIdOf(uid),
    severity,
    isOverridden: severity !== null,
    tags,
    notes,
    ignoredAt: ignored_at,
    remediatedAt: remediated_at,
    status: statusOf(remediated_at, ignored_at)
  }
})

const statusOf = (remediatedAt: string | null, ignoredAt: string | null): EventStatus => {
  if (remediatedAt !== null) return "remediated"
  return ignoredAt === null ? "open" : "ignored"
}

export const changeAnnotations = (
  cluster: Cluster["Service"],
  tenantId: number,
  uids: ReadonlyArray<string>,
  change: EventChange
) => {
  const uidOf = new Map(uids.map((uid) => [idOfTenant(tenantId, eventIdOf(uid)), uid]))
  const changes = Array.from(uidOf, ([id, uid]) => {
    const applyChange = (stored: AnnotationDocument | undefined) =>
      annotationDocument(tenantId, changeAnnotation(annotationIn(uid, stored), change)).document
    return [id, applyChange] as const
  })
  return Effect.map(updateMany(cluster, annotationIndex, tenantId, new Map(changes)), (changed) =>
    Array.from(uidOf, ([id, uid]) => annotationIn(uid, changed.get(id)))
  )
}

export const annotationIn = (uid: string, document: AnnotationDocument | undefined): EventAnnotation => {
  if (document === undefined) return noAnnotation(uid)
  const { ignoredAt, notes, remediatedAt, severity, tags } = document
  return { uid, tags, notes, severity, ignored_at: ignoredAt, remediated_at: remediatedAt }
}

export const annotationsTransfer = defineTransfer({
  table: transferredAnnotations,
  index: annotationIndex,
  toDocument: ({ tenant_id, ...annotation }) => annotationDocument(tenant_id, annotation)
})
