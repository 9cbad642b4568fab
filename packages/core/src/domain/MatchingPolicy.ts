/**
 * A rule that decides which events match an identifier, and its assignments. See docs/api.md#matching-policy.
 *
 * @beta
 */
import * as Schema from "effect/Schema"
import { Cursor, Order, page, pageSize } from "./Page.ts"
import { integerParameter } from "./RequestField.ts"
import { open, orElse, orEmpty, orNull } from "./Tolerant.ts"

export const PolicyUuid = Schema.String
export type PolicyUuid = typeof PolicyUuid.Type

export class MatchingPolicy extends Schema.Opaque<MatchingPolicy>()(
  Schema.Struct({
    uuid: orElse(PolicyUuid, ""),
    name: orElse(Schema.String, ""),
    policy_type: orElse(open(["INCLUDED_KEYWORDS"]), ""),
    /** `{ keywords: [...] }` for INCLUDED_KEYWORDS; the shape for other types is not specified. */
    value: orElse(Schema.Record(Schema.String, Schema.Unknown), {}),
    created_at: orNull(Schema.String),
    last_updated_at: orNull(Schema.String)
  }).annotate({ identifier: "MatchingPolicy" })
) {}

const isTexts = Schema.is(Schema.Array(Schema.String))

/** The keywords of an INCLUDED_KEYWORDS policy, one of which an event must contain; empty for other types. */
export const keywordsOf = ({ policy_type, value }: MatchingPolicy): ReadonlyArray<string> =>
  policy_type === "INCLUDED_KEYWORDS" && isTexts(value.keywords) ? value.keywords : []

export class PolicyAssignment extends Schema.Opaque<PolicyAssignment>()(
  Schema.Struct({
    identifier_id: orElse(Schema.Int, 0),
    identifier_name: orNull(Schema.String),
    clean_past_events: orElse(Schema.Boolean, false),
    assigned_at: orNull(Schema.String)
  }).annotate({ identifier: "PolicyAssignment" })
) {}

export const PolicyAssignmentPage = page("PolicyAssignmentPage", PolicyAssignment)

export const maxAssignments = 100
/** The default page size of assignments. */
export const defaultAssignments = 25

/** The query parameters of the listing. */
export class PolicyAssignmentList extends Schema.Opaque<PolicyAssignmentList>()(
  Schema.Struct({
    order: Schema.optionalKey(Order),
    size: Schema.optionalKey(integerParameter(pageSize(maxAssignments, defaultAssignments))),
    from: Schema.optionalKey(Cursor)
  })
) {}

export class AssignPolicy extends Schema.Opaque<AssignPolicy>()(
  Schema.Struct({
    identifier_ids: Schema.Array(Schema.Int),
    /** Whether to remove past events of the identifiers that the policy does not match. Default: false. */
    clean_past_events: Schema.optionalKey(Schema.Boolean)
  }).annotate({ identifier: "AssignPolicy" })
) {}

/** A policy that is assigned to an identifier. */
export class AssignedPolicy extends Schema.Opaque<AssignedPolicy>()(
  Schema.Struct({
    matching_policy: orEmpty(MatchingPolicy),
    assigned_at: orNull(Schema.String),
    clean_past_events: orElse(Schema.Boolean, false)
  }).annotate({ identifier: "AssignedPolicy" })
) {}

export const AssignedPolicies = Schema.Array(AssignedPolicy)
