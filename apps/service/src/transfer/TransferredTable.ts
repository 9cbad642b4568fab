/** How the rows of a table become documents of an index. */
import * as Schema from "effect/Schema"
import type { Vault } from "../crypto/Vault.ts"
import type { IndexDefinition, IndexShape } from "../opensearch/cluster/IndexDefinition.ts"
import type { Connection } from "../sqlite/database/Connection.ts"

export interface TransferredTable {
  readonly index: IndexShape
  /** Whether a document with the same `digest` is the same: it is not written again. */
  readonly hasDigests: boolean
  count(connection: Connection): number
  /** Within a transaction that stays open until the last one was taken. */
  documents(connection: Connection, vault: Vault): Iterable<TransferredDocument>
}

export interface TransferredDocument {
  readonly id: string
  readonly document: object
  /** The fields that are encrypted, in base64, with what each is bound to. */
  readonly encrypted: Readonly<Record<string, string>>
}

export const transferredTable = <Row, Document extends object>({
  columns,
  from,
  hasDigests = false,
  index,
  row,
  toDocument
}: {
  readonly index: IndexDefinition<Document>
  readonly row: Schema.Decoder<Row>
  /** As in `SELECT columns FROM from`. */
  readonly columns: string
  readonly from: string
  readonly hasDigests?: boolean
  readonly toDocument: (
    row: Row,
    vault: Vault
  ) => {
    readonly id: string
    readonly document: Document
    readonly encrypted?: Readonly<Record<string, string>>
  }
}): TransferredTable => {
  const decodeRow = Schema.decodeUnknownSync(row)
  return {
    index,
    hasDigests,
    count: (connection) => Number(connection.prepare(`SELECT count(*) AS rows FROM ${from}`).get()?.["rows"]),
    *documents(connection, vault) {
      for (const found of connection.prepare(`SELECT ${columns} FROM ${from}`).iterate()) {
        yield { encrypted: {}, ...toDocument(decodeRow(found), vault) }
      }
    }
  }
}
