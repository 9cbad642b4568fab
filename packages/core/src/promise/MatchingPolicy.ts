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
  /** `{ keywords: [...] }` for INCLUDED_KEYWORDS; the shape for other types is not specified. */
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

/** A policy that is assigned to an identifier. */
export interface AssignedPolicy {
  readonly matching_policy: MatchingPolicy
  readonly assigned_at: string | null
  readonly clean_past_events: boolean
}

export interface AssignPolicy {
  readonly identifier_ids: ReadonlyArray<number>
  /** Whether to remove past events of the identifiers that the policy does not match. Default: false. */
  readonly clean_past_events?: boolean | undefined
}

export interface PolicyAssignmentList {
  /** By `assigned_at`. Default: desc. */
  readonly order?: Order | undefined
  /** 1 to 100. Default: 25. */
  readonly size?: number | undefined
  readonly from?: string | null | undefined
}
