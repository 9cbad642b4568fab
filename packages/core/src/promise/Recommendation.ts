/** An identifier that the service suggests to monitor. See docs/api.md#recommendation. */
import type { Open } from "./Page.ts"

export type RecommendationStatus = "recommended" | "accepted" | "rejected"

export interface Recommendation {
  readonly id: number
  /** `{ fqdn, type: "domain" }` for a domain; the shape for other types is not specified. */
  readonly data: { readonly [field: string]: unknown }
  readonly status: Open<RecommendationStatus> | null
  readonly updated_at: string | null
  /** A level in upper case; HIGH is the only known value. */
  readonly relevancy: Open<"HIGH"> | null
}

export interface RecommendationList {
  readonly types?: ReadonlyArray<"domain" | "azure_tenant" | "email" | "username"> | undefined
  readonly status?: RecommendationStatus | undefined
  /** 1 to 100. Default: 100. */
  readonly size?: number | undefined
  readonly from?: string | null | undefined
}
