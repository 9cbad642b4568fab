import * as Effect from "effect/Effect"
import type { EventStatus } from "@threat-exposure/core/domain/Event"
import {
  changeAnnotation,
  type EventAnnotation,
  type EventChange,
  noAnnotation
} from "../../events/EventAnnotations.ts"
import { transferredAnnotations } from "../../transfer/TransferredTables.ts"
import type { Cluster } from "../cluster/Cluster.ts"
import { transferredDocuments } from "../cluster/ClusterTransfer.ts"
import { idOfTenant } from "../cluster/IndexDefinition.ts"
import { type AnnotationDocument, annotationIndex } from "./EventIndex.ts"
import { eventIdOf } from "./SealedEvent.ts"

/** Replaces the tenant's previous annotations of the event. */
export const annotationOperation = (tenantId: number, annotation: EventAnnotation) => ({
  index: annotationIndex,
  ...annotationDocument(tenantId, annotation)
})

const annotationDocument = (
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

/** All in one bulk request, each unless another request has changed it meanwhile: those are read and changed again. */
export const changeAnnotations = Effect.fnUntraced(function* (
  cluster: Cluster["Service"],
  tenantId: number,
  uids: ReadonlyArray<string>,
  change: EventChange
) {
  const changed = new Map<string, EventAnnotation>()
  let left = uids
  while (left.length > 0) {
    const operations = yield* Effect.forEach(
      left,
      Effect.fnUntraced(function* (uid) {
        const stored = yield* cluster.get(annotationIndex, idOfTenant(tenantId, eventIdOf(uid)))
        const annotation = changeAnnotation(annotationIn(uid, stored?.document), change)
        changed.set(uid, annotation)
        const operation = annotationOperation(tenantId, annotation)
        return {
          uid,
          operation:
            stored === undefined ? { ...operation, keep: true as const } : { ...operation, revision: stored.revision }
        }
      }),
      { concurrency: 4 }
    )
    const { kept } = yield* cluster.write(operations.map(({ operation }) => operation))
    const again = new Set(kept.map(({ id }) => id))
    left = operations.filter(({ operation }) => again.has(operation.id)).map(({ uid }) => uid)
  }
  return uids.flatMap((uid) => changed.get(uid) ?? [])
})

const annotationIn = (uid: string, document: AnnotationDocument | undefined): EventAnnotation => {
  if (document === undefined) return noAnnotation(uid)
  const { ignoredAt, notes, remediatedAt, severity, tags } = document
  return { uid, tags, notes, severity, ignored_at: ignoredAt, remediated_at: remediatedAt }
}

export const annotationsTransfer = transferredDocuments({
  table: transferredAnnotations,
  index: annotationIndex,
  toDocument: ({ tenant_id, ...annotation }) => annotationDocument(tenant_id, annotation)
})
