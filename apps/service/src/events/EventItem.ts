import type { Event, IdentifierEvent } from "@threat-exposure/core/domain/Event"
import { timestampOf } from "../requests/Microseconds.ts"
import { shownType } from "../matching/EventTypes.ts"
import type { Expression } from "../search/Expression.ts"
import { highlightsOf, titleOf } from "../search/Highlights.ts"
import type { SearchDocument } from "../search/SearchDocument.ts"
import type { EventAnnotation } from "./EventAnnotations.ts"
import type { StoredEvent } from "./EventStore.ts"

export interface FoundEvent {
  readonly event: StoredEvent
  /** The result of `eventDocument` for the event. */
  readonly document: SearchDocument
  /** When it matched the identifier or, in a search of the whole data set, the first of the tenant's identifiers. */
  readonly matchedAt: string | null
  /** When it reached the tenant, in microseconds since 1970; null if it matches none of the tenant's identifiers. */
  readonly materializedAt: number | null
  readonly loadedAt: string
  readonly annotation: Omit<EventAnnotation, "uid">
  /** The tenant's identifiers that match; undefined in a search of the whole data set. */
  readonly identifiers: ReadonlyArray<{ readonly id: number; readonly name: string }> | undefined
}

export const eventItem = (
  expression: Expression,
  { annotation, document, event, identifiers, loadedAt, matchedAt, materializedAt }: FoundEvent
): Event | IdentifierEvent => {
  const title = titleOf(document)
  const { estimated_created_at, matched_at, severity, svc_url, uid } = event.metadata
  const { ignored_at, notes, remediated_at, severity: override, tags } = annotation
  return {
    metadata: {
      estimated_created_at,
      matched_at: matchedAt ?? matched_at ?? loadedAt,
      type: shownType(event.event_type),
      uid,
      severity,
      ...(svc_url == null ? undefined : { svc_url }),
      ...(title === undefined ? undefined : { title }),
      ...(materializedAt === null ? undefined : { materialized_at: timestampOf(materializedAt) })
    },
    tenant_metadata: {
      severity: { original: severity, override },
      tags,
      notes,
      ...(remediated_at === null ? undefined : { remediated_at }),
      ...(ignored_at === null ? undefined : { ignored_at })
    },
    highlights: highlightsOf(expression, document),
    ...(identifiers === undefined
      ? undefined
      : {
          identifiers: identifiers.map(({ id, name }) => ({ id, name }))
        })
  }
}
