import { randomUUID } from "node:crypto"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { NotFound } from "@threat-exposure/core/domain/Failures"
import type { Page } from "@threat-exposure/core/domain/Page"
import {
  maxRecommendations,
  type Recommendation,
  type RecommendationAction,
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
    /** Accepting creates the identifiers that the tenant does not have. See docs/api.md#act-on-recommendations. */
    act(tenantId: number, action: RecommendationAction): Effect.Effect<void, NotFound>
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
          { from, query, size = maxRecommendations, status, types }
        ) {
          const listing = ["recommendations", tenantId, status ?? null, types?.toSorted() ?? null, query ?? null]
          const opened = yield* idCursors.open(current.vault, listing, from)
          let [after] = opened.after ?? []
          const items: Array<Recommendation> = []
          const pageSize = query === undefined ? size + 1 : Math.max(size + 1, searchedAtOnce)
          for (;;) {
            const read = yield* store.page({ tenantId, status, types, after, size: pageSize })
            items.push(...read.filter(({ data }) => query === undefined || containsText(data, query)))
            after = read.at(-1)?.id
            if (read.length < pageSize || items.length > size) break
          }
          return opened.page(items, size, ({ id }) => [id])
        }),

        act: Effect.fn("Recommendations.act")(function* (tenantId, { action, targets }) {
          const ids = [...new Set(targets.map(({ id }) => id))]
          const decidedAt = DateTime.formatIso(yield* DateTime.now)
          if (action.type === "reject") return yield* store.reject({ tenantId, ids, decidedAt })
          const uuids = yield* Effect.sync(() => ids.map(() => randomUUID()))
          yield* store.accept({ tenantId, ids, uuids, decidedAt })
        })
      })
    })
  )
}

/** Rows that a search for a text reads at once. */
const searchedAtOnce = 1_000

/** In any case, in any value but the type. */
const containsText = ({ type: _type, ...values }: Recommendation["data"], text: string): boolean => {
  const wanted = text.toLowerCase()
  return Object.values(values).some((value) => String(value).toLowerCase().includes(wanted))
}

const idCursors = cursors(Schema.Tuple([Schema.Int]))

/** Where recommendations are stored. Each engine has a layer of it. */
export class RecommendationStore extends Context.Service<
  RecommendationStore,
  {
    /** By id. */
    page(listing: RecommendationListing): Effect.Effect<ReadonlyArray<Recommendation>>
    /** All of them or none: names those that do not exist. */
    reject(decided: DecidedRecommendations): Effect.Effect<void, NotFound>
    /** With an identifier for each whose data none of the tenant's identifiers has. */
    accept(decided: AcceptedRecommendations): Effect.Effect<void, NotFound>
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

export interface DecidedRecommendations {
  readonly tenantId: number
  readonly ids: ReadonlyArray<number>
  /** ISO 8601. */
  readonly decidedAt: string
}

export interface AcceptedRecommendations extends DecidedRecommendations {
  /** One for the identifier of each recommendation. */
  readonly uuids: ReadonlyArray<string>
}
