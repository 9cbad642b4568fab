/**
 * A policy that decides which events match an identifier, and its assignments. See docs/api.md#matching-policy.
 *
 * @beta
 */
import * as Schema from "effect/Schema"
import { listQuery, Order, page } from "./Page.ts"
import { nonEmptyText } from "./schema/RequestField.ts"
import { describedByAnnotation, open, orElse, orEmpty, orNull } from "./schema/Tolerant.ts"
import { struct } from "./schema/Struct.ts"

export const PolicyUuid = Schema.String
export type PolicyUuid = typeof PolicyUuid.Type

export class MatchingPolicy extends Schema.Opaque<MatchingPolicy>()(
  Schema.Struct({
    uuid: orElse(PolicyUuid, ""),
    name: orElse(Schema.String, ""),
    policy_type: orElse(
      open(["INCLUDED_KEYWORDS", "EXCLUDED_KEYWORDS", "LUCENE_QUERY", "ASTP_DOMAIN", "ASTP_COOKIES"]),
      ""
    ),
    /** The value depends on the type, such as `{ keywords: [...] }`: see `policyValues`. */
    value: orElse(Schema.Record(Schema.String, Schema.Unknown), {}),
    created_at: orNull(Schema.String),
    last_updated_at: orNull(Schema.String)
  }).annotate({ identifier: "MatchingPolicy", [describedByAnnotation]: "TaggedMatchingPolicy" })
) {}

const isTexts = Schema.is(Schema.Array(Schema.String))

/** The keywords of an INCLUDED_KEYWORDS policy, of which an event must contain at least one; empty for other types. */
export const keywordsOf = ({ policy_type, value }: MatchingPolicy): ReadonlyArray<string> =>
  policy_type === "INCLUDED_KEYWORDS" && isTexts(value.keywords) ? value.keywords : []

export class PolicyAssignment extends struct<PolicyAssignment>("PolicyAssignment")({
  identifier_id: orElse(Schema.Int, 0),
  identifier_name: orNull(Schema.String),
  clean_past_events: orElse(Schema.Boolean, false),
  assigned_at: orNull(Schema.String)
}) {}

export const PolicyAssignmentPage = page("PolicyAssignmentPage", PolicyAssignment)

export const maxAssignments = 100
/** Default page size for assignments. */
export const defaultAssignments = 25

/** Query parameters of the listing of assignments. */
export class PolicyAssignmentList extends listQuery<PolicyAssignmentList>()(maxAssignments, {
  order: Schema.optionalKey(Order)
}) {}

export class AssignPolicy extends struct<AssignPolicy>("AssignPolicy")({
  identifier_ids: Schema.Array(Schema.Int),
  /** Whether to remove past events of the identifiers that do not match the policy. Default: false. */
  clean_past_events: Schema.optionalKey(Schema.Boolean)
}) {}

/** A policy that is assigned to an identifier. */
export class AssignedPolicy extends struct<AssignedPolicy>("AssignedPolicy")({
  matching_policy: orEmpty(MatchingPolicy),
  assigned_at: orNull(Schema.String),
  clean_past_events: orElse(Schema.Boolean, false)
}) {}

export const AssignedPolicies = Schema.Array(AssignedPolicy)

export const MatchingPolicyPage = page("MatchingPolicyPage", MatchingPolicy)

/** Maximum and default page size for policies. */
export const maxPolicies = 25

/** Query parameters of the listing of policies. */
export class MatchingPolicyList extends listQuery<MatchingPolicyList>()(maxPolicies, {
  order: Schema.optionalKey(Order)
}) {}

const keywords = Schema.Struct({ keywords: Schema.Array(Schema.String) }).annotate({ identifier: "KeywordsValue" })

/** The schema of a policy's value, by policy type. */
export const policyValues = {
  INCLUDED_KEYWORDS: keywords,
  EXCLUDED_KEYWORDS: keywords,
  LUCENE_QUERY: Schema.Struct({ query: Schema.String }).annotate({ identifier: "QueryValue" }),
  ASTP_DOMAIN: Schema.Struct({
    match_mode: Schema.Literals(["email_domain_only", "auth_domain_and_email_domain", "auth_domain_only"])
  }).annotate({ identifier: "DomainMatchValue" }),
  ASTP_COOKIES: Schema.Struct({ cookie_names: Schema.Array(Schema.String), match_subdomains: Schema.Boolean }).annotate(
    {
      identifier: "CookiesValue"
    }
  )
}

const policyOf = <const Type extends keyof typeof policyValues>(type: Type, identifier: string) =>
  Schema.Struct({ name: nonEmptyText, type: Schema.Literal(type), value: policyValues[type] }).annotate({ identifier })

/**
 * A policy that includes or excludes events by keywords or a query, or determines which credentials and cookies match a
 * domain.
 */
export const NewMatchingPolicy = Schema.Union([
  policyOf("INCLUDED_KEYWORDS", "NewIncludedKeywordsPolicy"),
  policyOf("EXCLUDED_KEYWORDS", "NewExcludedKeywordsPolicy"),
  policyOf("LUCENE_QUERY", "NewLuceneQueryPolicy"),
  policyOf("ASTP_DOMAIN", "NewDomainMatchPolicy"),
  policyOf("ASTP_COOKIES", "NewCookiesPolicy")
]).annotate({
  identifier: "NewMatchingPolicy",
  message:
    "Expected a policy whose type is INCLUDED_KEYWORDS, EXCLUDED_KEYWORDS, LUCENE_QUERY, ASTP_DOMAIN or ASTP_COOKIES"
})
export type NewMatchingPolicy = typeof NewMatchingPolicy.Type

/** A policy's type cannot be changed; the value must have the shape for that type. */
export class MatchingPolicyUpdate extends struct<MatchingPolicyUpdate>("MatchingPolicyUpdate")({
  name: nonEmptyText,
  value: Schema.Record(Schema.String, Schema.Unknown).annotate({ [describedByAnnotation]: "PolicyValue" })
}) {}
