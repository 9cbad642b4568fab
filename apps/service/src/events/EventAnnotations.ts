/** The notes of a tenant about an event, and how they change. */
import type { Severity } from "@threat-exposure/core/domain/Severity"
import type { TriageAction } from "@threat-exposure/core/domain/Triage"
import { changeState, open, type TriageState } from "../matching/TriageState.ts"

/** A tenant's annotations of an event. */
export interface EventAnnotation extends TriageState {
  readonly uid: string
  readonly tags: ReadonlyArray<string>
  readonly notes: string
  /** Overrides the event's own severity; null for none. */
  readonly severity: Severity | null
}

/** A change of a tenant's annotations of events. It is data, because it passes from thread to thread. */
export type EventChange =
  | {
      readonly _tag: "Action"
      readonly action: TriageAction
      /** ISO 8601. */
      readonly now: string
    }
  /** A field that is absent stays. */
  | ({ readonly _tag: "Annotation" } & Partial<Pick<EventAnnotation, "notes" | "severity" | "tags">>)

/** The annotations of an event that has none. */
export const noAnnotation = (uid: string): EventAnnotation => ({
  uid,
  tags: [],
  notes: "",
  severity: null,
  ...open
})

export const changeAnnotation = (annotation: EventAnnotation, change: EventChange): EventAnnotation => {
  if (change._tag === "Annotation") {
    const { notes = annotation.notes, severity = annotation.severity, tags = annotation.tags } = change
    return { ...annotation, notes, severity, tags }
  }
  return { ...annotation, ...changeState(annotation, change.action, change.now) }
}
