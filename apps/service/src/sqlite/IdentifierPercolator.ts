/** A percolator of the stored identifiers and policies of all tenants. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Expression } from "../search/Expression.ts"
import { Percolator } from "../search/Percolator.ts"
import { column, type Connection, query } from "./database/Connection.ts"
import { cachePerConnection } from "./database/ConnectionCache.ts"
import { columnOfTenant } from "./database/KeyedTable.ts"
import type { OpenDatabase } from "./database/Procedure.ts"
import type { Vault } from "../crypto/Vault.ts"
import { assetContext, IdentifierCriteria, narrowExpression, PolicyRule } from "../matching/IdentifierExpression.ts"
import { decryptForTenant } from "../requests/TenantText.ts"
import { jsonColumn, jsonDecoder } from "../requests/JsonText.ts"

/** Call it before a transaction that writes events: the first call reads everything, three seconds for 100,000. */
export const learnIdentifiers = (database: OpenDatabase): void => {
  database.connection.snapshot(() => currentPercolator(database))
}

export const expressionOfStored = (
  { connection, vault }: OpenDatabase,
  id: number,
  criteria: IdentifierCriteria,
  rules = rulesOf(connection, id)
): Expression => narrowExpression(vault, criteria, rules, () => connection.foreign.note("identifiers", [String(id)]))

export const rulesOf = (connection: Connection, id: number): ReadonlyArray<PolicyRule> =>
  connection.all(policiesOfIdentifier, id)

/** Records that the matches of the identifier have changed, so that every percolator reads it again. */
export const noteChange = (connection: Connection, id: number): void => {
  connection.run("UPDATE matching_revision SET revision = revision + 1")
  connection.run(
    `INSERT INTO identifier_changes SELECT ?, revision FROM matching_revision WHERE true
     ON CONFLICT (identifier_id) DO UPDATE SET revision = excluded.revision`,
    id
  )
}

/** The columns that decrypt an identifier. */
export const IdentifierRow = Schema.Struct({ id: Schema.Int, tenant_id: Schema.Int, asset: Schema.Uint8Array })
export interface IdentifierRow extends Schema.Schema.Type<typeof IdentifierRow> {}

export const criteriaOf = (vault: Vault, row: IdentifierRow): IdentifierCriteria =>
  decodeCriteria(assetText(vault, row))

export const assetText = (vault: Vault, { asset, id, tenant_id }: IdentifierRow): string =>
  decryptForTenant(vault, tenant_id, asset, assetContext(id))

export const keyedIdentifiers = columnOfTenant({
  name: "identifiers",
  key: { column: "id", type: "INTEGER" },
  column: "asset",
  context: (id) => assetContext(Number(id))
})

const decodeCriteria = jsonDecoder(IdentifierCriteria)

/** The percolator of the identifiers of every tenant. Call it in a transaction; see {@link learnIdentifiers}. */
export const currentPercolator = (database: OpenDatabase): Percolator => {
  const { connection, vault } = database
  const known = knownPercolator(database)
  const { percolator, revision: since } = known
  const revision = connection.first(currentRevision) ?? 0
  if (revision === since) return percolator
  const policies = Map.groupBy(connection.all(changedPolicies, since), ({ identifier_id }) => identifier_id)
  connection.own(changedIdentifiers, [since], ({ asset, id, tenant_id }) => {
    percolator.remove(id)
    if (asset === null || tenant_id === null) return
    const ownPolicies = policies.get(id) ?? []
    // Reports the rule that this program did not write: without the rule, the identifier would match more events.
    const rules = ownPolicies.some(({ rule }) => rule === undefined)
      ? rulesOf(connection, id)
      : ownPolicies.flatMap(({ rule }) => rule ?? [])
    percolator.add(id, expressionOfStored(database, id, criteriaOf(vault, { id, tenant_id, asset }), rules))
  })
  known.revision = revision
  return percolator
}

const knownPercolator = cachePerConnection(() => ({ percolator: new Percolator(), revision: -1 }))

/** A number that increases with each change of what any identifier matches. */
export const currentRevision = column(Schema.Int, "SELECT revision FROM matching_revision")

const changedIdentifiers = query(
  Schema.Struct({ id: Schema.Int, tenant_id: Schema.NullOr(Schema.Int), asset: Schema.NullOr(Schema.Uint8Array) }),
  `SELECT c.identifier_id AS id, i.tenant_id, i.asset
   FROM identifier_changes c
   LEFT JOIN identifiers i ON i.id = c.identifier_id AND i.is_disabled = 0 AND i.tenant_id <> 0 WHERE c.revision > ?`
)

export const ruleColumn = "iif(json_valid(m.value), json_set(m.value, '$.type', m.policy_type), m.value) AS rule"

const changedPolicies = query(
  Schema.Struct({
    identifier_id: Schema.Int,
    rule: Schema.UndefinedOr(jsonColumn(PolicyRule)).pipe(Schema.catchDecoding(() => Effect.succeedSome(undefined)))
  }),
  `SELECT c.identifier_id, ${ruleColumn}
   FROM identifier_changes c CROSS JOIN policy_assignments p ON p.identifier_id = c.identifier_id
   JOIN matching_policies m ON m.uuid = p.policy_uuid WHERE c.revision > ?`
)

const policiesOfIdentifier = column(
  jsonColumn(PolicyRule),
  `SELECT ${ruleColumn} FROM matching_policies m WHERE m.uuid IN (
     SELECT policy_uuid FROM policy_assignments WHERE identifier_id = ?)`
)
