import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { requireKey } from "../requests/StoreUnavailable.ts"
import { assetContext } from "../matching/IdentifierPercolator.ts"
import { Database } from "../sqlite/Database.ts"
import { fullTextQuery } from "../sqlite/FullTextQuery.ts"
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
    const { changes: count } = connection.run(
      `INSERT INTO identifier_events (identifier_id, event_id, matched_at)
       SELECT ?, rowid, ? FROM event_index WHERE event_index MATCH ?`,
      id,
      asset.created_at,
      fullTextQuery(vault, expression)
    )
    return { id, count }
  }
)

export const identifierProcedures = [insertIdentifier]
