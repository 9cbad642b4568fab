/** What `load` must know of a kind of record. */
import type { DataSet } from "../sqlite/Generations.ts"
import type { OpenDatabase, Procedure } from "../sqlite/Procedure.ts"
import type { Steps } from "../sqlite/Steps.ts"
import type { RecordChunk } from "./RecordChunks.ts"
import type { RefusedRecord } from "./RecordReader.ts"

export interface RecordLoader<Batch> {
  /** As in `1 credential`, `2 credentials`. */
  readonly name: { readonly one: string; readonly many: string }
  /** The columns that tell a CSV file of these records. Absent where CSV is not accepted. */
  readonly csvColumns?: ReadonlyArray<string>
  /** Reads records, and does all that needs no database: it runs in several threads at once. */
  readonly prepare: Procedure<RecordChunk, Prepared<Batch>>
  /** How many records wait in memory to be published together. */
  readonly publishedTogether: number
  readonly store: RecordStore<Batch>
}

export interface RecordStore<Batch> {
  /** Undefined where the records have no generations: what is written is visible at once. */
  readonly dataSet: DataSet | undefined
  /** Before the first transaction: reads what `insert` needs, so that the write lock is not held for it. */
  warmUp?(database: OpenDatabase): void
  insert(database: OpenDatabase, batches: ReadonlyArray<Batch>, options: WriteOptions): Steps<WriteCounts>
  /** Deletes the rows that the published generation no longer has. */
  deleteRemoved?(database: OpenDatabase): Steps<void>
  /** Undoes what a publication wrote that ended early. */
  discardUnpublished?(database: OpenDatabase): Steps<void>
}

export interface WriteOptions {
  /** The one that the rows are added to; 0 where the records have none. */
  readonly generation: number
  /** Leaves a stored record as it is where a loaded one has its id. */
  readonly keep: boolean
  /** ISO 8601. */
  readonly now: string
}

export interface WriteCounts {
  added: number
  replaced: number
  unchanged: number
}

export interface Prepared<Batch> {
  readonly batch: Batch
  /** Of the vault that it was prepared with. */
  readonly keyId: number
  readonly count: number
  readonly refused: ReadonlyArray<RefusedRecord>
}
