/** Leaked credentials. See docs/api.md#search-credentials. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { credentials as endpoints } from "../api/Endpoints.ts"
import { type Credential, CredentialPage, type CredentialSearch, defaultSize } from "../domain/Credential.ts"
import type { Page } from "../domain/Page.ts"
import type { ApiError } from "../transport/ApiError.ts"
import { itemsOf, listing, pagesOf } from "../transport/Listing.ts"
import { operation } from "../transport/Operation.ts"
import type { RequestInput } from "../transport/RequestEncoder.ts"
import type { Transport } from "../transport/Transport.ts"
import { makePageSize } from "../transport/PageSize.ts"
import { ApiClient } from "./ApiClient.ts"

/**
 * Searches the whole data set. Costs search quota.
 *
 * If the service cannot serve a page in time, the listing asks for a page of half the size and continues with that size.
 */
export class Credentials extends Context.Service<
  Credentials,
  {
    /** Every match, by `imported_at`. Do not wrap it in `Stream.retry`, which restarts at the first page; each page is retried. */
    readonly search: (request: RequestInput<CredentialSearch>) => Stream.Stream<Credential, ApiError>
    /** The same, page by page, for callers who stop and resume with `from`. */
    readonly pages: (request: RequestInput<CredentialSearch>) => Stream.Stream<Page<Credential>, ApiError>
  }
>()("@threat-exposure/core/client/Credentials") {
  static readonly layer = Layer.effect(
    Credentials,
    Effect.map(ApiClient, ({ transport }) => Credentials.of(searches(transport, CredentialPage)))
  )
}

/** Both listings; `schema` decodes their pages. */
export const searches = <A>(transport: Transport, success: Schema.Codec<Page<A>, unknown>) => {
  const search = operation({ ...endpoints.search, success })
  const found = (request: RequestInput<CredentialSearch>) =>
    Effect.sync(() => {
      // A JavaScript program may omit the request: report it as invalid, not as a type error.
      const given = { ...request }
      return listing(transport, search, given, (payload) => ({ payload }), makePageSize(given.size ?? defaultSize))
    })
  return {
    search: (request: RequestInput<CredentialSearch>) => itemsOf(found(request)),
    pages: (request: RequestInput<CredentialSearch>) => pagesOf(found(request))
  }
}
