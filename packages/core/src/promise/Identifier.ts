/** Monitored assets, and sets of them. See docs/api.md#identifier. */
import type { Open } from "./Page.ts"

export type IdentifierType =
  | "domain"
  | "name"
  | "keyword"
  | "github_repository"
  | "username"
  | "email"
  | "search_query"
  | "bin"
  | "ip"
  | "secret"
  | "azure_tenant"
  | "identity"
  | "ransomleak"
  | "external_id"
  | "address_data"
  | "birth_year"
  | "role"
  | "phone_number"

export type SearchType =
  | "google"
  | "financial_data"
  | "invalid_credential"
  | "service"
  | "blog_post"
  | "source_code_secrets"
  | "leak"
  | "forum_post"
  | "chat_message"
  | "ransomleak"
  | "mitigated_credential"
  | "paste"
  | "docker"
  | "bucket"
  | "forum_profile"
  | "source_code_files"
  | "stealer_log"
  | "ad"
  | "forum_topic"
  | "listing"
  | "valid_credential"
  | "bot"
  | "seller"
  | "stack_exchange"
  | "domain"
  | "bucket_object"
  | "social_media_account"
  | "illicit_networks"
  | "open_web"
  | "buckets"
  | "source_code"
  | "leaks"
  | "domains"
  | "forum_content"
  | "blog_content"
  | "profile"
  | "ads"
  | "infected_devices"
  | "social_media"

export interface Identifier {
  readonly type: Open<IdentifierType>
  readonly search_types: ReadonlyArray<Open<SearchType>>
  /** `<redacted>` if the name is a secret, which is then in `data.secret`. */
  readonly name: string
  /** If the identifier has the type `secret`, every text except `type` is a `Secret`. */
  readonly data: { readonly [field: string]: unknown }
  readonly id: number
  readonly tenant_id: number | null
  readonly feed_id: number | null
  readonly experimental_search_types: ReadonlyArray<string>
  readonly v3_refs: { readonly asset_uuid: string | null } | null
  readonly risks: ReadonlyArray<number>
  readonly fetching_progress: number | null
  readonly count: number | null
  readonly urn: string | null
  readonly is_disabled: boolean
  /** Where it comes from; USER is the only known value. */
  readonly source: Open<"USER"> | null
  readonly data_updated_at: string | null
}

export interface NewIdentifier {
  /** At least one character. */
  readonly name: string
  readonly type?: IdentifierType | undefined
  readonly search_types?: ReadonlyArray<SearchType> | undefined
  readonly data?: { readonly [field: string]: unknown } | undefined
  readonly experimental_search_types?: ReadonlyArray<string> | undefined
  readonly risks?: ReadonlyArray<number> | undefined
}

export interface IdentifierGroup {
  readonly id: number
  readonly tenant_id: number | null
  readonly feed_id: number | null
  readonly feed_owner_id: number | null
  readonly name: string | null
  readonly urn: string | null
}

/** Which of these a service requires is not specified. */
export interface NewIdentifierGroup {
  readonly id?: number | undefined
  readonly tenant_id?: number | undefined
  readonly feed_id?: number | undefined
  readonly feed_owner_id?: number | undefined
  readonly name?: string | undefined
  readonly urn?: string | undefined
}
