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
    /** SPEC 4.1. Every page counts against the search quota. */
    search(request: CredentialSearch, options?: CallOptions): AsyncIterable<Credential>
    pages(request: CredentialSearch, options?: CallOptions): AsyncIterable<Page<Credential>>
  }
  readonly events: {
    /** SPEC 4.2. Every page counts against the search quota. */
    search(request?: EventSearch, options?: CallOptions): AsyncIterable<Event>
    pages(request?: EventSearch, options?: CallOptions): AsyncIterable<Page<Event>>
    /** SPEC 4.3. It costs no quota. */
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
     * SPEC 4.14. The `uid` is that of an event's metadata.
     *
     * @beta
     */
    get(uid: string, options?: CallOptions): Promise<TypedEvent>
  }
  readonly identifiers: {
    /** @deprecated SPEC 4.4 names a v4 endpoint as its replacement, and does not show it. */
    create(request: NewIdentifier, options?: CallOptions): Promise<Identifier>
  }
  readonly identifierGroups: {
    /** SPEC 4.5. */
    create(request: NewIdentifierGroup, options?: CallOptions): Promise<IdentifierGroup>
  }
  readonly recommendations: {
    /** SPEC 4.11. */
    list(request?: RecommendationList, options?: CallOptions): AsyncIterable<Recommendation>
    pages(request?: RecommendationList, options?: CallOptions): AsyncIterable<Page<Recommendation>>
  }
  /** @beta */
  readonly matchingPolicies: {
    /** SPEC 4.7. */
    assign(policyUuid: string, request: AssignPolicy, options?: CallOptions): Promise<void>
    /** SPEC 4.8. */
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
    /** SPEC 4.9. All at once: this listing has no pages. */
    ofIdentifier(identifierId: number, options?: CallOptions): Promise<ReadonlyArray<AssignedPolicy>>
    /** SPEC 4.10. Its assignments go with it. */
    delete(policyUuid: string, options?: CallOptions): Promise<void>
  }
  readonly reports: {
    /** SPEC 4.6. */
    create(request: NewReport, options?: CallOptions): Promise<void>
  }
  readonly tenants: {
    /** SPEC 4.12. */
    addUsers(tenantId: number, request: AddUsers, options?: CallOptions): Promise<void>
  }
  readonly intel: {
    /** SPEC 4.13. */
    ask(request: IntelQuestion, options?: CallOptions): Promise<IntelRequest>
  }
  /** As last heard, from any call. */
  quota(): Quota
}
