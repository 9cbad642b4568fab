import * as Schema from "effect/Schema"
import { type Connection, query } from "../database/Connection.ts"
import { type KeyedTable, nextIndex } from "../database/KeyedTable.ts"
import type { OpenDatabase } from "../database/Procedure.ts"
import { forgetOtherRuns, tableForEntries } from "./TermRuns.ts"
import { hashContext } from "../../credentials/CredentialBatch.ts"
import { foundByColumns, hashTermOfStored, termsOfStored } from "../../credentials/StoredCredential.ts"

export const keyedCredentials: KeyedTable = {
  name: "credentials",
  key: { column: "version", type: "INTEGER" },
  columns: ["imported_at", "document", "sealed_hash", "auth_domains", "further_auth_domains"],
  indexes: ["credential_terms"],
  // The new index consists of a single run.
  indexesReplaced: forgetOtherRuns,
  upgradeRows: (database, format) => {
    if (format === 2) addHashTerms(database)
  },
  reencrypt: (vault, rows) => {
    const reencrypted = decodeRows(rows).map((row) => {
      const { imported_at, key, sealed_hash } = row
      // Both versions of a credential are bound to the same id.
      const context = hashContext(Number(key >> 1n))
      const hash = sealed_hash === null ? null : vault.decrypt(sealed_hash, context)
      return {
        key,
        hash: hash === null ? null : vault.encrypt(hash, context),
        terms: [...termsOfStored(vault, row, hash)].map((term) => [term, imported_at, key] as const)
      }
    })
    /** Sorted like the index, so that neighbours are on the same page of the file. */
    const terms = reencrypted.flatMap(({ terms }) => terms).toSorted(([a], [b]) => (a < b ? -1 : 1))
    const eachTerm = (connection: Connection, sql: string) => {
      const statement = connection.prepareWrite(sql)
      for (const term of terms) statement.run(...term)
    }
    return {
      store: (connection) => {
        const update = connection.prepareWrite("UPDATE credentials SET sealed_hash = ? WHERE version = ?")
        for (const { hash, key } of reencrypted) if (hash !== null) update.run(hash, key)
        eachTerm(connection, `INSERT OR IGNORE INTO ${nextTerms} (term, imported_at, version) VALUES (?, ?, ?)`)
      },
      unindex: (connection) =>
        eachTerm(connection, `DELETE FROM ${nextTerms} WHERE term = ? AND imported_at = ? AND version = ?`)
    }
  }
}

const nextTerms = nextIndex("credential_terms")

const addHashTerms = ({ connection, vault }: OpenDatabase): void => {
  for (let last = 0n - 2n ** 63n; ;) {
    const rows = connection.all(hashedCredentials, last)
    const entries = rows.flatMap(({ document, imported_at, version }) => {
      const term = hashTermOfStored(vault, document)
      return term === undefined ? [] : [[term, imported_at, version] as const]
    })
    // Sorted like the index, so that neighbours are on the same page of the file.
    const table = tableForEntries(connection, entries.length)
    const insert = connection.prepareWrite(`INSERT INTO ${table} (term, imported_at, version) VALUES (?, ?, ?)`)
    for (const each of entries.toSorted(([a], [b]) => (a < b ? -1 : 1))) insert.run(...each)
    const next = rows.at(-1)?.version
    if (next === undefined) return
    last = next
  }
}

/** Credentials that may have a `credential_hash`, limited to as many as are sorted at once. */
const hashedCredentials = query(
  Schema.Struct({ version: Schema.BigIntFromString, imported_at: Schema.Int, document: Schema.String }),
  `SELECT CAST(version AS TEXT) AS version, imported_at, document FROM credentials
   WHERE credentials.version > ? AND instr(document, '"credential_hash":null') = 0
   ORDER BY credentials.version LIMIT 50000`
)

const decodeRows = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      key: Schema.BigIntFromString,
      imported_at: Schema.Int,
      sealed_hash: Schema.NullOr(Schema.Uint8Array),
      ...foundByColumns
    })
  )
)
