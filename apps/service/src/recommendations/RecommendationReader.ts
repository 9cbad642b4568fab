import { Recommendation, RecommendationStatus } from "@threat-exposure/core/domain/Recommendation"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Vault } from "../crypto/Vault.ts"
import type { Prepared } from "../load/LoadTarget.ts"
import type { RecordChunk } from "../load/RecordChunks.ts"
import { type Cells, integerOf, readRecords } from "../load/RecordReader.ts"
import { lineDecoder } from "../requests/ValidationFaults.ts"

export const prepareRecommendationsOf = (vault: Vault, chunk: RecordChunk): Prepared<ReadonlyArray<Recommendation>> => {
  const batch: Array<Recommendation> = []
  const read = (json: unknown) => Result.flatMap(decodeRequired(json), () => decode(json))
  const refused = readRecords(chunk, { read, ofCells: recommendationOfCells }, (recommendation) =>
    batch.push(recommendation)
  )
  return { batch, count: batch.length, keyId: vault.keyId, refused }
}

export const recommendationColumns = ["id", "status"]

/** Optional in an answer, but required in a stored recommendation. */
const decodeRequired = lineDecoder(Schema.Struct({ id: Schema.Int }))

/** Clients accept any status in an answer; a stored one must be a status that a search can filter by. */
const decode = lineDecoder(Schema.Struct({ ...Recommendation.fields, status: RecommendationStatus }))

/** Converts a CSV row. The column `data.fqdn` contains the field `fqdn` of `data`. */
const recommendationOfCells = (cells: Cells) => {
  const { id, ...texts } = Object.fromEntries(cells)
  const isOfData = ([column]: readonly [string, string]) => column.startsWith("data.")
  const entries = Object.entries(texts)
  return {
    ...Object.fromEntries(entries.filter((entry) => !isOfData(entry))),
    ...(id === undefined ? undefined : { id: integerOf(id) }),
    data: Object.fromEntries(entries.filter(isOfData).map(([column, cell]) => [column.slice("data.".length), cell]))
  }
}
