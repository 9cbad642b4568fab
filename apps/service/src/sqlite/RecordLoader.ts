/** How `load` handles a kind of record. */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { DataSet } from "./database/Generations.ts"
import type { OpenDatabase, Procedure } from "./database/Procedure.ts"
import type { Steps } from "./database/Steps.ts"
import type { Prepared, Publisher, WriteCounts } from "../load/LoadTarget.ts"
import type { RecordChunk } from "../load/RecordChunks.ts"

export interface RecordLoader<Batch> {
  /** The columns that identify a CSV file of these records. Absent where CSV is not accepted. */
  readonly csvColumns?: ReadonlyArray<string>
  /** Reads records, and does all that needs no database: it runs in several threads at once. */
  readonly prepare: Procedure<RecordChunk, Prepared<Batch>>
  /** The most records that are published together. Whatever a writer defers for them stays in memory until then. */
  readonly publishedTogether: number
  /** Writes the records of one load. */
  publisher(load: OpenLoad): Effect.Effect<Publisher<Batch>, never, Scope.Scope>
}

export interface OpenLoad extends Omit<WriteOptions, "generation"> {
  readonly database: OpenDatabase
  readonly file: string
}

/** Records that are published by generation. */
export interface RecordStore<Batch> {
  readonly dataSet: DataSet
  /** Reads what a writer needs, before the first transaction, so that the write lock is not held meanwhile. */
  warmUp?(database: OpenDatabase): void
  /** Writes records of one generation. */
  writer(database: OpenDatabase, options: WriteOptions): RecordWriter<Batch>
  /** Deletes the rows that the published generation no longer has. */
  deleteRemoved(database: OpenDatabase): Steps<void>
  /** Rearranges what earlier publications wrote: readers see no difference. Runs before each publication. */
  compact?(database: OpenDatabase): Steps<void>
  /** Removes the rows of a publication that ended early. */
  discardUnpublished(database: OpenDatabase): Steps<void>
}

export interface RecordWriter<Batch> {
  readonly counts: Readonly<WriteCounts>
  /** May free the memory of the batch: use it for nothing else. */
  write(batch: Batch): Steps<void>
  /** Writes what `write` deferred. Call it before the generation is published. */
  flush(): Steps<void>
}

export interface WriteOptions {
  /** The one that the rows are added to. */
  readonly generation: number
  /** Keeps a stored record if a loaded one has the same id. */
  readonly keep: boolean
  /** ISO 8601. */
  readonly now: string
}
