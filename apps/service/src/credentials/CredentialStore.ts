import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CredentialInclude } from "@threat-exposure/core/domain/Credential"
import type { NotFound } from "@threat-exposure/core/domain/Failures"
import type { Order } from "@threat-exposure/core/domain/Page"
import type { TriageAction } from "@threat-exposure/core/domain/Triage"
import type { TriageState } from "../matching/TriageState.ts"
import { jsonDecoder } from "../requests/JsonText.ts"

export class CredentialStore extends Context.Service<
  CredentialStore,
  {
    /** By time, newest first unless `order` is `asc`, and for equal times by id in the same direction. */
    page(listing: CredentialListing): Effect.Effect<CredentialPage>
    /** Undefined if the page is small enough to be read at once. */
    segments(listing: CredentialListing): PageSegments | undefined
    /** Each credential that an enabled identifier of the tenant matches, once, in the order of `page`. */
    pageOfTenant(listing: TenantCredentialListing): Effect.Effect<CredentialPage>
    /** Changes all of the credentials or none. Fails with the hashes that no credential has. */
    act(change: CredentialStateChange): Effect.Effect<void, NotFound>
  }
>()("@threat-exposure/service/credentials/CredentialStore") {}

export interface CredentialListing {
  /** The searching tenant; searches of the same tenant wait for each other. */
  readonly tenantId: number
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
  /** The sort key of the last item of the previous page; undefined for the first page. */
  readonly after: CredentialSortKey | undefined
}

export interface TenantCredentialListing extends Pick<CredentialListing, "after" | "keyId" | "order" | "size"> {
  readonly tenantId: number
}

export interface CredentialStateChange {
  readonly tenantId: number
  /** Distinct hashes. */
  readonly hashes: ReadonlyArray<string>
  readonly action: TriageAction
  /** ISO 8601. */
  readonly now: string
}

export interface CredentialSortKey {
  /** Microseconds since 1970. */
  readonly importedAt: number
  readonly id: number
}

/** Parts of a large page, so that it is sent while it is read. */
export interface PageSegments {
  readonly size: number
  /** The number of credentials of the page, plus one if there is a next page. */
  readonly count: Effect.Effect<number>
}

/** A page as JSON: creating an object per item would dominate the cost of a page of 10,000. */
export interface CredentialPage {
  /** JSON values separated by commas. */
  readonly items: string | Uint8Array
  readonly count: number
  /** The sort key of the last item; undefined if there is no next page. */
  readonly last: CredentialSortKey | undefined
}

/** `stateOf` is undefined if the tenant has no states: most items then stay unchanged. */
export const itemWithState = (
  json: string,
  stateOf: ((credentialHash: string) => TriageState | undefined) | undefined
): string => {
  if (stateOf === undefined && !json.includes('"ignored_at"') && !json.includes('"remediated_at"')) return json
  const { ignored_at: _ignored, remediated_at: _remediated, ...item } = decodeItem(json)
  const { credential_hash: hash } = item
  const state = typeof hash === "string" ? stateOf?.(hash) : undefined
  return JSON.stringify({
    ...item,
    ...(state?.remediated_at == null ? undefined : { remediated_at: state.remediated_at }),
    ...(state?.ignored_at == null ? undefined : { ignored_at: state.ignored_at })
  })
}

const decodeItem = jsonDecoder(Schema.Record(Schema.String, Schema.Unknown))
