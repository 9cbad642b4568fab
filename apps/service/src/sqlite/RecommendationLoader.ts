/** How `recommendations load` stores recommendations. */
import type { Recommendation } from "@threat-exposure/core/domain/Recommendation"
import type { RecordChunk } from "../load/RecordChunks.ts"
import { prepareRecommendationsOf, recommendationColumns } from "../recommendations/RecommendationReader.ts"
import { procedure } from "./database/Procedure.ts"
import type { RecordLoader } from "./RecordLoader.ts"
import { insertRecommendations } from "./RecommendationStoreSqlite.ts"

export const prepareRecommendations = procedure("recommendations.prepare", ({ vault }, chunk: RecordChunk) =>
  prepareRecommendationsOf(vault, chunk)
)

export const recommendationLoader = (tenantId: number): RecordLoader<ReadonlyArray<Recommendation>> => ({
  csvColumns: recommendationColumns,
  prepare: prepareRecommendations,
  publishedTogether: 10_000,
  store: {
    dataSet: undefined,
    writer: ({ connection }) => {
      const counts = { added: 0, replaced: 0, unchanged: 0 }
      return {
        counts,
        *write(recommendations) {
          yield
          insertRecommendations(connection, tenantId, recommendations)
          counts.added += recommendations.length
        },
        *flush() {
          yield
        }
      }
    }
  }
})
