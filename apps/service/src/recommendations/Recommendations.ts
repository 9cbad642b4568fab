import { randomUUID } from "node:crypto"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { NotFound } from "@threat-exposure/core/domain/Failures"
import {
  maxRecommendations,
  type Recommendation,
  type RecommendationPage,
  type RecommendationStatus,
  type RecommendationType
} from "@threat-exposure/core/domain/Recommendation"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import { cursors } from "../crypto/Cursor.ts"
import { answerEncoded, type OperationHandlers } from "../requests/OperationHandlers.ts"

/** Identifiers that a tenant may want to create. */
export const recommendationHandlers = Effect.gen(function* () {
  const store = yield* RecommendationStore
  const current = yield* CurrentVault
  return {
    list: Effect.fn("Recommendations.list")(function* (
      { query: { from, query, size = maxRecommendations, status, types } },
      { tenantId }
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
      // The items are sent as they were stored: encoding an item takes six times as long as writing it.
      const page: typeof RecommendationPage.Encoded = opened.page(items, size, ({ id }) => [id])
      return answerEncoded(page)
    }),

    act: Effect.fn("Recommendations.act")(function* ({ payload: { action, targets } }, { tenantId }) {
      const ids = [...new Set(targets.map(({ id }) => id))]
      const decidedAt = DateTime.formatIso(yield* DateTime.now)
      if (action.type === "reject") return yield* store.reject({ tenantId, ids, decidedAt })
      const uuids = yield* Effect.sync(() => ids.map(() => randomUUID()))
      yield* store.accept({ tenantId, ids, uuids, decidedAt })
    })
  } satisfies OperationHandlers["recommendations"]
})

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
