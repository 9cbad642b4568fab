/**
 * Schemas of responses that are discriminated by type, for `openapi.json` only: a client does not decode these values
 * further.
 */
import * as Schema from "effect/Schema"
import { PolicyUuid, policyValues } from "@threat-exposure/core/domain/MatchingPolicy"

/** The recommended value by type. */
const RecommendationData = Schema.Union([
  Schema.Struct({ type: Schema.Literal("domain"), fqdn: Schema.String }),
  Schema.Struct({ type: Schema.Literal("azure_tenant"), tenant_id: Schema.String }),
  Schema.Struct({ type: Schema.Literal("email"), email: Schema.String }),
  Schema.Struct({ type: Schema.Literal("username"), username: Schema.String }),
  Schema.StructWithRest(Schema.Struct({ type: Schema.String }), [Schema.Record(Schema.String, Schema.Unknown)])
]).annotate({ identifier: "RecommendationData" })

/** The value of a policy whose type is given elsewhere. */
const PolicyValue = Schema.Union([...new Set(Object.values(policyValues))]).annotate({ identifier: "PolicyValue" })

const policyFields = {
  uuid: PolicyUuid,
  name: Schema.String,
  created_at: Schema.NullOr(Schema.String),
  last_updated_at: Schema.NullOr(Schema.String)
}

const policyOf = <const Type extends keyof typeof policyValues>(type: Type, identifier: string) =>
  Schema.Struct({ ...policyFields, policy_type: Schema.Literal(type), value: policyValues[type] }).annotate({
    identifier
  })

/** A policy whose value has the shape for its type. */
const TaggedMatchingPolicy = Schema.Union([
  policyOf("INCLUDED_KEYWORDS", "IncludedKeywordsPolicy"),
  policyOf("EXCLUDED_KEYWORDS", "ExcludedKeywordsPolicy"),
  policyOf("LUCENE_QUERY", "LuceneQueryPolicy"),
  policyOf("ASTP_DOMAIN", "DomainMatchPolicy"),
  policyOf("ASTP_COOKIES", "CookiesPolicy"),
  Schema.Struct({
    ...policyFields,
    policy_type: Schema.String,
    value: Schema.Record(Schema.String, Schema.Unknown)
  }).annotate({ identifier: "OtherPolicy" })
]).annotate({ identifier: "TaggedMatchingPolicy" })

/** The components that annotations reference: see `describedByAnnotation`. */
export const taggedSchemas: ReadonlyArray<Schema.Top> = [PolicyValue, RecommendationData, TaggedMatchingPolicy]
