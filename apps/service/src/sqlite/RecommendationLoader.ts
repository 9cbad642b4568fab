import type { Recommendation } from "@threat-exposure/core/domain/Recommendation"
import type { Prepared } from "../load/LoadTarget.ts"
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
      let written: Array<Prepared<ReadonlyArray<Recommendation>>> = []
      return {
        counts: () => ({ added: written.reduce((sum, { count }) => sum + count, 0), replaced: 0, unchanged: 0 }),
        write: (prepared) => Effect.sync(() => void written.push(prepared)),
        flush: Effect.void,
        publish: Effect.map(
          runAtOnce(connection, file, () => {
            for (const { batch, keyId } of written) {
              requireKey({ vault }, keyId)
              insertRecommendations(connection, tenantId, batch)
            }
          }),
          () => {
            written = []
            return Effect.void
          }
        )
      }
    })
})
