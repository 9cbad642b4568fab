import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CredentialInclude } from "@threat-exposure/core/domain/Credential"
import type { Order } from "@threat-exposure/core/domain/Page"

/** Where credentials are kept. Each engine has a layer of it. */
export class CredentialStore extends Context.Service<
  CredentialStore,
  {
    /** Newest first, or oldest first where the listing says `asc`; those of the same time by id, in the same direction. */
    page(listing: CredentialListing): Effect.Effect<CredentialPage>
  }
>()("@threat-exposure/service/credentials/CredentialStore") {}

export interface CredentialListing {
  /** Keyed digests (`CredentialTerm.ts`): a credential must have them all. No secret is in them. */
  readonly terms: readonly [bigint, ...ReadonlyArray<bigint>]
  /** Inclusive, in microseconds since 1970. */
  readonly since: number
  readonly until: number
  readonly order: Order
  readonly size: number
  readonly include: ReadonlyArray<CredentialInclude>
  /** The last item of the page before. */
  readonly after: CredentialSortKey | undefined
}

export interface CredentialSortKey {
  /** Microseconds since 1970. */
  readonly importedAt: number
  readonly id: number
}

/** A page of ten thousand is not worth ten thousand objects: its items are the JSON of the answer. */
export interface CredentialPage {
  /** JSON, with commas between. */
  readonly items: string | Uint8Array
  readonly count: number
  /** The last item's, if there is a next page. */
  readonly last: CredentialSortKey | undefined
}
