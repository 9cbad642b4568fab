/**
 * A rule that decides which events match an identifier, and its assignments. See docs/api.md#matching-policy.
 *
 * @beta
 */
import type { Open, Order } from "./Page.ts"

export interface MatchingPolicy {
  readonly uuid: string
  readonly name: string
  readonly policy_type: Open<"INCLUDED_KEYWORDS">
  /** `{ keywords: [...] }` for INCLUDED_KEYWORDS; other types have shapes of their own. */
  readonly value: { readonly [field: string]: unknown }
  readonly created_at: string | null
  readonly last_updated_at: string | null
}

export interface PolicyAssignment {
  readonly identifier_id: number
  readonly identifier_name: string | null
  readonly clean_past_events: boolean
  readonly assigned_at: string | null
}

/** A policy as an identifier has it. */
export interface AssignedPolicy {
  readonly matching_policy: MatchingPolicy
  readonly assigned_at: string | null
  readonly clean_past_events: boolean
}

export interface AssignPolicy {
  readonly identifier_ids: ReadonlyArray<number>
  /** Whether the identifiers' past events that the policy does not match are removed; false where absent. */
  readonly clean_past_events?: boolean | undefined
}

export interface PolicyAssignmentList {
  /** By time of assignment; desc where absent. */
  readonly order?: Order | undefined
  /** 1 to 100; 25 where absent. */
  readonly size?: number | undefined
  readonly from?: string | null | undefined
}
