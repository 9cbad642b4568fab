/** A leaked credential, and how to search for one. See docs/api.md#credential. */
import type { Order } from "./Page.ts"
import type { Secret, SecretInput } from "./Secret.ts"

export interface Source {
  readonly id: string
  readonly name: string | null
  readonly description_en: string | null
  readonly description_fr: string | null
  readonly breached_at: string | null
  readonly leaked_at: string | null
  readonly is_alert_enabled: boolean
  readonly pii_tags: ReadonlyArray<string> | null
  readonly url: string | null
}

export interface Credential {
  readonly id: number
  /** Account name, normally an e-mail address. */
  readonly identity_name: string
  readonly domain: string | null
  /** Empty if the service names no source. */
  readonly source_id: string
  readonly imported_at: string
  /** A password in clear when `hash_type` is null or `unknown`. */
  readonly hash: Secret | null
  readonly hash_type: string | null
  readonly source: Source | null
  /** Null unless `include` asks for it. */
  readonly known_password_id: number | null
  readonly credential_hash: string | null
  readonly event_uid: string | null
  /** Names of the hosts that it was used to log in to, at most 100. Present if `include` asked for it. */
  readonly auth_domains?: ReadonlyArray<string>
  /** Present if `include` asked for it. */
  readonly urls?: ReadonlyArray<string>
}

export type CredentialQuery =
  /** Credentials whose e-mail address is in the domain. */
  | { readonly type: "domain"; readonly fqdn: string }
  /** Credentials that were used to log in to a host of that domain. */
  | { readonly type: "auth_domain"; readonly fqdn: string }
  /** Credentials with that password. */
  | { readonly type: "secret"; readonly secret: SecretInput }
  /** Credentials of exactly that e-mail address. */
  | { readonly type: "email"; readonly email: string }
  /** Credentials whose user name, the part before the at sign, matches. */
  | { readonly type: "keyword"; readonly keyword: string }

export interface CredentialSearch {
  readonly query: CredentialQuery
  readonly filters?:
    | {
        /** ISO 8601 date-times, both inclusive. */
        readonly imported_at?:
          | { readonly gte?: string | null | undefined; readonly lte?: string | null | undefined }
          | undefined
      }
    | undefined
  readonly from?: string | null | undefined
  /** 1 to 10,000. Default: 10. */
  readonly size?: number | undefined
  readonly include?: ReadonlyArray<"known_password_id" | "auth_domains" | "urls"> | undefined
  /** By `imported_at`. Default: desc. */
  readonly order?: Order | undefined
}
