/** Identifiers that the service suggests to monitor. See docs/api.md#list-recommendations. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import { recommendations as endpoints } from "../api/Endpoints.ts"
import type { Page } from "../domain/Page.ts"
import type { Recommendation, RecommendationList } from "../domain/Recommendation.ts"
import type { ApiError } from "../transport/ApiError.ts"
import { itemsOf, listing, pagesOf } from "../transport/Listing.ts"
import { operation } from "../transport/Operation.ts"
import type { ListRequestInput } from "../transport/RequestEncoder.ts"
import { ApiClient } from "./ApiClient.ts"

const list = operation(endpoints.list)

/** What the service suggests to monitor. See docs/api.md#list-recommendations. */
export class Recommendations extends Context.Service<
  Recommendations,
  {
    /** In the service's order. Do not wrap it in `Stream.retry`, which restarts at the first page; each page is retried. */
    readonly list: (request?: ListRequestInput<RecommendationList>) => Stream.Stream<Recommendation, ApiError>
    /** The same, page by page, for callers who stop and resume with `from`. */
    readonly pages: (request?: ListRequestInput<RecommendationList>) => Stream.Stream<Page<Recommendation>, ApiError>
  }
>()("@threat-exposure/core/client/Recommendations") {
  static readonly layer = Layer.effect(
    Recommendations,
    Effect.map(ApiClient, ({ transport }) => {
      const listed = (request?: ListRequestInput<RecommendationList>) =>
        Effect.sync(() => listing(transport, list, request ?? {}, (query) => ({ query })))
      return Recommendations.of({
        list: (request) => itemsOf(listed(request)),
        pages: (request) => pagesOf(listed(request))
      })
    })
  )
}
