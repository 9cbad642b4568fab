/** Deletes credentials with everything that they are found by. */
import * as Schema from "effect/Schema"
import { CredentialQuery } from "@threat-exposure/core/domain/Credential"
import { query } from "../sqlite/Connection.ts"
import { procedure } from "../sqlite/Procedure.ts"
import { hashContext } from "./CredentialInserts.ts"
import { termsSought } from "./CredentialTerm.ts"
import { foundByColumns, termsOfStored } from "./StoredCredential.ts"

export interface CredentialSelection {
  /** With its secret in clear: never log it. Undefined selects every credential. */
  readonly query: typeof CredentialQuery.Encoded | undefined
  /** In microseconds since 1970; later imports stay. */
  readonly importedBefore: number
}

export const selectCredentials = procedure(
  "CredentialDeletion.select",
  ({ connection, vault }, { importedBefore, query }: CredentialSelection): ReadonlyArray<number> => {
    const idsOf = (sql: string, ...parameters: ReadonlyArray<bigint | number>) =>
      connection
        .prepare(sql)
        .all(...parameters)
        .map(({ id }) => Number(id))
    if (query === undefined) return idsOf("SELECT id FROM credentials WHERE imported_at < ?", importedBefore)
    const [term, ...others] = termsSought(vault, decodeQuery(query))
    const alsoHaving = ` AND EXISTS (SELECT 1 FROM credential_terms o
      WHERE o.term = ? AND o.imported_at = t.imported_at AND o.id = t.id)`
    return idsOf(
      `SELECT t.id FROM credential_terms t WHERE t.term = ? AND t.imported_at < ?${alsoHaving.repeat(others.length)}`,
      term,
      importedBefore,
      ...others
    )
  }
)

/** How many there were. */
export const deleteCredentials = procedure(
  "CredentialDeletion.delete",
  ({ connection, vault }, ids: ReadonlyArray<number>): number => {
    const removeTerm = connection.prepare("DELETE FROM credential_terms WHERE term = ? AND imported_at = ? AND id = ?")
    let deleted = 0
    for (const id of ids) {
      const row = connection.first(storedCredential, id)
      if (row === undefined) continue
      const hash = row.sealed_hash === null ? null : vault.decrypt(row.sealed_hash, hashContext(id))
      const terms = termsOfStored(vault, row, hash)
      for (const term of terms) removeTerm.run(term, row.imported_at, id)
      deleted += connection.run("DELETE FROM credentials WHERE id = ?", id).changes
    }
    return deleted
  }
)

const decodeQuery = Schema.decodeSync(CredentialQuery)

const storedCredential = query(
  Schema.Struct({
    imported_at: Schema.Int,
    sealed_hash: Schema.NullOr(Schema.Uint8Array),
    ...foundByColumns
  }),
  "SELECT imported_at, document, sealed_hash, auth_domains, further_auth_domains FROM credentials WHERE id = ?"
)
