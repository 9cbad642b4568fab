import type { Severity } from "@threat-exposure/core/domain/Severity"
import type { TriageAction } from "@threat-exposure/core/domain/Triage"
import { changeState, open, type TriageState } from "../matching/TriageState.ts"

export interface EventAnnotation extends TriageState {
  readonly uid: string
  readonly tags: ReadonlyArray<string>
  readonly notes: string
  /** Overrides the severity of the event; null if the tenant has set none. */
  readonly severity: Severity | null
}

/** A change of a tenant's annotations of events. Plain data, because it is sent to another thread. */
export type EventChange =
  | {
      readonly _tag: "Action"
      readonly action: TriageAction
      /** ISO 8601. */
      readonly now: string
    }
  /** Absent fields stay unchanged. */
  | ({ readonly _tag: "Annotation" } & Partial<Pick<EventAnnotation, "notes" | "severity" | "tags">>)

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
