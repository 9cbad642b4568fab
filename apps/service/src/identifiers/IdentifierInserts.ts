/**
 * Creating identifiers. Fields that a deployed service fills with what it knows have these values (docs/api.md#identifier):
 *
 * | field | value |
 * | --- | --- |
 * | `type` | `keyword` where the request names none |
 * | `data` | as given; of a domain without any, `{ type: "domain", fqdn: name }` |
 * | `feed_id` | the id: every identifier is a feed of its own |
 * | `fetching_progress` | 100: it is matched against everything before the answer is given |
 * | `count` | events it matched |
 * | `urn` | `urn:threat-exposure:identifier:ID` |
 * | `v3_refs.asset_uuid` | drawn when it is created |
 * | `is_disabled` | false: nothing disables it |
 * | `source` | `USER`: nothing else creates one |
 * | `data_updated_at` | when it was created |
 */
import type { Identifier, NewIdentifier } from "@threat-exposure/core/domain/Identifier"
import * as Result from "effect/Result"
import { expressionOfIdentifier } from "../matching/IdentifierExpression.ts"
import { fullTextQuery } from "../sqlite/FullTextQuery.ts"
import { procedure } from "../sqlite/Procedure.ts"

export interface IdentifierToCreate {
  readonly tenantId: number
  /** In the wire's own words: a secret in clear. Never log it. */
  readonly asset: typeof NewIdentifier.Encoded
  readonly uuid: string
  /** ISO 8601. */
  readonly now: string
}

export type IdentifierResult =
  | { readonly _tag: "Created"; readonly asset: typeof Identifier.Encoded }
  | { readonly _tag: "QueryInvalid"; readonly position: number; readonly reason: string }

export const createIdentifierJob = procedure(
  "identifiers.create",
  ({ connection, vault }, { asset, now, tenantId, uuid }: IdentifierToCreate): IdentifierResult => {
    const { experimental_search_types = [], name, risks = [], search_types = [], type = "keyword" } = asset
    const data = asset.data ?? (type === "domain" ? { type, fqdn: name } : {})
    const created = { type, search_types, name, data, experimental_search_types, risks, uuid, created_at: now }
    const expression = expressionOfIdentifier(vault, created)
    if (Result.isFailure(expression)) {
      const { position, reason } = expression.failure
      return { _tag: "QueryInvalid", position, reason }
    }
    const { id } = connection.run(
      "INSERT INTO identifiers (tenant_id, asset) VALUES (?, ?)",
      tenantId,
      vault.seal(JSON.stringify(created))
    )
    const { changes: count } = connection.run(
      `INSERT INTO identifier_events (identifier_id, event_id, matched_at)
       SELECT ?, rowid, ? FROM event_index WHERE event_index MATCH ?`,
      id,
      now,
      fullTextQuery(vault, expression.success)
    )
    return {
      _tag: "Created",
      asset: {
        type,
        search_types,
        name,
        data,
        id,
        tenant_id: tenantId,
        feed_id: id,
        experimental_search_types,
        v3_refs: { asset_uuid: uuid },
        risks,
        fetching_progress: 100,
        count,
        urn: `urn:threat-exposure:identifier:${id}`,
        is_disabled: false,
        source: "USER",
        data_updated_at: now
      }
    }
  }
)
