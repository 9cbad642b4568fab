/** A recommendation: an identifier that the service suggests to monitor. See docs/api.md#recommendation. */
import * as Schema from "effect/Schema"
import { listQuery, page } from "./Page.ts"
import { describedByAnnotation, open, orElse, orNull } from "./schema/Tolerant.ts"
import { oneOf } from "./schema/RequestField.ts"
import { actionOn } from "./Triage.ts"
import { struct } from "./schema/Struct.ts"

export const recommendationStatuses = ["recommended", "accepted", "rejected"] as const
export const RecommendationStatus = oneOf("RecommendationStatus", recommendationStatuses)
export type RecommendationStatus = typeof RecommendationStatus.Type

export const RecommendationType = oneOf("RecommendationType", ["domain", "azure_tenant", "email", "username"])
export type RecommendationType = typeof RecommendationType.Type

export class Recommendation extends struct<Recommendation>("Recommendation")({
  id: orElse(Schema.Int, 0),
  /** `{ fqdn, type: "domain" }` for a domain; other types have no specified shape. */
  data: orElse(
    Schema.Record(Schema.String, Schema.Unknown).annotate({ [describedByAnnotation]: "RecommendationData" }),
    {}
  ),
  status: orNull(open(recommendationStatuses), "value"),
  updated_at: orNull(Schema.String),
  /** A level in upper case; HIGH is the only known value. */
  relevancy: orNull(open(["HIGH"]))
}) {}

export const RecommendationPage = page("RecommendationPage", Recommendation)

/** Maximum and default page size for recommendations. */
export const maxRecommendations = 100

/** Query parameters of the listing. `types` may be repeated. */
export class RecommendationList extends listQuery<RecommendationList>()(maxRecommendations, {
  /** Only recommendations whose data contains this text. */
  query: Schema.optionalKey(Schema.String),
  types: Schema.optionalKey(Schema.Array(RecommendationType)),
  status: Schema.optionalKey(RecommendationStatus)
}) {}

/** Maximum number of recommendations in one action. */
export const maxRecommendationTargets = 100

export const RecommendationDecision = oneOf("RecommendationDecision", ["accept", "reject"])
export type RecommendationDecision = typeof RecommendationDecision.Type

export class RecommendationAction extends actionOn<RecommendationAction>("RecommendationAction")(
  { id: Schema.Int },
  RecommendationDecision,
  maxRecommendationTargets
) {}
