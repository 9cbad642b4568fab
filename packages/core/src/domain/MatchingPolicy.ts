/**
 * A rule that decides which events match an identifier, and its assignments. See docs/api.md#matching-policy.
 *
 * @beta
 */
import * as Schema from "effect/Schema"
import { Cursor, Order, page, pageSize } from "./Page.ts"
import { integerParameter, nonEmptyText } from "./RequestField.ts"
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

export const MatchingPolicyPage = page("MatchingPolicyPage", MatchingPolicy)

/** The largest page of policies, and the default. */
export const maxPolicies = 25

/** The query parameters of the listing of policies. */
export class MatchingPolicyList extends Schema.Opaque<MatchingPolicyList>()(
  Schema.Struct({
    order: Schema.optionalKey(Order),
    size: Schema.optionalKey(integerParameter(pageSize(maxPolicies, maxPolicies))),
    from: Schema.optionalKey(Cursor)
  })
) {}

const keywords = Schema.Struct({ keywords: Schema.Array(Schema.String) })
const policyOf = <const Type extends string, Value extends Schema.Constraint>(type: Type, value: Value) =>
  Schema.Struct({ name: nonEmptyText, type: Schema.Literal(type), value })

/** Keeps or leaves out events by their words or by a query, or says which credentials and cookies match a domain. */
export const NewMatchingPolicy = Schema.Union([
  policyOf("INCLUDED_KEYWORDS", keywords),
  policyOf("EXCLUDED_KEYWORDS", keywords),
  policyOf("LUCENE_QUERY", Schema.Struct({ query: Schema.String })),
  policyOf(
    "ASTP_DOMAIN",
    Schema.Struct({
      match_mode: Schema.Literals(["email_domain_only", "auth_domain_and_email_domain", "auth_domain_only"])
    })
  ),
  policyOf(
    "ASTP_COOKIES",
    Schema.Struct({ cookie_names: Schema.Array(Schema.String), match_subdomains: Schema.Boolean })
  )
]).annotate({
  identifier: "NewMatchingPolicy",
  message:
    "Expected a policy whose type is INCLUDED_KEYWORDS, EXCLUDED_KEYWORDS, LUCENE_QUERY, ASTP_DOMAIN or ASTP_COOKIES"
})
export type NewMatchingPolicy = typeof NewMatchingPolicy.Type

/** The type of a policy cannot be changed; the value has the shape of its type. */
export class MatchingPolicyUpdate extends Schema.Opaque<MatchingPolicyUpdate>()(
  Schema.Struct({ name: nonEmptyText, value: Schema.Record(Schema.String, Schema.Unknown) }).annotate({
    identifier: "MatchingPolicyUpdate"
  })
) {}
