import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Page } from "@threat-exposure/core/domain/Page"
import {
  maxRecommendations,
  type Recommendation,
  type RecommendationList,
  type RecommendationStatus,
  type RecommendationType
} from "@threat-exposure/core/domain/Recommendation"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import { type CursorInvalid, cursors } from "../crypto/Cursor.ts"

/** Identifiers that a tenant may want to create. */
export class Recommendations extends Context.Service<
  Recommendations,
  {
    /** By id. See docs/api.md#list-recommendations. */
    list(tenantId: number, list: RecommendationList): Effect.Effect<Page<Recommendation>, CursorInvalid>
  }
>()("@threat-exposure/service/recommendations/Recommendations") {
  static readonly layer = Layer.effect(
    Recommendations,
    Effect.gen(function* () {
      const store = yield* RecommendationStore
      const current = yield* CurrentVault
      return Recommendations.of({
        list: Effect.fn("Recommendations.list")(function* (
          tenantId,
          { from, size = maxRecommendations, status, types }
        ) {
          const listing = ["recommendations", tenantId, status ?? null, types?.toSorted() ?? null]
          const [after] =
            from === undefined ? [undefined] : yield* Effect.fromResult(idCursors.decode(current.vault, listing, from))
          const items = yield* store.page({ tenantId, status, types, after, size: size + 1 })
          const page = items.slice(0, size)
          const last = items.length > size ? page.at(-1) : undefined
          return { items: page, next: last === undefined ? null : idCursors.encode(current.vault, listing, [last.id]) }
        })
      })
    })
  )
}

const idCursors = cursors(Schema.Tuple([Schema.Int]))

/** Where recommendations are stored. Each engine has a layer of it. */
export class RecommendationStore extends Context.Service<
  RecommendationStore,
  {
    /** By id. */
    page(listing: RecommendationListing): Effect.Effect<ReadonlyArray<Recommendation>>
  }
>()("@threat-exposure/service/recommendations/Recommendations/RecommendationStore") {}

export interface RecommendationListing {
  readonly tenantId: number
  readonly status: RecommendationStatus | undefined
  readonly types: ReadonlyArray<RecommendationType> | undefined
  /** The id of the last item of the page before. */
  readonly after: number | undefined
  readonly size: number
}
