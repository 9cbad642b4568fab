/** The options of a client, and of a call. */
import type { SecretInput } from "./Secret.ts"

export interface ClientOptions<Secret = SecretInput> {
  /** `https:`, or `http:` to a loopback address; it may have a path. */
  readonly baseUrl: string | URL
  /** A token, or a function that returns one: called before the first request, and once more after a 401. */
  readonly token?: Secret | (() => Secret | PromiseLike<Secret>) | undefined
  /** Instead of `token`: exchanged for a token, which is renewed after 45 minutes and once after a 401. */
  readonly apiKey?: Secret | undefined
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
  /** Milliseconds before the first retry; doubled for each further one, up to 30 seconds. Default: 250. */
  readonly retryDelay?: number | undefined
  /** The client's own limits in calls per second: `search` for the two global searches, `basic` for everything else. */
  readonly rateLimits?: { readonly search?: number | undefined; readonly basic?: number | undefined } | undefined
  /**
   * Whether a global search fetches the next page while one is read. That can cost a unit of quota for a page that is not
   * used. Listings that cost no quota always read ahead; `pages` never does. Default: false.
   */
  readonly readAhead?: boolean | undefined
  /** Called once for each answer of the service. The call rejects with what it throws. */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined
  /**
   * Called for each item of a listing that cannot be decoded; the listing leaves it out and continues. Without it, the listing
   * delivers the other items of the page and then fails with an `UnexpectedResponse` that has `next`; a list that is not
   * paged fails at once. The call rejects with what it throws.
   */
  readonly onUnreadable?: ((item: UnreadableItem) => void) | undefined
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** One answer of the service, without its headers and its body. */
export interface ResponseInfo {
  /** The method that was called, such as `Credentials.search`. */
  readonly operation: string
  readonly method: string
  /** After the prefix, without the query. */
  readonly path: string
  readonly status: number
  /** From the start of the request to the end of the body. */
  readonly durationMs: number
  /** 1 for the first attempt of a call. */
  readonly attempt: number
  /** The header whose name ends in `request-id`. */
  readonly requestId: string | undefined
  /** As the last answer of any call reported it. */
  readonly searchesRemaining: number | undefined
}

/** An item of a listing that cannot be decoded. No field but its key contains a value of it. */
export interface UnreadableItem {
  /** Its index in the page or list. */
  readonly index: number
  /** The cursor of the page, null for the first page and for a list that is not paged. */
  readonly from: string | null
  /** What is wrong, and where in the item. */
  readonly faults: ReadonlyArray<string>
  /** Of an event, if it has one. */
  readonly uid?: string
  /** Of any other item, if it has one. */
  readonly id?: number
}

/** The options of one call, where they differ from the options of the client. */
export interface CallLimits {
  readonly timeout?: number | undefined
  readonly deadline?: number | undefined
  readonly retries?: number | undefined
  /** Only for a listing. */
  readonly onUnreadable?: ClientOptions["onUnreadable"]
}

/** The quota of global searches, as the service last reported it. */
export interface Quota {
  /** Undefined until the service has reported it. */
  readonly searchesRemaining: number | undefined
  /** Whether the next page costs another unit; undefined until the service has reported it. */
  readonly batchReached: boolean | undefined
}
