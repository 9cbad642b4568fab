/**
 * Reader threads prepare chunks, which are published in groups, in the order of the files, so that a load that stopped
 * can be repeated. A strict load is staged outside the store until all records are known to be valid.
 */
import { createReadStream } from "node:fs"
import { access, constants, stat } from "node:fs/promises"
import type { Readable } from "node:stream"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { fileFailure } from "../FileFailure.ts"
import { type LoadTarget, type OpenTarget, type Prepared, publishAll, type WriteCounts } from "./LoadTarget.ts"
import { freeBuffer, type RecordChunk, recordsOf } from "./RecordChunks.ts"
import { WrongFormat } from "./RecordFormat.ts"
import type { RefusedRecord } from "./RecordReader.ts"
import { StagingFile } from "./StagingFile.ts"

export interface LoadRequest<Batch> {
  readonly target: OpenTarget<Batch>
  /** `-` is standard input. */
  readonly files: ReadonlyArray<string>
  readonly standardInput: Readable
  /** All or nothing: the first refused record ends the load, and none of its records was ever visible. */
  readonly strict: boolean
  readonly keep: boolean
  readonly report: LoadReport
}

export interface LoadReport {
  refused(file: string, record: RefusedRecord): void
  progress(progress: Progress): void
  /** The counts of all durable records, after each publication. */
  published(counts: Readonly<WriteCounts>): void
}

export interface Progress {
  /** A strict load checks all records, then writes them, then publishes all of them at once. */
  readonly phase: "checked" | "written" | "loaded"
  /** The number of records in this phase; those in `loaded` are durable. */
  readonly count: number
  /** The number of bytes read from the files. */
  readonly bytes: number
  /** The number of bytes of all files; undefined if a size is unknown. */
  readonly total: number | undefined
}

export interface LoadResult {
  readonly loaded: number
  readonly replaced: number
  /** The number of records that were already stored: equal ones, and with `keep` all with a stored id. */
  readonly alreadyThere: number
  readonly refused: number
}

export class LoadRefused extends Schema.TaggedError<LoadRefused>()("LoadRefused", {
  file: Schema.String,
  position: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file === "-" ? "standard input" : this.file}, ${this.position}: ${this.reason}. Nothing was loaded; correct it, or leave out --strict to skip it.`
  }
}

/** A file cannot be read completely. Records before the failure are loaded, unless the load is strict. */
export class FileUnreadable extends Schema.TaggedError<FileUnreadable>()("FileUnreadable", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file === "-" ? "Standard input" : this.file} cannot be read: ${this.reason}`
  }
}

export const load = <Batch>(request: LoadRequest<Batch>): Effect.Effect<LoadResult, LoadFailure> =>
  Effect.gen(function* () {
    const { keep, report, strict } = request
    const now = DateTime.formatIso(yield* DateTime.now)
    const sizes = yield* Effect.forEach(request.files, sizeOf)
    const total = sizes.every((size) => size !== undefined) ? sizes.reduce((sum, size) => sum + size, 0) : undefined
    const target = yield* request.target({ keep, now, strict })

    let bytes = 0
    let read = 0
    let refused = 0
    let counts: Readonly<WriteCounts> = { added: 0, replaced: 0, unchanged: 0 }
    const reportProgress = () => report.progress({ phase: "loaded", count: sumOfAll(counts), bytes, total })

    const staging = strict
      ? yield* Effect.acquireDisposable(Effect.sync(() => new StagingFile<Prepared<Batch>>(target.stagedBeside)))
      : undefined
    const publisher = yield* Effect.cached(target.publisher)
    /** Completes when the latest group is published. */
    let publication: Effect.Effect<void> = Effect.void
    const publishGroup = Effect.gen(function* () {
      const present = yield* publisher
      const written = present.counts()
      const visible = yield* present.publish
      yield* publication
      const reported = Effect.tap(visible, () =>
        Effect.sync(() => {
          counts = sumOf(counts, written)
          report.published(counts)
          reportProgress()
        })
      )
      publication = Fiber.join(yield* Effect.forkScoped(reported, { startImmediately: true }))
    })
    const publishRest = Effect.andThen(
      publishGroup,
      Effect.suspend(() => publication)
    )

    const take = Effect.fnUntraced(function* ({ end, file, prepared }: PreparedChunk<Batch>) {
      for (const record of prepared.refused) {
        if (strict) return yield* new LoadRefused({ file, ...record })
        report.refused(file, record)
      }
      bytes = end
      read += prepared.count
      refused += prepared.refused.length
      if (staging !== undefined) {
        staging.append(prepared)
        report.progress({ phase: "checked", count: read, bytes, total })
        return
      }
      const present = yield* publisher
      yield* present.write(prepared)
      if (sumOfAll(present.counts()) >= target.groupSize()) {
        yield* publishGroup
      } else reportProgress()
    })

    yield* prepareChunks(request, target).pipe(
      Stream.runForEach(
        Effect.fnUntraced(function* (item) {
          if ("prepared" in item) return yield* take(item)
          if (!strict && read > 0) yield* publishRest
          return yield* item
        })
      )
    )
    if (staging === undefined) {
      if (read > 0) yield* publishRest
    } else {
      counts = yield* publishAll(yield* publisher, staging.items(), target.publishedTogether, (written) =>
        report.progress({ phase: "written", count: sumOfAll(written), bytes, total })
      )
      report.published(counts)
      reportProgress()
    }
    return { loaded: counts.added, replaced: counts.replaced, alreadyThere: counts.unchanged, refused }
  }).pipe(Effect.scoped, Effect.withSpan("load"))

export type LoadFailure = LoadRefused | ReadFailure

const sumOf = (a: Readonly<WriteCounts>, b: Readonly<WriteCounts>): Readonly<WriteCounts> => ({
  added: a.added + b.added,
  replaced: a.replaced + b.replaced,
  unchanged: a.unchanged + b.unchanged
})

const sumOfAll = ({ added, replaced, unchanged }: Readonly<WriteCounts>): number => added + replaced + unchanged

interface PreparedChunk<Batch> extends Omit<ReadChunk, "chunk"> {
  readonly prepared: Prepared<Batch>
}

interface ReadChunk {
  readonly file: string
  readonly chunk: RecordChunk
  /** The number of bytes read from all files, up to the end of this chunk. */
  readonly end: number
}

/** An element of the stream, so that the chunks before it are processed first. */
type ReadFailure = FileUnreadable | WrongFormat

const prepareChunks = <Batch>(
  request: LoadRequest<Batch>,
  target: LoadTarget<Batch>
): Stream.Stream<PreparedChunk<Batch> | ReadFailure> =>
  Stream.orDie(Stream.fromAsyncIterable(chunksOf(request, target), (cause) => cause)).pipe(
    Stream.mapEffect(
      (item): Effect.Effect<PreparedChunk<Batch> | ReadFailure> =>
        Effect.promise(async () => {
          if (!("chunk" in item)) return item
          const { chunk, end, file } = item
          const prepared = await target.prepare(chunk)
          if (chunk.text !== undefined) freeBuffer(chunk.text.buffer)
          return { end, file, prepared }
        }),
      { concurrency: chunksAhead }
    ),
    Stream.buffer({ capacity: Math.max(chunksAhead, target.preparedAhead / recordsOfChunk) })
  )

/** Enough to keep the thread that prepares busy. */
const chunksAhead = 4

/** Approximate: a chunk is half a megabyte of text. */
const recordsOfChunk = 1_000

async function* chunksOf<Batch>(
  { files, standardInput }: LoadRequest<Batch>,
  target: LoadTarget<Batch>
): AsyncGenerator<ReadChunk | ReadFailure> {
  let before = 0
  for (const file of files) {
    const source = file === "-" ? standardInput : createReadStream(file, { highWaterMark: 262_144 })
    const bytesRead = () => ("bytesRead" in source && typeof source.bytesRead === "number" ? source.bytesRead : 0)
    try {
      const records = await recordsOf(source, target.csvColumns)
      if (typeof records === "string") {
        return yield new WrongFormat({ file, found: records, accepted: describeColumns(target) })
      }
      for await (const chunk of records) yield { file, chunk, end: before + bytesRead() }
    } catch (cause) {
      return yield unreadable(file, cause)
    } finally {
      source.destroy()
    }
    before += bytesRead()
  }
}

const describeColumns = <Batch>({ csvColumns }: LoadTarget<Batch>): string =>
  [
    "JSON values, one a line or one after the other",
    "a JSON array",
    ...(csvColumns === undefined ? [] : [`CSV with a header that names ${csvColumns.join(" and ")}`])
  ].join(", ") + ", each also compressed by gzip or zstd"

export const sizeOf = (file: string): Effect.Effect<number | undefined, FileUnreadable> =>
  file === "-"
    ? Effect.undefined
    : Effect.tryPromise({
        try: async () => {
          await access(file, constants.R_OK)
          const found = await stat(file)
          if (found.isDirectory()) throw new Error("it is a folder")
          return found.isFile() ? found.size : undefined
        },
        catch: (cause) => unreadable(file, cause)
      })

const unreadable = (file: string, cause: unknown) => new FileUnreadable({ file, reason: fileFailure(cause) })
