import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Stream from "effect/Stream"
import type { CredentialsMethods } from "../client/Credentials.ts"
import type { EventsMethods } from "../client/Events.ts"
import type { IdentifierGroupsMethods } from "../client/IdentifierGroups.ts"
import type { IdentifiersMethods } from "../client/Identifiers.ts"
import type { IntelMethods } from "../client/Intel.ts"
import type { MatchingPoliciesMethods } from "../client/MatchingPolicies.ts"
import type { RecommendationsMethods } from "../client/Recommendations.ts"
import type { ReportsMethods } from "../client/Reports.ts"
import type { TenantsMethods } from "../client/Tenants.ts"
import type * as Credentials from "../domain/Credential.ts"
import type * as Events from "../domain/Event.ts"
import type * as Groups from "../domain/IdentifierGroup.ts"
import type * as Identifiers from "../domain/Identifier.ts"
import type * as Intel from "../domain/Intel.ts"
import type * as Policies from "../domain/MatchingPolicy.ts"
import type * as Monitored from "../domain/MonitoredIdentifier.ts"
import type { Page } from "../domain/Page.ts"
import type * as Recommendations from "../domain/Recommendation.ts"
import type * as Reports from "../domain/Report.ts"
import type * as Tenants from "../domain/Tenant.ts"
import type { TokenDescription } from "../domain/Token.ts"
import type * as TypedEvents from "../domain/TypedEvent.ts"
import type { CallLimits, Quota } from "../transport/ClientOptions.ts"
import type { ResponseHead, WithResponse } from "../transport/Received.ts"
import type { ListRequestInput, RawRequest, RequestInput } from "../transport/RequestEncoder.ts"
import type { Secret } from "./Secret.ts"

/**
 * A failed call rejects with an `ApiError`. A listing fetches pages while it is read; leaving the loop aborts the
 * request in flight. Its `pages` counterpart yields whole pages, for callers that stop and resume with `from`. Searches
 * and reads are retried; operations that change something are not.
 */
export interface Client {
  readonly credentials: Promised<CredentialsMethods>
  readonly events: Promised<EventsMethods>
  readonly identifiers: Promised<IdentifiersMethods>
  readonly identifierGroups: Promised<IdentifierGroupsMethods>
  readonly recommendations: Promised<RecommendationsMethods>
  /** @beta */
  readonly matchingPolicies: Promised<MatchingPoliciesMethods>
  readonly reports: Promised<ReportsMethods>
  readonly tenants: Promised<TenantsMethods>
  readonly intel: Promised<IntelMethods>
  /** Describes the token; undefined if the service does not support this (404). See docs/api.md#describe-a-token. */
  whoAmI(options?: CallOptions): ApiPromise<TokenDescription | undefined>
  /** The quota according to the last response of any call. */
  quota(): Quota
  /**
   * Calls an operation that this version has no method for. Returns the parsed JSON of the response; undefined if it is
   * empty. `path` begins after the prefix. GET and HEAD are retried, other methods are sent once. Errors contain no
   * `Secret` of the request, and no value of a field that is named like a secret; secrets in the response are not
   * redacted.
   */
  request(method: Method, path: string, request?: RawRequest, options?: CallOptions): ApiPromise<unknown>
}

export interface CallOptions extends CallLimits {
  /** Aborting the signal aborts the request, and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

export type Method = "DELETE" | "GET" | "HEAD" | "OPTIONS" | "PATCH" | "POST" | "PUT"

export interface PageOptions<Raw extends boolean> extends CallOptions {
  /** Whether pages contain the items as received: nothing is decoded or left out, and secrets are plain text. */
  readonly raw?: Raw | undefined
}

/** The result of a call. */
export interface ApiPromise<A> extends Promise<A> {
  /** The result with the status and headers of the response. */
  withResponse(): Promise<WithResponse<A>>
}

export interface ItemListing<A> extends AsyncIterable<A> {
  /** Reads all items, or at most `limit`. */
  toArray(options?: { readonly limit?: number | undefined }): Promise<Array<A>>
}

export interface PageListing<A> extends ItemListing<A> {
  /** The pages with the status and headers of each response. */
  withResponse(): ItemListing<WithResponse<A>>
}

export type Promised<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (...args: infer Arguments) => infer Answer
    ? Answer extends Stream.Stream<Page<infer Item>, infer _E>
      ? <Raw extends boolean = false>(
          ...args: [...Arguments, options?: PageOptions<Raw>]
        ) => PageListing<Page<Raw extends true ? unknown : Revealable<Item>>>
      : (...args: [...Arguments, options?: CallOptions]) => PromisedAnswer<Answer>
    : never
}

type PromisedAnswer<Answer> =
  Answer extends Effect.Effect<infer A, infer _E>
    ? ApiPromise<Revealable<A>>
    : Answer extends Stream.Stream<infer A, infer _E>
      ? ItemListing<Revealable<A>>
      : never

type Revealable<A> =
  A extends Page<infer Item>
    ? Page<Revealable<Item>>
    : A extends Credentials.Credential
      ? Credential
      : A extends TypedEvents.LeakedCredential
        ? LeakedCredential
        : A extends Monitored.MonitoredIdentifier
          ? MonitoredIdentifier
          : A extends Events.StealerLogCookie
            ? StealerLogCookie
            : A extends Events.StealerLogCredential
              ? StealerLogCredential
              : A

type Revealed<A> = {
  readonly [Key in keyof A]: A[Key] extends Redacted.Redacted | null ? Secret | null : A[Key]
}

export interface Credential extends Revealed<Credentials.Credential> {}

export interface LeakedCredential extends Omit<TypedEvents.LeakedCredential, "data"> {
  readonly data: Revealed<TypedEvents.LeakedCredential["data"]>
}

export interface MonitoredIdentifier extends Omit<Monitored.MonitoredIdentifier, "data"> {
  readonly data: Revealed<Monitored.MonitoredData>
}

export interface StealerLogCredential extends Revealed<Events.StealerLogCredential> {}
export interface StealerLogCookie extends Revealed<Events.StealerLogCookie> {}

export type KnownEvent = Revealable<TypedEvents.KnownEvent>
export type TypedEvent = KnownEvent | TypedEvents.MalformedEvent | TypedEvents.UnknownEvent

// Requests, in the form in which a caller may write them.
export interface CredentialSearch extends RequestInput<Credentials.CredentialSearch> {}
export type CredentialQuery = RequestInput<Credentials.CredentialQuery>
export interface EventSearch extends RequestInput<Events.EventSearch> {}
export interface IdentifierEventSearch extends RequestInput<Events.IdentifierEventSearch> {}
export type EventQuery = RequestInput<Events.EventQuery>
export interface EventFilters extends RequestInput<Events.EventFilters> {}
export interface IdentifierEventFilters extends RequestInput<Events.IdentifierEventFilters> {}
export interface NewIdentifier extends RequestInput<Identifiers.NewIdentifier> {}
export interface NewIdentifierGroup extends RequestInput<Groups.NewIdentifierGroup> {}
export interface NewMonitoredIdentifier extends RequestInput<Monitored.NewMonitoredIdentifier> {}
export interface MonitoredIdentifierUpdate extends RequestInput<Monitored.MonitoredIdentifierUpdate> {}
export interface TenantEventSearch extends RequestInput<Events.TenantEventSearch> {}
export interface RecommendationList extends ListRequestInput<Recommendations.RecommendationList> {}
export interface AssignPolicy extends RequestInput<Policies.AssignPolicy> {}
export interface PolicyAssignmentList extends ListRequestInput<Policies.PolicyAssignmentList> {}
export interface NewReport extends RequestInput<Reports.NewReport> {}
export interface AddUsers extends RequestInput<Tenants.AddUsers> {}
export interface IntelQuestion extends RequestInput<Intel.IntelQuestion> {}

export type { ResponseHead, WithResponse }
export type { Source } from "../domain/Credential.ts"
export type {
  Event,
  EventMetadata,
  GlobalEventType,
  IdentifierEvent,
  IdentifierEventType,
  TenantMetadata
} from "../domain/Event.ts"
export type { Identifier, IdentifierType, SearchType } from "../domain/Identifier.ts"
export type { IdentifierGroup } from "../domain/IdentifierGroup.ts"
export type { IntelRequest } from "../domain/Intel.ts"
export type { AssignedPolicy, MatchingPolicy, PolicyAssignment } from "../domain/MatchingPolicy.ts"
export type { Order, Page } from "../domain/Page.ts"
export type { Recommendation, RecommendationStatus } from "../domain/Recommendation.ts"
export type { Severity } from "../domain/Severity.ts"
export type { TokenDescription } from "../domain/Token.ts"
export type {
  BlogPost,
  Bot,
  Bucket,
  BucketObject,
  Cc,
  ChatMessage,
  CreditCard,
  DockerImage,
  DockerRepository,
  ForumPost,
  InvalidCredential,
  Leak,
  Listing,
  Lookalike,
  LookalikeDomain,
  MalformedEvent,
  MitigatedCredential,
  Paste,
  RansomLeak,
  Ransomleak,
  Service,
  SocialMediaAccount,
  StealerLog,
  TypedEventMetadata,
  UnknownEvent,
  ValidCredential
} from "../domain/TypedEvent.ts"
export type {
  CallLimits,
  ClientOptions,
  CommonOptions,
  Quota,
  ResponseInfo,
  SecretInput,
  UnreadableItem
} from "../transport/ClientOptions.ts"
export type { RawRequest } from "../transport/RequestEncoder.ts"
