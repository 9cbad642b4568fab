import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { RecordChunk } from "./RecordChunks.ts"
import type { RefusedRecord } from "./RecordReader.ts"

export class LoadTargets extends Context.Service<
  LoadTargets,
  {
    readonly credentials: OpenTarget<unknown>
    readonly events: OpenTarget<unknown>
    recommendations(tenantId: number): OpenTarget<unknown>
    /** Removes what killed loads left behind before they were published. */
    readonly recover: Effect.Effect<void>
    /**
     * Does a short part of the merges of the index that loads leave to be done, unless a load is running. Returns whether
     * more is left.
     */
    readonly mergeIndex: Effect.Effect<boolean>
    /** Makes loads of credentials of every process wait until the scope closes, also this process's own. */
    readonly alone: Effect.Effect<void, never, Scope.Scope>
  }
>()("@threat-exposure/service/load/LoadTarget/LoadTargets") {}

export type OpenTarget<Batch> = (options: LoadOptions) => Effect.Effect<LoadTarget<Batch>, never, Scope.Scope>

export interface LoadOptions {
  readonly keep: boolean
  /** Publishes all records together, once. */
  readonly strict: boolean
  /** ISO 8601. */
  readonly now: string
}

export interface LoadTarget<Batch> {
  /** The columns that identify a CSV file of these records. Absent if CSV is not accepted. */
  readonly csvColumns?: ReadonlyArray<string> | undefined
  /** Reads records and prepares them without the store. May run for several chunks at once. */
  prepare(chunk: RecordChunk): Promise<Prepared<Batch>>
  /** Opened with the first record. */
  readonly publisher: Effect.Effect<Publisher<Batch>, never, Scope.Scope>
  /** The minimum number of records for a publication at present. */
  groupSize(): number
  /** Work that a writer defers stays in memory until this number of records is published. */
  readonly publishedTogether: number
  /** The maximum number of prepared records that wait to be written. */
  readonly preparedAhead: number
  /** The path prefix of the staging file of a strict load. */
  readonly stagedBeside: string
}

export interface Publisher<Batch> {
  readonly counts: () => Readonly<WriteCounts>
  write(prepared: Prepared<Batch>): Effect.Effect<void>
  readonly flush: Effect.Effect<void>
  /**
   * Ends the generation; the next record begins a new one. The resulting effect completes when readers see the records.
   */
  readonly publish: Effect.Effect<Effect.Effect<void>>
}

/** Writes batches and publishes them together. Flushes after every `flushAfter` records. */
export const publishAll = Effect.fnUntraced(function* <Batch>(
  publisher: Publisher<Batch>,
  batches: Iterable<Prepared<Batch>>,
  flushAfter = Number.POSITIVE_INFINITY,
  onWritten: (counts: Readonly<WriteCounts>) => void = () => {}
) {
  let unflushed = 0
  for (const prepared of batches) {
    yield* publisher.write(prepared)
    unflushed += prepared.count
    if (unflushed >= flushAfter) {
      yield* publisher.flush
      unflushed = 0
    }
    onWritten(publisher.counts())
  }
  yield* publisher.flush
  const counts = publisher.counts()
  yield* Effect.flatten(publisher.publish)
  return counts
})

export interface WriteCounts {
  added: number
  replaced: number
  unchanged: number
}

export interface Prepared<Batch> {
  readonly batch: Batch
  readonly keyId: number
  readonly count: number
  readonly refused: ReadonlyArray<RefusedRecord>
}
