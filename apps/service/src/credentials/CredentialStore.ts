import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CredentialInclude } from "@threat-exposure/core/domain/Credential"
import type { Order } from "@threat-exposure/core/domain/Page"

/** Storage of credentials. Each engine has a layer of it. */
export class CredentialStore extends Context.Service<
  CredentialStore,
  {
    /** Newest first, or oldest first for `asc`; credentials of the same time by id, in the same direction. */
    page(listing: CredentialListing): Effect.Effect<CredentialPage>
    /** Undefined if the page is read at once. */
    segments(listing: CredentialListing): PageSegments | undefined
  }
>()("@threat-exposure/service/credentials/CredentialStore") {}

export interface CredentialListing {
  /** Keyed digests (`CredentialTerm.ts`), all of which a credential must have. They contain no secret. */
  readonly terms: readonly [bigint, ...ReadonlyArray<bigint>]
  /** The id of the key under which those digests were made. */
  readonly keyId: number
  /** Inclusive, in microseconds since 1970. */
  readonly since: number
  readonly until: number
  readonly order: Order
  readonly size: number
  readonly include: ReadonlyArray<CredentialInclude>
  /** The last item of the previous page. */
  readonly after: CredentialSortKey | undefined
}

export interface CredentialSortKey {
  /** Microseconds since 1970. */
  readonly importedAt: number
  readonly id: number
}

/** A large page is read in segments, each the page after the one before, so that it is sent while it is read. */
export interface PageSegments {
  /** Credentials in a segment. */
  readonly size: number
  /** How many credentials the page has; one more than its size if there is a next page. */
  readonly count: Effect.Effect<number>
}

/** A page as JSON text: creating an object per item would dominate the cost of a page of 10,000. */
export interface CredentialPage {
  /** JSON values separated by commas. */
  readonly items: string | Uint8Array
  readonly count: number
  /** The sort key of the last item, if there is a next page. */
  readonly last: CredentialSortKey | undefined
}
