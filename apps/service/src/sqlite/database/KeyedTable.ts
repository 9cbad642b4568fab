/** A table whose data is encrypted or indexed with the vault's key, as a key rotation handles it. */
import * as Schema from "effect/Schema"
import type { Vault } from "../../crypto/Vault.ts"
import { withTenant } from "../../requests/TenantText.ts"
import { type Connection, query } from "./Connection.ts"
import type { OpenDatabase } from "./Procedure.ts"

export interface KeyedTable {
  readonly name: string
  /** The primary key. `columns` are those from which `reencrypt` computes the new values. */
  readonly key: { readonly column: string; readonly type: "INTEGER" | "TEXT" }
  readonly columns: ReadonlyArray<string>
  /** Indexes that use the key: new ones are built beside them, with the names of `nextIndex`, and replace them. */
  readonly indexes: ReadonlyArray<string>
  /** Runs in the transaction that replaces the indexes. */
  indexesReplaced?(connection: Connection): void
  /** Adds what the rows of a database of an earlier format lack. */
  upgradeRows?(database: OpenDatabase, format: number): void
  /** Needs no database, so it runs without the write lock. Each row has the primary key as a string in `key`. */
  reencrypt(vault: Vault, rows: ReadonlyArray<unknown>): ReencryptedRows
}

export interface ReencryptedRows {
  store(connection: Connection): void
  /** Removes the rows from the new indexes. Ignores rows that are not in them. */
  unindex(connection: Connection): void
}

export const nextIndex = (index: string): string => `${index}_next`

interface EncryptedColumn {
  readonly name: string
  readonly key: KeyedTable["key"]
  readonly column: string
  readonly context: (key: string) => string
}

/** An encrypted column of JSON that names its tenant: see `TenantText.ts`. In an earlier format, it need not. */
export const columnOfTenant = (given: EncryptedColumn): KeyedTable => {
  const { column, context, key, name } = given
  const rows = query(
    Schema.Struct({ key: Schema.String, tenantId: Schema.Int, value: Schema.Uint8Array }),
    `SELECT CAST(${key.column} AS TEXT) AS key, tenant_id AS tenantId, ${column} AS value FROM ${name} WHERE tenant_id <> 0`
  )
  return {
    ...encryptedColumn(given),
    upgradeRows: ({ connection, vault }) => {
      connection.own(rows, [], ({ key: id, tenantId, value }) => {
        const text = withTenant(tenantId, vault.decrypt(value, context(id)))
        connection.run(updateOf(given), vault.encrypt(text, context(id)), id)
      })
    }
  }
}

/** A table with a single encrypted column, which may be null, and no index that uses the key. */
export const encryptedColumn = (given: EncryptedColumn): KeyedTable => {
  const { column, context, key, name } = given
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
          for (const row of reencrypted) connection.run(updateOf(given), row.value, row.key)
        },
        unindex: () => {}
      }
    }
  }
}

const updateOf = ({ column, key, name }: EncryptedColumn): string =>
  `UPDATE ${name} SET ${column} = ? WHERE ${key.column} = CAST(? AS ${key.type})`
