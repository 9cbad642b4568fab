/** How a key rotation handles a table whose data is encrypted, or indexed, under the vault's key. */
import * as Schema from "effect/Schema"
import type { Vault } from "../../crypto/Vault.ts"
import type { Connection } from "./Connection.ts"
import type { OpenDatabase } from "./Procedure.ts"

export interface KeyedTable {
  readonly name: string
  /** The primary key, and the columns from which `reencrypt` makes the new values. */
  readonly key: { readonly column: string; readonly type: "INTEGER" | "TEXT" }
  readonly columns: ReadonlyArray<string>
  /**
   * Tables that index it under the key. New ones are built beside them, under the names of `nextIndex`, and replace them at
   * the end.
   */
  readonly indexes: ReadonlyArray<string>
  /** Runs in the transaction that replaces the indexes. */
  indexesReplaced?(connection: Connection): void
  /** Adds what the rows of a database of format 2 lack. */
  upgradeRows?(database: OpenDatabase): void
  /**
   * Each row has the key as text in `key`, and the columns. The vault encrypts under the new key, and decrypts under either. No
   * database is needed: it runs outside the write lock.
   */
  reencrypt(vault: Vault, rows: ReadonlyArray<unknown>): ReencryptedRows
}

export interface ReencryptedRows {
  /** Updates the rows and adds them to the next indexes. */
  store(connection: Connection): void
  /** Removes them from the next indexes. Rows that are not there are ignored. */
  unindex(connection: Connection): void
}

export const nextIndex = (index: string): string => `${index}_next`

/** A table with one encrypted column, which may be null, and no index under the key. */
export const encryptedColumn = ({
  column,
  context,
  key,
  name
}: {
  readonly name: string
  readonly key: KeyedTable["key"]
  readonly column: string
  readonly context: (key: string) => string
}): KeyedTable => {
  const decodeRows = Schema.decodeUnknownSync(
    Schema.Array(
      Schema.Struct({ key: Schema.String, value: Schema.NullOr(Schema.Uint8Array) }).pipe(
        Schema.encodeKeys({ value: column })
      )
    )
  )
  return {
    name,
    key,
    columns: [column],
    indexes: [],
    reencrypt: (vault, rows) => {
      const reencrypted = decodeRows(rows).flatMap((row) =>
        row.value === null
          ? []
          : [{ key: row.key, value: vault.encrypt(vault.decrypt(row.value, context(row.key)), context(row.key)) }]
      )
      return {
        store: (connection) => {
          for (const row of reencrypted) {
            connection.run(
              `UPDATE ${name} SET ${column} = ? WHERE ${key.column} = CAST(? AS ${key.type})`,
              row.value,
              row.key
            )
          }
        },
        unindex: () => {}
      }
    }
  }
}
