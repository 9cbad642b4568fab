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
    /** In the order of their ids. See docs/api.md#list-recommendations. */
    list(tenantId: number, list: RecommendationList): Effect.Effect<Page<Recommendation>, CursorInvalid>
    /**
     * Accepts or rejects recommendations. Accepting one creates its identifier if the tenant does not have it. See
     * docs/api.md#act-on-recommendations.
     */
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

/** Rows that are read at once to search for a text. */
const searchedAtOnce = 1_000

/** Whether a value other than the type contains the text, ignoring case. */
const containsText = ({ type: _type, ...values }: Recommendation["data"], text: string): boolean => {
  const wanted = text.toLowerCase()
  return Object.values(values).some((value) => String(value).toLowerCase().includes(wanted))
}

const idCursors = cursors(Schema.Tuple([Schema.Int]))

/** Stores recommendations. Each engine has a layer of it. */
export class RecommendationStore extends Context.Service<
  RecommendationStore,
  {
    /** In the order of their ids. */
    page(listing: RecommendationListing): Effect.Effect<ReadonlyArray<Recommendation>>
    /** Rejects all of them, or none. Fails with the ids that do not exist. */
    reject(decided: DecidedRecommendations): Effect.Effect<void, NotFound>
    /** Accepts all of them, or none. Creates an identifier for each whose data no identifier of the tenant has. */
    accept(decided: AcceptedRecommendations): Effect.Effect<void, NotFound>
  }
>()("@threat-exposure/service/recommendations/Recommendations/RecommendationStore") {}

export interface RecommendationListing {
  readonly tenantId: number
  readonly status: RecommendationStatus | undefined
  readonly types: ReadonlyArray<RecommendationType> | undefined
  /** The id of the last item of the previous page; undefined for the first page. */
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
  /** The uuids of the identifiers to create, one per recommendation. */
  readonly uuids: ReadonlyArray<string>
}
