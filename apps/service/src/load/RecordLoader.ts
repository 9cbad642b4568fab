/** What `load` must know of a kind of record. */
import type { OpenDatabase, Procedure } from "../sqlite/Procedure.ts"
import type { RecordChunk } from "./RecordChunks.ts"
import type { RefusedRecord } from "./RecordReader.ts"

export interface RecordLoader<Batch> {
  /** As in `1 credential`, `2 credentials`. */
  readonly name: { readonly one: string; readonly many: string }
  /** The columns that tell a CSV file of these records. Absent where CSV is not accepted. */
  readonly csvColumns?: ReadonlyArray<string>
  /** Reads records, and does all that needs no database: it runs in several threads at once. */
  readonly prepare: Procedure<RecordChunk, Prepared<Batch>>
  /** How many records may wait in memory to be stored together; each chunk is stored by itself where it is 0. */
  readonly atOnce: number
  /** Before the first transaction: reads what `insert` needs, so that the write lock is not held for it. */
  readonly warmUp?: (database: OpenDatabase) => void
  /** Within a transaction. How many were new: one that is there already is left as it is. */
  readonly insert: (database: OpenDatabase, batches: ReadonlyArray<Batch>, now: string) => number
}

export interface Prepared<Batch> {
  readonly batch: Batch
  /** Of the vault that it was prepared with. */
  readonly keyId: number
  readonly count: number
  readonly refused: ReadonlyArray<RefusedRecord>
}
