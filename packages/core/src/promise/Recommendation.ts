/** An identifier that the service suggests to monitor. SPEC 2.7, 4.11. */
import type { Open } from "./Page.ts"

export type RecommendationStatus = "recommended" | "accepted" | "rejected"

export interface Recommendation {
  readonly id: number
  /** `{ fqdn, type: "domain" }` for a domain; other types have shapes of their own. */
  readonly data: { readonly [field: string]: unknown }
  readonly status: Open<RecommendationStatus>
  readonly updated_at: string | null
  /** An upper-case level; HIGH is the one that SPEC shows. */
  readonly relevancy: Open<"HIGH"> | null
}

export interface RecommendationList {
  readonly types?: ReadonlyArray<"domain" | "azure_tenant" | "email" | "username"> | undefined
  readonly status?: RecommendationStatus | undefined
  /** 1 to 100; 100 where absent. */
  readonly size?: number | undefined
  readonly from?: string | null | undefined
}
