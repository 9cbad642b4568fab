import type { TriageAction } from "@threat-exposure/core/domain/Triage"

export interface TriageState {
  /** ISO 8601; null if the item is not ignored or not remediated. An item that is both counts as remediated. */
  readonly ignored_at: string | null
  readonly remediated_at: string | null
}

export const open: TriageState = { ignored_at: null, remediated_at: null }

/** The state after the action. Repeating an action keeps the first time. `now` is in ISO 8601. */
export const changeState = (
  { ignored_at, remediated_at }: TriageState,
  action: TriageAction,
  now: string
): TriageState => {
  switch (action) {
    case "ignore":
      return { ignored_at: ignored_at ?? now, remediated_at: null }
    case "remediate":
      return { ignored_at: null, remediated_at: remediated_at ?? now }
    case "unignore":
      return { ignored_at: null, remediated_at }
    case "unremediate":
      return { ignored_at, remediated_at: null }
  }
}
