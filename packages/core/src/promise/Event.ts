/** An event as a search finds it, and how to search for one. See docs/api.md#event. */
import type { Open, Order } from "./Page.ts"
import type { SecretInput } from "./Secret.ts"

/** Ascending. */
export type Severity = "info" | "low" | "medium" | "high" | "critical"

/** The types that a search of one identifier's events can filter by. */
export type IdentifierEventType =
  | "illicit_networks"
  | "open_web"
  | "leak"
  | "domain"
  | "listing"
  | "forum_content"
  | "blog_content"
  | "profile"
  | "chat_message"
  | "ransomleak"
  | "infected_devices"
  | "financial_data"
  | "paste"
  | "social_media"
  | "source_code"
  | "google"
  | "service"
  | "buckets"

/** The types that a global search can filter by. */
export type GlobalEventType =
  | IdentifierEventType
  | "blog_post"
  | "bot"
  | "stealer_log"
  | "source_code_files"
  | "stack_exchange"
  | "bucket"
  | "bucket_object"

export interface EventMetadata {
  readonly estimated_created_at: string | null
  readonly matched_at: string | null
  readonly type: Open<GlobalEventType>
  /** Normally `<index>/<source>/<id>`; two, five and six segments occur too. */
  readonly uid: string
  readonly severity: Open<Severity>
  /** A link to the event in the service's web application. */
  readonly svc_url?: string
  readonly title?: string
}

/** A tenant's own annotations of an event. */
export interface TenantMetadata {
  readonly severity: { readonly original: Open<Severity> | null; readonly override: Open<Severity> | null } | null
  readonly tags: ReadonlyArray<string>
  readonly notes: string | null
  readonly remediated_at?: string
  readonly ignored_at?: string
}

export interface Event {
  readonly metadata: EventMetadata
  readonly tenant_metadata: TenantMetadata
  /**
   * By field name, the passages that matched, with the matched terms wrapped in `<mark>` tags (`<em>` in older
   * records). The rest is text of the leak: hostile input, not HTML to trust.
   */
  readonly highlights: { readonly [field: string]: ReadonlyArray<string> }
}

export interface IdentifierEvent extends Event {
  readonly identifiers: ReadonlyArray<{ readonly id: number; readonly name: string }>
}

export type EventQuery =
  | { readonly type: "domain"; readonly fqdn: string }
  | { readonly type: "email"; readonly email: string }
  | { readonly type: "keyword"; readonly keyword: string }
  | { readonly type: "query_string"; readonly query_string: string }
  | { readonly type: "username"; readonly username: string }
  | { readonly type: "github_repository"; readonly repo_owner: string; readonly repo_name: string }
  | { readonly type: "brand"; readonly name: string }
  | {
      readonly type: "name"
      readonly first_name: string
      readonly last_name: string
      readonly is_strict?: boolean | undefined
    }
  | { readonly type: "bin"; readonly bin: string }
  | { readonly type: "ip"; readonly ip: string }
  | { readonly type: "credentials"; readonly username: string; readonly password: SecretInput }
  | { readonly type: "secret"; readonly secret: SecretInput }
  | { readonly type: "azure_tenant"; readonly tenant_id: string }

export interface EventFilters<Type = GlobalEventType> {
  /** One severity: events of that severity or a higher one. A list: events of one of its members. */
  readonly severity?: Severity | ReadonlyArray<Severity> | undefined
  readonly type?: ReadonlyArray<Type> | undefined
  /** ISO 8601 dates or date-times. */
  readonly estimated_created_at?:
    | {
        readonly gt?: string | undefined
        readonly gte?: string | undefined
        readonly lt?: string | undefined
        readonly lte?: string | undefined
      }
    | undefined
}

export interface IdentifierEventFilters extends EventFilters<IdentifierEventType> {
  readonly tags?: ReadonlyArray<string> | undefined
  readonly status?: ReadonlyArray<"open" | "ignored" | "remediated"> | undefined
  /** @deprecated Use `status`. */
  readonly is_ignored?: boolean | undefined
  /** @deprecated Use `status`. */
  readonly is_remediated?: boolean | undefined
}

export interface EventSearch<Filters = EventFilters> {
  readonly query?: EventQuery | undefined
  readonly filters?: Filters | undefined
  readonly from?: string | null | undefined
  /** 1 to 10. Default: 10. */
  readonly size?: number | undefined
  /** By `estimated_created_at`. Default: desc. */
  readonly order?: Order | undefined
}

export type IdentifierEventSearch = EventSearch<IdentifierEventFilters>
