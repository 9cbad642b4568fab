/** A change of the tenant's data about an event: its state, or its tags, severity and notes. */
import { EventAnnotation, EventStatus } from "@threat-exposure/core/domain/Event"
import { TriageAction } from "@threat-exposure/core/domain/Triage"
import { DateTime, Schema } from "effect"
import { type AnyEvent, stateOf } from "../AnyEvent.ts"

/** The change as sent and stored. Contains no data from a leak. */
export const TriageChange = Schema.Union([
  Schema.Struct({ uid: Schema.String, action: TriageAction }),
  Schema.Struct({ uid: Schema.String, annotation: EventAnnotation })
])
export type TriageChange = typeof TriageChange.Type

/** Undefined if the event already has this state. */
export const changeOfState = (event: AnyEvent, state: EventStatus): TriageChange | undefined => {
  const before = stateOf(event)
  const { uid } = event.metadata
  if (before === state) return undefined
  return { uid, action: state === "open" ? undoing[before] : doing[state] }
}

const doing = { ignored: "ignore", remediated: "remediate" } as const
const undoing = { open: "unignore", ignored: "unignore", remediated: "unremediate" } as const

/** Applies the change to the event, as shown until the service confirms it. */
export const applyChange = (event: AnyEvent, change: TriageChange, now: number): AnyEvent => {
  const { ignored_at: _, remediated_at: __, ...rest } = event.tenant_metadata
  const at = DateTime.formatIso(DateTime.makeUnsafe(now))
  if ("action" in change) {
    switch (change.action) {
      case "ignore":
        return { ...event, tenant_metadata: { ...rest, ignored_at: at } }
      case "remediate":
        return { ...event, tenant_metadata: { ...rest, remediated_at: at } }
      case "unignore":
      case "unremediate":
        return { ...event, tenant_metadata: rest }
    }
  }
  const { notes, severity, tags } = change.annotation
  const original = event.tenant_metadata.severity?.original ?? event.metadata.severity
  return {
    ...event,
    tenant_metadata: {
      ...event.tenant_metadata,
      ...(tags === undefined ? {} : { tags: tags ?? [] }),
      ...(notes === undefined ? {} : { notes }),
      ...(severity === undefined ? {} : { severity: { original, override: severity } })
    }
  }
}

/** The change that restores the current data of the event. */
export const inverseOf = (event: AnyEvent, change: TriageChange): TriageChange | undefined => {
  const { uid } = event.metadata
  if ("action" in change) return changeOfState(applyChange(event, change, 0), stateOf(event))
  const { notes, severity, tags } = event.tenant_metadata
  const before = Schema.decodeUnknownOption(EventAnnotation)({
    ...(change.annotation.tags === undefined ? {} : { tags }),
    ...(change.annotation.notes === undefined ? {} : { notes: notes === "" ? null : notes }),
    ...(change.annotation.severity === undefined ? {} : { severity: severity?.override ?? null })
  })
  return before._tag === "None" ? undefined : { uid, annotation: before.value }
}
