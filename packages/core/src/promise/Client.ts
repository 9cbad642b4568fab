/** Every operation, for programs without Effect. */
import type { Credential, CredentialSearch } from "./Credential.ts"
import type { Event, EventSearch, IdentifierEvent, IdentifierEventSearch } from "./Event.ts"
import type { Identifier, IdentifierGroup, NewIdentifier, NewIdentifierGroup } from "./Identifier.ts"
import type { AssignedPolicy, AssignPolicy, PolicyAssignment, PolicyAssignmentList } from "./MatchingPolicy.ts"
import type { Page } from "./Page.ts"
import type { Recommendation, RecommendationList } from "./Recommendation.ts"
import type { SecretInput } from "./Secret.ts"
import type { AddUsers, IntelQuestion, IntelRequest, NewReport } from "./Tenant.ts"
import type { TypedEvent } from "./TypedEvent.ts"

export interface ClientOptions {
  /** `https:`, or `http:` to a loopback address; it may have a path. */
  readonly baseUrl: string | URL
  /** A token, or a function that returns one: called before the first request, and once more after a 401. */
  readonly token?: SecretInput | (() => SecretInput | PromiseLike<SecretInput>) | undefined
  /** Instead of `token`: exchanged for a token, which is renewed after 45 minutes and once after a 401. */
  readonly apiKey?: SecretInput | undefined
  /** The tenant of the token, for a key with several tenants. */
  readonly tenantId?: number | undefined
  /** The first segment of every path, which each service chooses. Default: `svc`. */
  readonly pathPrefix?: string | undefined
  /** The service's name of the event link field; decoded events always call it `svc_url`. Default: `svc_url`. */
  readonly linkField?: string | undefined
  /** Timeout of one attempt in milliseconds, body included. Default: 30,000. */
  readonly timeout?: number | undefined
  /** Deadline in milliseconds for one call with its retries; in a listing, for one page. Default: 180,000. */
  readonly deadline?: number | undefined
  /** Attempts after the first, for searches and reads only. Default: 4. */
  readonly retries?: number | undefined
  /** Milliseconds before the first retry; doubled for each further one. Default: 250. */
  readonly retryDelay?: number | undefined
  /** The client's own limits in calls per second: `search` for the two global searches, `basic` for everything else. */
  readonly rateLimits?: { readonly search?: number | undefined; readonly basic?: number | undefined } | undefined
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

export interface CallOptions {
  /** Aborting it aborts the request and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** The quota of global searches, as the service last reported it. */
export interface Quota {
  /** Undefined until the service has reported it. */
  readonly searchesRemaining: number | undefined
  /** Whether the next page costs another unit; undefined until the service has reported it. */
  readonly batchReached: boolean | undefined
}

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
    /** All at once, without paging. See docs/api.md#list-policies-of-an-identifier. */
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
  /** As the last answer of any call reported it. */
  quota(): Quota
}
