import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { requireKey } from "../requests/StoreUnavailable.ts"
import { assetContext } from "../matching/IdentifierPercolator.ts"
import { query } from "../sqlite/Connection.ts"
import { Database } from "../sqlite/Database.ts"
import { fullTextQuery } from "../sqlite/FullTextQuery.ts"
import { isPublished } from "../sqlite/Generations.ts"
import { procedure } from "../sqlite/Procedure.ts"
import { IdentifierStore, type StoredIdentifier } from "./Identifiers.ts"

export const IdentifierStoreSqlite = Layer.effect(
  IdentifierStore,
  Effect.map(Database, ({ write }) =>
    IdentifierStore.of({ insert: (identifier) => write(insertIdentifier, identifier) })
  )
)

export const insertIdentifier = procedure(
  "IdentifierStore.insert",
  (database, { asset, expression, keyId, tenantId }: StoredIdentifier) => {
    requireKey(database, keyId)
    const { connection, vault } = database
    // What is encrypted is bound to the id, which the insert gives.
    const { id } = connection.run("INSERT INTO identifiers (tenant_id, asset) VALUES (?, x'')", tenantId)
    connection.run(
      "UPDATE identifiers SET asset = ? WHERE id = ?",
      vault.encrypt(JSON.stringify(asset), assetContext(id)),
      id
    )
    // Events that a load has not published yet are matched too: they become visible without another match.
    connection.run(
      `INSERT INTO identifier_events (identifier_id, event_id, matched_at)
       SELECT ?, rowid, ? FROM event_index WHERE event_index MATCH ?`,
      id,
      asset.created_at,
      fullTextQuery(vault, expression)
    )
    return { id, count: connection.first(matchesOf, id)?.count ?? 0 }
  }
)

const matchesOf = query(
  Schema.Struct({ count: Schema.Int }),
  `SELECT count(*) AS count FROM identifier_events m CROSS JOIN events e ON e.id = m.event_id
   WHERE m.identifier_id = ? AND ${isPublished("e", "events")}`
)

export const identifierProcedures = [insertIdentifier]
