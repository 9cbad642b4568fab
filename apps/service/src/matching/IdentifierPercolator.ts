/** Which identifiers an event matches, for all tenants at once: the stored identifiers and policies in a percolator. */
import * as Schema from "effect/Schema"
import { Percolator } from "../search/Percolator.ts"
import type { Expression } from "../search/Expression.ts"
import type { Matchable } from "../search/SearchDocument.ts"
import { type Connection, query } from "../sqlite/Connection.ts"
import type { OpenDatabase } from "../sqlite/Procedure.ts"
import { IdentifierCriteria, narrowedExpression, PolicyValue } from "./IdentifierExpression.ts"

export const identifiersThatMatch = (database: OpenDatabase, event: Matchable): ReadonlyArray<number> =>
  currentPercolator(database).match(event)

/** What a stored identifier matches at present. */
export const expressionOfStored = (
  { connection, vault }: OpenDatabase,
  id: number,
  criteria: IdentifierCriteria
): Expression =>
  narrowedExpression(
    vault,
    criteria,
    connection.all(policiesOfIdentifier, id).map(({ value }) => value)
  )

/** The criteria in an identifier's unsealed `asset`. */
export const decodeCriteria = Schema.decodeSync(Schema.fromJsonString(IdentifierCriteria))

const currentPercolator = ({ connection, vault }: OpenDatabase): Percolator => {
  const revision = connection.first(currentRevision)?.revision ?? 0
  const known = percolators.get(connection)
  if (known?.revision === revision) return known.percolator
  const policies = Map.groupBy(connection.all(everyPolicy), ({ identifier_id }) => identifier_id)
  const percolator = new Percolator()
  for (const { asset, id } of connection.all(everyIdentifier)) {
    const values = (policies.get(id) ?? []).map(({ value }) => value)
    percolator.add(id, narrowedExpression(vault, decodeCriteria(vault.unseal(asset)), values))
  }
  percolators.set(connection, { revision, percolator })
  return percolator
}

const percolators = new WeakMap<Connection, { readonly revision: number; readonly percolator: Percolator }>()

const currentRevision = query(Schema.Struct({ revision: Schema.Int }), "SELECT revision FROM matching_revision")

const everyIdentifier = query(
  Schema.Struct({ id: Schema.Int, asset: Schema.Uint8Array }),
  "SELECT id, asset FROM identifiers ORDER BY id"
)

const everyPolicy = query(
  Schema.Struct({ identifier_id: Schema.Int, value: Schema.fromJsonString(PolicyValue) }),
  "SELECT identifier_id, value FROM policy_assignments JOIN matching_policies ON uuid = policy_uuid"
)

const policiesOfIdentifier = query(
  Schema.Struct({ value: Schema.fromJsonString(PolicyValue) }),
  "SELECT value FROM policy_assignments JOIN matching_policies ON uuid = policy_uuid WHERE identifier_id = ?"
)
