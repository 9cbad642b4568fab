import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { DataSet } from "./database/Generations.ts"
import type { OpenDatabase, Procedure } from "./database/Procedure.ts"
import type { Steps } from "./database/Steps.ts"
import type { Prepared, Publisher, WriteCounts } from "../load/LoadTarget.ts"
import type { RecordChunk } from "../load/RecordChunks.ts"

export interface RecordLoader<Batch> {
  /** The columns that identify a CSV file of these records. Absent if CSV is not accepted. */
  readonly csvColumns?: ReadonlyArray<string>
  /** Reads records and prepares them without the database, in several threads at once. */
  readonly prepare: Procedure<RecordChunk, Prepared<Batch>>
  /** Work that a writer defers stays in memory until this number of records is published. */
  readonly publishedTogether: number
  publisher(load: OpenLoad): Effect.Effect<Publisher<Batch>, never, Scope.Scope>
}

export interface OpenLoad extends Omit<WriteOptions, "generation"> {
  readonly database: OpenDatabase
  readonly file: string
}

/** Records with generations, whose publication makes them visible. */
export interface RecordStore<Batch> {
  readonly dataSet: DataSet
  /** Reads data that a writer needs, before the first transaction, so that the write lock is not held meanwhile. */
  warmUp?(database: OpenDatabase): void
  writer(database: OpenDatabase, options: WriteOptions): RecordWriter<Batch>
  /** Deletes rows that are not in the published generation any more. */
  deleteRemoved(database: OpenDatabase): Steps<void>
  /** Reorganises rows of earlier publications, which readers do not notice. Runs before each publication. */
  compact?(database: OpenDatabase): Steps<void>
  readonly removeLeftovers: LeftoverRemoval
}

/**
 * Removes a part of the rows of an interrupted publication: those after a version, or from the beginning. Undefined if
 * none are left; otherwise, the input of the next call. The caller holds the publication lock during all calls.
 */
export type LeftoverRemoval = Procedure<LeftoversAfter, LeftoversAfter | undefined>

export interface LeftoversAfter {
  readonly version?: bigint
}

export interface RecordWriter<Batch> {
  readonly counts: Readonly<WriteCounts>
  /** May free the memory of the batch, so do not use it afterwards. */
  write(batch: Batch): Steps<void>
  flush(): Steps<void>
}

export interface WriteOptions {
  /** The generation to which rows are added. */
  readonly generation: number
  /** Keeps a stored record if a loaded one has the same id. */
  readonly keep: boolean
  /** ISO 8601. */
  readonly now: string
}
