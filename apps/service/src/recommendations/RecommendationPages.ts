import {
  maximumRecommendations,
  type Recommendation,
  type RecommendationList
} from "@threat-exposure/core/domain/Recommendation"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { cursors } from "../crypto/Cursor.ts"
import { type Connection, query } from "../sqlite/Connection.ts"
import { procedure } from "../sqlite/Procedure.ts"

export type RecommendationsResult =
  | { readonly _tag: "Page"; readonly items: ReadonlyArray<Recommendation>; readonly next: string | null }
  | { readonly _tag: "CursorInvalid" }

/** By id. */
export const recommendationsJob = procedure(
  "recommendations.page",
  (
    { connection, vault },
    { list, tenantId }: { readonly tenantId: number; readonly list: RecommendationList }
  ): RecommendationsResult => {
    const { from, size = maximumRecommendations, status, types } = list
    const bound = ["recommendations", tenantId, status ?? null, types === undefined ? null : types.toSorted()]
    const opened =
      from === undefined ? Result.succeed([Number.MIN_SAFE_INTEGER] as const) : idCursors.open(vault, bound, from)
    if (Result.isFailure(opened)) return { _tag: "CursorInvalid" }
    const rows = connection.all(
      recommendationsAfter,
      tenantId,
      opened.success[0],
      status ?? null,
      types === undefined ? null : JSON.stringify(types),
      size + 1
    )
    const items = rows.slice(0, size)
    const last = rows.length > size ? items.at(-1) : undefined
    return { _tag: "Page", items, next: last === undefined ? null : idCursors.seal(vault, bound, [last.id]) }
  }
)

const idCursors = cursors(Schema.Tuple([Schema.Int]))

/** One whose id the tenant has already replaces it. */
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
   WHERE tenant_id = ?1 AND id > ?2 AND (?3 IS NULL OR status = ?3)
     AND (?4 IS NULL OR type IN (SELECT value FROM json_each(?4)))
   ORDER BY id LIMIT ?5 + 0`
)
