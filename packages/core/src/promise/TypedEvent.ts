/** One event in full: its type, and the data that goes with it. See docs/api.md#typed-events. */
import type { Severity } from "./Event.ts"
import type { Open } from "./Page.ts"
import type { Secret } from "./Secret.ts"

export interface TypedEventMetadata {
  readonly estimated_created_at: string | null
  /** A link to the event in the service's web application. */
  readonly svc_url: string | null
  readonly matched_at: string | null
  readonly severity: Open<Severity>
  readonly uid: string
}

type Texts<Names extends string> = { readonly [Name in Names]: string | null }
type Integers<Names extends string> = { readonly [Name in Names]: number | null }
type Flags<Names extends string> = { readonly [Name in Names]: boolean | null }
type Lists<Names extends string> = { readonly [Name in Names]: ReadonlyArray<string> }

export interface Kind<Type extends string, Data> {
  readonly event_type: Type
  readonly metadata: TypedEventMetadata
  readonly data: Data
}

type Actor = Texts<"id" | "name"> | null
type NamedSource = Texts<"id" | "name"> | null
type IntegrationCredential = Texts<"identity_name" | "credential_hash" | "tenant_integration_id">

export type BlogPost = Kind<"blog_post", Texts<"url" | "content" | "description" | "posted_at">>

export type Bot = Kind<
  "bot",
  Texts<"name" | "url" | "price" | "currency"> & {
    readonly actor: Texts<"id"> | null
    readonly victim_information: Texts<"country_code" | "location" | "isp" | "installed_at" | "os"> | null
  }
>

export type Bucket = Kind<"bucket", Texts<"url"> & { readonly bucket: Texts<"host" | "provider"> | null }>

export type BucketObject = Kind<"bucket_object", Bucket["data"]>

export type ChatMessage = Kind<
  "chat_message",
  Texts<"posted_at" | "content"> &
    Flags<"was_forwarded"> & {
      readonly actor: Actor
      readonly context: Texts<"conversation_id" | "conversation_name"> | null
      readonly parent_context: Texts<"parent_uid" | "parent_type"> | null
      readonly forward_info:
        | (Texts<
            | "forwarded_from"
            | "forwarded_from_author_id"
            | "forwarded_from_conversation_id"
            | "forwarded_from_username"
            | "forwarded_message_time"
          > &
            Integers<"forwarded_from_chat_id" | "forwarded_from_user_id">)
        | null
    }
>

export type CreditCard = Kind<
  "cc" | "credit_card",
  Texts<"bank" | "bin" | "brand" | "country" | "expiration" | "owner" | "state_code" | "zip"> &
    Flags<
      | "has_cvv"
      | "has_date_of_birth"
      | "has_mother_maiden_name"
      | "has_phone"
      | "has_pin"
      | "has_ssn"
      | "has_track_1"
      | "has_vbv"
    >
>

export type DockerImage = Kind<
  "docker_image",
  Texts<"content" | "digest" | "architecture" | "os" | "last_pushed_at" | "last_pulled_at"> & {
    readonly tags: ReadonlyArray<Texts<"name" | "repository_name">>
  }
>

export type DockerRepository = Kind<
  "docker_repository",
  Texts<"url" | "last_updated_at" | "last_modified_at" | "registered_at"> &
    Integers<"star_count" | "pull_count" | "collaborator_count">
>

export type ForumPost = Kind<
  "forum_post",
  Texts<"posted_at" | "content" | "url"> & {
    readonly actor: Actor
    readonly context: Texts<"category_name" | "topic_id" | "topic_title"> | null
  }
>

export type InvalidCredential = Kind<"invalid_credential", IntegrationCredential>

export type ValidCredential = Kind<"valid_credential", IntegrationCredential>

export type MitigatedCredential = Kind<"mitigated_credential", IntegrationCredential & Texts<"mitigation_action">>

export type Leak = Kind<
  "leak",
  Texts<"term" | "site_url" | "leaked_at" | "breached_at"> &
    Integers<"leaked_credential_count"> &
    Lists<"pii_tags"> & { readonly source: NamedSource }
>

export type LeakedCredential = Kind<
  "leaked_credential",
  Texts<"identity_name" | "imported_at"> & { readonly password: Secret | null; readonly source: NamedSource }
>

export type Listing = Kind<
  "listing",
  Texts<"url" | "title" | "content" | "currency"> &
    Flags<"escrow"> &
    Integers<"price" | "stock_count"> &
    Lists<"ship_to" | "ship_from"> & {
      readonly actor: Actor
      readonly classification: {
        readonly classes: Flags<
          | "is_carding"
          | "is_bypass"
          | "is_ident_fraud"
          | "is_doc_fraud"
          | "is_phishing"
          | "is_money_xfer"
          | "is_cashout"
          | "is_virt_currency"
          | "is_hacking"
          | "is_misc_financial"
        > | null
        readonly types: Flags<"is_guide" | "is_service" | "is_software" | "is_hardware" | "is_data"> | null
      } | null
      readonly context: Texts<"category_name"> | null
    }
>

export type Lookalike = Kind<
  "lookalike" | "lookalike_domain",
  Texts<"domain" | "registered_at" | "issuer"> &
    Lists<"identifier_domains"> & {
      /** These three are specified as null only. */
      readonly feed: unknown
      readonly cert_data: unknown
      readonly subject: unknown
    }
>

export type Paste = Kind<
  "paste",
  Texts<"url" | "title" | "content" | "expires_at" | "syntax"> & { readonly actor: Actor }
>

export type Ransomleak = Kind<
  "ransomleak" | "ransom_leak",
  Texts<"url" | "response_url" | "title" | "content" | "body"> & {
    readonly victim_information:
      | (Texts<"name" | "display_name" | "domain" | "industry" | "city" | "state" | "country"> &
          Integers<"employee_count" | "latitude" | "longitude"> &
          Lists<"alternative_domains">)
      | null
  }
>

export type Service = Kind<
  "service",
  Texts<
    "url" | "asn" | "content" | "service" | "product" | "ip_address" | "organization" | "hostname" | "country_code"
  > &
    Integers<"port"> &
    Lists<"vulnerabilities">
>

export type SocialMediaAccount = Kind<"social_media_account", Texts<"url" | "site" | "username">>

export type StealerLog = Kind<
  "stealer_log",
  {
    readonly victim_information:
      | (Texts<
          | "ip_address"
          | "ip_network"
          | "username"
          | "country_code"
          | "zip_code"
          | "location"
          | "hwid"
          | "current_language"
          | "timezone"
          | "os"
          | "uac"
        > &
          Integers<"screensize_width" | "screensize_height"> &
          Flags<"process_elevation"> &
          Lists<"available_keyboards" | "hardware" | "anti_viruses">)
      | null
    readonly malware_information: Texts<"malware_family" | "build_id" | "file_location" | "infected_at"> | null
  }
>

export type KnownEvent =
  | BlogPost
  | Bot
  | Bucket
  | BucketObject
  | ChatMessage
  | CreditCard
  | DockerImage
  | DockerRepository
  | ForumPost
  | InvalidCredential
  | ValidCredential
  | MitigatedCredential
  | Leak
  | LeakedCredential
  | Listing
  | Lookalike
  | Paste
  | Ransomleak
  | Service
  | SocialMediaAccount
  | StealerLog

/** An event of an unknown type, with its data as received; the type is empty where it was left out. */
export type UnknownEvent = Kind<string, unknown>

/** An event of a known type whose data is not as specified: the data as received, with passwords in it as `Secret`s. */
export interface MalformedEvent extends Kind<KnownEvent["event_type"], unknown> {
  readonly _tag: "MalformedEvent"
  /** Where the data is not as specified, and what was expected there; never what was found. */
  readonly faults: ReadonlyArray<string>
}

/** `isKnown` and `isMalformed` distinguish the three; then `event_type` narrows a known one. */
export type TypedEvent = KnownEvent | UnknownEvent | MalformedEvent
