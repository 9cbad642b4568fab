/** Recommendations as `recommendations load` reads them: each in the shape of docs/api.md#recommendation. */
import { Recommendation, RecommendationStatus } from "@threat-exposure/core/domain/Recommendation"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { LineChunk } from "../load/LineChunks.ts"
import { type Loadable, type Prepared, readLines } from "../load/Loadable.ts"
import { faultsOf, reasonOf } from "../requests/ValidationFaults.ts"
import { procedure } from "../sqlite/Procedure.ts"
import { insertRecommendations } from "./RecommendationPages.ts"

export const prepareRecommendations = procedure(
  "recommendations.prepare",
  (_room, chunk: LineChunk): Prepared<ReadonlyArray<Recommendation>> => {
    const { badLines, records } = readLines(chunk, readRecommendation)
    return { batch: records, count: records.length, badLines }
  }
)

export const recommendationLoad = (tenantId: number): Loadable<ReadonlyArray<Recommendation>> => ({
  name: "recommendations",
  prepare: prepareRecommendations,
  atOnce: 0,
  insert: ({ connection }, batches) => {
    const all = batches.flat()
    insertRecommendations(connection, tenantId, all)
    return all.length
  }
})

const readRecommendation = (json: unknown): Result.Result<Recommendation, string> =>
  Result.mapError(decode(json), ({ issue }) => reasonOf(faultsOf("body", issue, json)))

/** What an answer may say is open; what is stored is one of those that a search can ask for. */
const decode = Schema.decodeUnknownResult(Schema.Struct({ ...Recommendation.fields, status: RecommendationStatus }), {
  errors: "all"
})
