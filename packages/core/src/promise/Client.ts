/** Every operation, for programs without Effect. */
import type { CallLimits, Quota } from "./ClientOptions.ts"
import type { Credential, CredentialSearch } from "./Credential.ts"
import type { Event, EventSearch, IdentifierEvent, IdentifierEventSearch } from "./Event.ts"
import type { Identifier, IdentifierGroup, NewIdentifier, NewIdentifierGroup } from "./Identifier.ts"
import type { AssignedPolicy, AssignPolicy, PolicyAssignment, PolicyAssignmentList } from "./MatchingPolicy.ts"
import type { Page } from "./Page.ts"
import type { Recommendation, RecommendationList } from "./Recommendation.ts"
import type { SecretInput } from "./Secret.ts"
import type { AddUsers, IntelQuestion, IntelRequest, NewReport } from "./Tenant.ts"
import type { TokenDescription } from "./Token.ts"
import type { TypedEvent } from "./TypedEvent.ts"

export interface CallOptions extends CallLimits {
  /** Aborting it aborts the request and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

export type Method = "DELETE" | "GET" | "HEAD" | "OPTIONS" | "PATCH" | "POST" | "PUT"

/** The query and the body of an operation that the client has no types for. */
export interface RawRequest<Secret = SecretInput> {
  /** A list repeats its parameter; null and undefined omit it. */
  readonly query?: { readonly [name: string]: RawValue<Secret> | ReadonlyArray<RawValue<Secret>> } | undefined
  /** Sent as JSON. */
  readonly body?: unknown
}

type RawValue<Secret> = Secret | number | boolean | null | undefined

/**
 * Calls reject with an `ApiError`. A listing fetches pages as it is read, and leaving the loop aborts the request in flight.
 * Its `pages` twin yields whole pages, for callers who stop and resume with `from`. Searches and reads are retried;
 * operations that change something are not.
 */
export interface Client {
  readonly credentials: {
    /** Costs search quota. See docs/api.md#search-credentials. */
    search(request: CredentialSearch, options?: CallOptions): AsyncIterable<Credential>
    pages(request: CredentialSearch, options?: CallOptions): AsyncIterable<Page<Credential>>
  }
  readonly events: {
    /** Costs search quota. See docs/api.md#search-events. */
    search(request?: EventSearch, options?: CallOptions): AsyncIterable<Event>
    pages(request?: EventSearch, options?: CallOptions): AsyncIterable<Page<Event>>
    /** Costs no quota. See docs/api.md#search-events-of-an-identifier. */
    ofIdentifier(
      identifierId: number,
      request?: IdentifierEventSearch,
      options?: CallOptions
    ): AsyncIterable<IdentifierEvent>
    pagesOfIdentifier(
      identifierId: number,
      request?: IdentifierEventSearch,
      options?: CallOptions
    ): AsyncIterable<Page<IdentifierEvent>>
    /**
     * The `uid` is the one in an event's metadata. See docs/api.md#retrieve-an-event.
     *
     * @beta
     */
    get(uid: string, options?: CallOptions): Promise<TypedEvent>
  }
  readonly identifiers: {
    /** @deprecated In favour of a v4 operation that is not specified: see docs/api.md#create-an-identifier. */
    create(request: NewIdentifier, options?: CallOptions): Promise<Identifier>
  }
  readonly identifierGroups: {
    /** See docs/api.md#create-an-identifier-group. */
    create(request: NewIdentifierGroup, options?: CallOptions): Promise<IdentifierGroup>
  }
  readonly recommendations: {
    /** See docs/api.md#list-recommendations. */
    list(request?: RecommendationList, options?: CallOptions): AsyncIterable<Recommendation>
    pages(request?: RecommendationList, options?: CallOptions): AsyncIterable<Page<Recommendation>>
  }
  /** @beta */
  readonly matchingPolicies: {
    /** See docs/api.md#assign-a-matching-policy. */
    assign(policyUuid: string, request: AssignPolicy, options?: CallOptions): Promise<void>
    /** See docs/api.md#list-policy-assignments. */
    assignments(
      policyUuid: string,
      request?: PolicyAssignmentList,
      options?: CallOptions
    ): AsyncIterable<PolicyAssignment>
    pagesOfAssignments(
      policyUuid: string,
      request?: PolicyAssignmentList,
      options?: CallOptions
    ): AsyncIterable<Page<PolicyAssignment>>
    /** All at once, without paging. What cannot be decoded is left out, as in a listing. See docs/api.md#list-policies-of-an-identifier. */
    ofIdentifier(identifierId: number, options?: CallOptions): Promise<ReadonlyArray<AssignedPolicy>>
    /** Also deletes its assignments. See docs/api.md#delete-a-matching-policy. */
    delete(policyUuid: string, options?: CallOptions): Promise<void>
  }
  readonly reports: {
    /** See docs/api.md#create-a-report. */
    create(request: NewReport, options?: CallOptions): Promise<void>
  }
  readonly tenants: {
    /** See docs/api.md#add-users-to-a-tenant. */
    addUsers(tenantId: number, request: AddUsers, options?: CallOptions): Promise<void>
  }
  readonly intel: {
    /** See docs/api.md#ask-for-intelligence. */
    ask(request: IntelQuestion, options?: CallOptions): Promise<IntelRequest>
  }
  /** What the token is for; undefined if the service does not support this (404). See docs/api.md#describe-a-token. */
  whoAmI(options?: CallOptions): Promise<TokenDescription | undefined>
  /** As the last answer of any call reported it. */
  quota(): Quota
  /**
   * Calls an operation that this version does not know, and gives the JSON of its answer, undefined if it has none. The path
   * begins after the prefix. A GET or HEAD is retried, anything else is sent once. Errors contain no `Secret` of the
   * request, and no value of a field that is named like one; secrets in the answer are not redacted.
   */
  request(method: Method, path: string, request?: RawRequest, options?: CallOptions): Promise<unknown>
}
