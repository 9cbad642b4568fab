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
  /** A token, or a function that gives one: asked when the first call is made, and once more after a 401. */
  readonly token?: SecretInput | (() => SecretInput | PromiseLike<SecretInput>) | undefined
  /** Instead of `token`: exchanged for tokens, which are renewed after 45 minutes and once on a 401. */
  readonly apiKey?: SecretInput | undefined
  /** Which tenant the tokens are for, where the key has several. */
  readonly tenantId?: number | undefined
  /** The service's own word at the start of every path; `svc` where absent. */
  readonly pathPrefix?: string | undefined
  /** The service's own name of an event's link, which is decoded as `svc_url`; `svc_url` where absent. */
  readonly linkField?: string | undefined
  /** Milliseconds for one try, body included; 30,000 where absent. */
  readonly timeout?: number | undefined
  /** Milliseconds for one call with its retries, of a listing for one page; 180,000 where absent. */
  readonly deadline?: number | undefined
  /** Tries after the first, of searches and reads alone; 4 where absent. */
  readonly retries?: number | undefined
  /** Milliseconds of the first pause, which then doubles; 250 where absent. */
  readonly retryDelay?: number | undefined
  /** Calls per second that the client allows itself: for the two global searches, and for everything else. */
  readonly rateLimits?: { readonly search?: number | undefined; readonly basic?: number | undefined } | undefined
  /** Another `fetch` than the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

export interface CallOptions {
  /** Aborting rejects with its reason, and aborts the request. */
  readonly signal?: AbortSignal | undefined
}

/** What the service last said of the global searches it lets this account make. */
export interface Quota {
  /** Undefined until the service has said. */
  readonly searchesRemaining: number | undefined
  /** Whether the next page costs another search; undefined until the service has said. */
  readonly batchReached: boolean | undefined
}

/**
 * Calls reject with an `ApiError`. A listing fetches as it is read, one page ahead; leaving its loop aborts what is on
 * its way. A `pages` twin is for callers who stop, and go on later with `from`. Searches and reads are tried again where
 * that may help; what changes something is sent once.
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
    /** docs/api.md#create-an-identifier-group */
    create(request: NewIdentifierGroup, options?: CallOptions): Promise<IdentifierGroup>
  }
  readonly recommendations: {
    /** docs/api.md#list-recommendations */
    list(request?: RecommendationList, options?: CallOptions): AsyncIterable<Recommendation>
    pages(request?: RecommendationList, options?: CallOptions): AsyncIterable<Page<Recommendation>>
  }
  /** @beta */
  readonly matchingPolicies: {
    /** docs/api.md#assign-a-matching-policy */
    assign(policyUuid: string, request: AssignPolicy, options?: CallOptions): Promise<void>
    /** docs/api.md#list-policy-assignments */
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
    /** docs/api.md#create-a-report */
    create(request: NewReport, options?: CallOptions): Promise<void>
  }
  readonly tenants: {
    /** docs/api.md#add-users-to-a-tenant */
    addUsers(tenantId: number, request: AddUsers, options?: CallOptions): Promise<void>
  }
  readonly intel: {
    /** docs/api.md#ask-for-intelligence */
    ask(request: IntelQuestion, options?: CallOptions): Promise<IntelRequest>
  }
  /** As last heard, from any call. */
  quota(): Quota
}
