import * as Effect from "effect/Effect"
import { flow, identity } from "effect/Function"
import * as Schema from "effect/Schema"
import type { Recommendation, RecommendationStatus } from "@threat-exposure/core/domain/Recommendation"
import { assetOfRecommendation } from "../identifiers/Asset.ts"
import { hasIdentifierLike } from "./IdentifierPages.ts"
import { beginCreation, matchNext } from "./IdentifierStoreSqlite.ts"
import { complete } from "./UnfinishedWork.ts"
import { type Connection, type Query, select } from "./database/Connection.ts"
import { procedure } from "./database/Procedure.ts"
import { storeLayer } from "./database/StoreMethods.ts"
import {
  type DecidedRecommendations,
  type RecommendationListing,
  RecommendationStore
} from "../recommendations/Recommendations.ts"
import { jsonColumn, jsonDecoder } from "../requests/JsonText.ts"
import { requireNoneMissing } from "../requests/NotFound.ts"

export const RecommendationStoreSqlite = storeLayer(RecommendationStore)(({ write }, calls) => ({
  reject: flow(
    write("reject", ({ connection }, { decidedAt, ids, tenantId }) => {
      const missing = ids.filter((id) => connection.first(dataOf, tenantId, id) === undefined)
      if (missing.length === 0) setStatus(connection, "rejected", { decidedAt, ids, tenantId })
      return missing
    }),
    Effect.flatMap(requireNoneMissing)
  ),
  accept: flow(
    write("accept", (database, { decidedAt, ids, tenantId, uuids }) => {
      const { connection } = database
      const accepted = ids.map((id, at) => ({ id, uuid: uuids[at] ?? "", row: connection.first(dataOf, tenantId, id) }))
      const missing = accepted.flatMap(({ id, row }) => (row === undefined ? [id] : []))
      if (missing.length > 0) return { created: [], missing }
      setStatus(connection, "accepted", { decidedAt, ids, tenantId })
      const created = accepted.flatMap(({ row, uuid }) => {
        const asset = assetOfRecommendation(row?.data ?? {}, uuid, decidedAt)
        if (asset === undefined || hasIdentifierLike(database, tenantId, asset)) return []
        return beginCreation.run(database, { tenantId, asset })
      })
      return { created, missing }
    }),
    Effect.flatMap(({ created, missing }) =>
      Effect.andThen(
        requireNoneMissing(missing),
        Effect.forEach(created, (id) => complete(calls.write, matchNext, id), { discard: true })
      )
    )
  ),
  page: (listing) => {
    const { size, status, types } = listing
    // With a filter, a page may skip any number of rows.
    const isQuick = size <= maxQuickSize && status === undefined && types === undefined
    return isQuick ? calls.lookUp((database) => page.run(database, listing)) : calls.read(page, listing)
  }
}))

/** Reading as many rows on the caller's thread takes less than a thread takes to wake up. */
const maxQuickSize = 101

const page = procedure(
  "RecommendationStore.page",
  ({ connection }, { after, size, status, tenantId, types }: RecommendationListing): ReadonlyArray<Recommendation> => {
    const typesAsked = types === undefined ? null : JSON.stringify(types)
    const parameters = [tenantId, after ?? Number.MIN_SAFE_INTEGER, status ?? null, typesAsked, typesAsked]
    return connection.own(recommendationsAfter, parameters, identity, size)
  }
)

const Data = Schema.Record(Schema.String, Schema.Unknown)

const decodeValues = jsonDecoder(Schema.Array(Data))

const setStatus = (
  connection: Connection,
  status: RecommendationStatus,
  { decidedAt, ids, tenantId }: DecidedRecommendations
): void => {
  connection.run(
    `UPDATE recommendations SET status = ?, updated_at = ?
     WHERE tenant_id = ? AND id IN (SELECT value FROM json_each(?)) AND status <> ?`,
    status,
    decidedAt,
    tenantId,
    JSON.stringify(ids),
    status
  )
}

const dataOf = select(
  Schema.Struct({ id: Schema.Int, data: jsonColumn(Data) }),
  "FROM recommendations WHERE tenant_id = ? AND id = ?"
)

export const insertRecommendations = (
  connection: Connection,
  tenantId: number,
  recommendations: ReadonlyArray<Recommendation>
): void => {
  for (const { data, id, relevancy, status, updated_at } of recommendations) {
    const type = typeof data.type === "string" ? data.type : null
    const row = { tenant_id: tenantId, id, type, data: JSON.stringify(data), status, updated_at, relevancy }
    connection.replace("recommendations", row)
  }
}

const storedRecommendations = select(
  Schema.Struct({
    id: Schema.Int,
    data: Schema.String,
    status: Schema.String,
    updated_at: Schema.NullOr(Schema.String),
    relevancy: Schema.NullOr(Schema.String)
  }),
  `FROM recommendations
   WHERE tenant_id = ? AND id > ? AND status = coalesce(?, status)
     AND (? IS NULL OR type IN (SELECT value FROM json_each(?)))
   ORDER BY id LIMIT ? + 0`
)

const recommendationsAfter: Query<Recommendation> = {
  sql: storedRecommendations.sql,
  decode: (given) => {
    const rows = storedRecommendations.decode(given)
    // Decoding all values as one string takes a quarter of the time of decoding each value alone.
    const values = decodeValues(`[${rows.map(({ data }) => data).join()}]`)
    if (values.length !== rows.length) throw new SyntaxError("A stored text is more than one value")
    return rows.map((row, at) => Object.assign({}, row, { data: values[at] ?? {} }))
  }
}
