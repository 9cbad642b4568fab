/** Where a load puts its records. Each engine has its own. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { RecordChunk } from "./RecordChunks.ts"
import type { RefusedRecord } from "./RecordReader.ts"

/** The targets of every kind of record. */
export class LoadTargets extends Context.Service<
  LoadTargets,
  {
    readonly credentials: OpenTarget<unknown>
    readonly events: OpenTarget<unknown>
    recommendations(tenantId: number): OpenTarget<unknown>
    /** Removes what loads left that were killed before they published it. */
    readonly recover: Effect.Effect<void>
  }
>()("@threat-exposure/service/load/LoadTarget/LoadTargets") {}

/** Opens a target for one load. */
export type OpenTarget<Batch, R = never> = (
  options: LoadOptions
) => Effect.Effect<LoadTarget<Batch>, never, R | Scope.Scope>

export interface LoadOptions {
  /** Keeps a stored record if a loaded one has the same id. */
  readonly keep: boolean
  /** All records are published together, once. */
  readonly strict: boolean
  /** ISO 8601. */
  readonly now: string
}

export interface LoadTarget<Batch> {
  /** The columns that identify a CSV file of these records. Absent where CSV is not accepted. */
  readonly csvColumns?: ReadonlyArray<string> | undefined
  /** Reads records, and does all that needs no store: several chunks at once. */
  prepare(chunk: RecordChunk): Promise<Prepared<Batch>>
  /** Opened with the first record. */
  readonly publisher: Effect.Effect<Publisher<Batch>, never, Scope.Scope>
  /** The number of records that are worth a publication at present. */
  groupSize(): number
  /** The most records that are published together. Whatever a writer defers for them stays in memory until then. */
  readonly publishedTogether: number
  /** The number of records that may wait, prepared, until they are written. */
  readonly preparedAhead: number
  /** A strict load is staged in a file whose name begins so. */
  readonly stagedBeside: string
}

export interface Publisher<Batch> {
  /** Counts records of the current generation. */
  readonly counts: () => Readonly<WriteCounts>
  write(prepared: Prepared<Batch>): Effect.Effect<void>
  readonly flush: Effect.Effect<void>
  /**
   * Ends the generation; the next record begins a new one. Succeeds with an effect that completes once readers see what was
   * written, and that may run while more is written.
   */
  readonly publish: Effect.Effect<Effect.Effect<void>>
}

/** Writes batches, and publishes them together. Flushes whenever `flushAfter` records were written. */
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
  /** The key of the vault that prepared it. */
  readonly keyId: number
  readonly count: number
  readonly refused: ReadonlyArray<RefusedRecord>
}
