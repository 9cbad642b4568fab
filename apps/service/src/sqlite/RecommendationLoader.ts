import type { Recommendation } from "@threat-exposure/core/domain/Recommendation"
import type { RecordChunk } from "../load/RecordChunks.ts"
import { prepareRecommendationsOf, recommendationColumns } from "../recommendations/RecommendationReader.ts"
import * as Effect from "effect/Effect"
import { requireKey } from "../requests/StoreUnavailable.ts"
import { procedure } from "./database/Procedure.ts"
import { runAtOnce } from "./database/Steps.ts"
import type { RecordLoader } from "./RecordLoader.ts"
import { insertRecommendations } from "./RecommendationStoreSqlite.ts"

export const prepareRecommendations = procedure("recommendations.prepare", ({ vault }, chunk: RecordChunk) =>
  prepareRecommendationsOf(vault, chunk)
)

export const recommendationLoader = (tenantId: number): RecordLoader<ReadonlyArray<Recommendation>> => ({
  csvColumns: recommendationColumns,
  prepare: prepareRecommendations,
  publishedTogether: 10_000,
  publisher: ({ database: { connection, vault }, file }) =>
    Effect.sync(() => {
      let added = 0
      return {
        counts: () => ({ added, replaced: 0, unchanged: 0 }),
        write: ({ batch, keyId }) =>
          runAtOnce(connection, file, () => {
            requireKey({ vault }, keyId)
            insertRecommendations(connection, tenantId, batch)
            added += batch.length
          }),
        flush: Effect.void,
        // Recommendations are visible as soon as they are written.
        publish: Effect.sync(() => {
          added = 0
          return Effect.void
        })
      }
    })
})
