import * as Effect from "effect/Effect"
import { CredentialDeletion, type CredentialSelection, decodeQuery } from "../../credentials/CredentialDeletion.ts"
import { termsSought } from "../../credentials/CredentialTerm.ts"
import { inShortTransactions } from "../../load/RecordDeletion.ts"
import { isPublished } from "../database/Generations.ts"
import { type OpenDatabase, procedure } from "../database/Procedure.ts"
import { storeLayer } from "../database/StoreMethods.ts"
import { tablesToSearch } from "./TermRuns.ts"
import { deleteVersion } from "./CredentialLoader.ts"

export const CredentialDeletionSqlite = storeLayer(CredentialDeletion)(({ read }, { write }) => {
  const select = read("select", selectCredentials)
  return {
    select: (selection) =>
      Effect.map(select(selection), (ids) =>
        inShortTransactions(ids, (some) => write(deleteCredentials, { ...selection, ids: some }))
      )
  }
})

function selectCredentials(
  { connection, vault }: OpenDatabase,
  { importedBefore, query }: CredentialSelection
): ReadonlyArray<number> {
  const idsOf = (sql: string, ...parameters: ReadonlyArray<bigint | number>) =>
    connection.tuples(sql, ...parameters).map(([id]) => Number(id))
  if (query === undefined) {
    return idsOf(`SELECT c.version >> 1 FROM credentials c WHERE c.imported_at < ? AND ${published}`, importedBefore)
  }
  const [term, ...others] = termsSought(vault, decodeQuery(query))
  return tablesToSearch(connection).flatMap((table) =>
    idsOf(
      `SELECT c.version >> 1 FROM ${table} t CROSS JOIN credentials c ON c.version = t.version
         WHERE t.term = ? AND t.imported_at < ? AND ${published}${andHas([table], "t").repeat(others.length)}`,
      term,
      importedBefore,
      ...others
    )
  )
}

/** A load may have replaced credentials since they were selected. Returns the number of deleted ones. */
export const deleteCredentials = procedure(
  "CredentialDeletion.delete",
  (database, { ids, importedBefore, query }: CredentialSelection & { readonly ids: ReadonlyArray<number> }): number => {
    const { connection, vault } = database
    const terms = query === undefined ? [] : termsSought(vault, decodeQuery(query))
    const tables = tablesToSearch(connection)
    const selected = connection.prepare(
      `SELECT CAST(c.version AS TEXT) AS version FROM credentials c
       WHERE c.version IN (CAST(? AS INTEGER) * 2, CAST(? AS INTEGER) * 2 + 1) AND c.imported_at < ? AND ${published}
         ${andHas(tables, "c").repeat(terms.length)}`
    )
    let deleted = 0
    for (const id of ids) {
      const version = selected.get(id, id, importedBefore, ...terms.flatMap((term) => tables.map(() => term)))?.[
        "version"
      ]
      if (version === undefined) continue
      deleteVersion(database, BigInt(String(version)))
      deleted += 1
    }
    return deleted
  }
)

const published = isPublished("c", "credentials")

/** A condition that a row with `imported_at` and `version` has another term: one parameter per table. */
const andHas = (tables: ReadonlyArray<string>, alias: string): string =>
  ` AND (${tables
    .map(
      (table) => `EXISTS (SELECT 1 FROM ${table} o
        WHERE o.term = ? AND o.imported_at = ${alias}.imported_at AND o.version = ${alias}.version)`
    )
    .join(" OR ")})`
