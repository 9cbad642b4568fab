import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Recommendation } from "@threat-exposure/core/domain/Recommendation"
import { type Connection, query } from "./database/Connection.ts"
import { Database } from "./database/Database.ts"
import { procedure } from "./database/Procedure.ts"
import { type RecommendationListing, RecommendationStore } from "../recommendations/Recommendations.ts"

export const RecommendationStoreSqlite = Layer.effect(
  RecommendationStore,
  Effect.map(Database, ({ lookUp, read }) =>
    RecommendationStore.of({
      page: (listing) => {
        const { size, status, types } = listing
        // A filter may pass over any number of rows.
        const isQuick = size <= maxQuickSize && status === undefined && types === undefined
        return isQuick ? lookUp((database) => page.run(database, listing)) : read(page, listing)
      }
    })
  )
)

/** The largest page that is read on the caller's thread: a fraction of a millisecond, less than a thread takes to wake up. */
const maxQuickSize = 101

const page = procedure(
  "RecommendationStore.page",
  ({ connection }, { after, size, status, tenantId, types }: RecommendationListing): ReadonlyArray<Recommendation> => {
    const typesAsked = types === undefined ? null : JSON.stringify(types)
    return connection.all(
      recommendationsAfter,
      tenantId,
      after ?? Number.MIN_SAFE_INTEGER,
      status ?? null,
      status ?? null,
      typesAsked,
      typesAsked,
      size
    )
  }
)

export const recommendationProcedures = [page]

/** A recommendation replaces the tenant's one with the same id. */
export const insertRecommendations = (
  connection: Connection,
  tenantId: number,
  recommendations: ReadonlyArray<Recommendation>
): void => {
  for (const { data, id, relevancy, status, updated_at } of recommendations) {
    connection.run(
      `INSERT OR REPLACE INTO recommendations (tenant_id, id, type, data, status, updated_at, relevancy)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      tenantId,
      id,
      typeof data.type === "string" ? data.type : null,
      JSON.stringify(data),
      status,
      updated_at,
      relevancy
    )
  }
}

const recommendationsAfter = query(
  Schema.Struct({
    id: Schema.Int,
    data: Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)),
    status: Schema.String,
    updated_at: Schema.NullOr(Schema.String),
    relevancy: Schema.NullOr(Schema.String)
  }),
  `SELECT id, data, status, updated_at, relevancy FROM recommendations
   WHERE tenant_id = ? AND id > ? AND (? IS NULL OR status = ?)
     AND (? IS NULL OR type IN (SELECT value FROM json_each(?)))
   ORDER BY id LIMIT ? + 0`
)
