/** The full-text index also contains keyed digests of secrets. */
import * as Schema from "effect/Schema"
import { type KeyedTable, nextIndex } from "../database/KeyedTable.ts"
import { decryptEvent } from "./BroadPrefixes.ts"
import { prepareEvent } from "../../events/PreparedEvent.ts"
import { insertInto } from "./EventLoader.ts"

export const keyedEvents: KeyedTable = {
  name: "events",
  key: { column: "id", type: "INTEGER" },
  columns: ["uid", "document"],
  indexes: ["event_index"],
  reencrypt: (vault, rows) => {
    const reencrypted = decodeRows(rows).map(({ document, key, uid }) => ({
      key,
      event: prepareEvent(vault, decryptEvent(vault, { document, uid }))
    }))
    return {
      store: (connection) => {
        for (const { event, key } of reencrypted) {
          connection.run(
            "UPDATE events SET document = ?, digest = ?, analysis = ? WHERE id = ?",
            event.encrypted,
            event.digest,
            event.analysis,
            key
          )
          connection.run(insertInto(nextIndex("event_index")), key, ...event.words, event.tokens)
        }
      },
      unindex: (connection) => {
        for (const { key } of reencrypted)
          connection.run(`DELETE FROM ${nextIndex("event_index")} WHERE rowid = ?`, key)
      }
    }
  }
}

const decodeRows = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ key: Schema.BigIntFromString, uid: Schema.String, document: Schema.Uint8Array }))
)
