/** Publishes records of tests and measurements in one transaction, which a load never does. */
import {
  type CredentialBatch,
  CredentialBatchBuilder,
  type ReadCredential
} from "@threat-exposure/service/credentials/CredentialBatch"
import type { Vault } from "@threat-exposure/service/crypto/Vault"
import { prepareEvent } from "@threat-exposure/service/events/PreparedEvent"
import type { StoredEvent } from "@threat-exposure/service/events/EventStore"
import type { WriteCounts } from "@threat-exposure/service/load/LoadTarget"
import type { RecordStore } from "@threat-exposure/service/sqlite/RecordLoader"
import { beginGeneration, publishGeneration } from "@threat-exposure/service/sqlite/database/Generations"
import { type OpenDatabase, procedure } from "@threat-exposure/service/sqlite/database/Procedure"
import { eventLoader } from "@threat-exposure/service/sqlite/events/EventLoader"

export const publishWhole = <Batch>(
  database: OpenDatabase,
  store: RecordStore<Batch>,
  batches: ReadonlyArray<Batch>,
  now: string
): Readonly<WriteCounts> => {
  const { connection } = database
  const generation = beginGeneration(connection, store.dataSet)
  const writer = store.writer(database, { generation, keep: false, now })
  for (const batch of batches) Array.from(writer.write(batch))
  Array.from(writer.flush())
  publishGeneration(connection, store.dataSet)
  Array.from(store.deleteRemoved(database))
  return writer.counts
}

/** Returns the number of events that are new or replace another version. */
export const loadEventsJob = procedure(
  "events.load",
  (database, { events, now }: { readonly events: ReadonlyArray<StoredEvent>; readonly now: string }): number => {
    const batch = events.map((event) => prepareEvent(database.vault, event))
    const { added, replaced } = publishWhole(database, eventLoader.store, [batch], now)
    return added + replaced
  }
)

export const batchOf = (vault: Vault, read: ReadonlyArray<ReadCredential>): CredentialBatch => {
  const builder = new CredentialBatchBuilder(vault)
  for (const credential of read) builder.add(credential)
  return builder.build()
}
