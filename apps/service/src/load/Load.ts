/**
 * Loads newline-delimited JSON. Chunks of lines are prepared in reader threads, some ahead, and stored in the order of the
 * file, several in one transaction, so what was reported as loaded stays whatever happens next, and a load that stopped half
 * way is just run again. Memory does not grow with the file.
 */
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import type { Readable } from "node:stream"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { requireKey } from "../requests/StoreUnavailable.ts"
import type { Database } from "../sqlite/Database.ts"
import { Connection } from "../sqlite/Connection.ts"
import type { OpenDatabase } from "../sqlite/Procedure.ts"
import { recordsOf } from "./RecordChunks.ts"
import { WrongFormat } from "./RecordFormat.ts"
import type { Prepared, RecordLoader } from "./RecordLoader.ts"
import type { RefusedRecord } from "./RecordReader.ts"

export interface LoadRequest<Batch> {
  readonly loader: RecordLoader<Batch>
  readonly database: Database["Service"]
  readonly databaseFile: string
  /** `-` is standard input. */
  readonly files: ReadonlyArray<string>
  readonly standardInput: Readable
  /** Everything or nothing: the first refused record undoes the load. Holds the write lock from beginning to end. */
  readonly strict: boolean
  readonly report: LoadReport
}

/** Told as it happens; from one thread, in order. */
export interface LoadReport {
  refused(file: string, record: RefusedRecord): void
  /** After each chunk; `loaded` counts what is stored for good. `total` is undefined where a size cannot be known beforehand. */
  progress(progress: { readonly loaded: number; readonly bytes: number; readonly total: number | undefined }): void
}

export interface LoadResult {
  readonly loaded: number
  readonly alreadyThere: number
  readonly refused: number
}

/** A strict load met a record that it refuses; nothing was loaded. */
export class LoadRefused extends Schema.TaggedError<LoadRefused>()("LoadRefused", {
  file: Schema.String,
  position: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file}, ${this.position}: ${this.reason}. Nothing was loaded; correct it, or leave out --strict to skip it.`
  }
}

/** A file cannot be read, or not to its end. What was read before that is loaded, unless the load is strict. */
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
    const now = DateTime.formatIso(yield* DateTime.now)
    const sizes = yield* Effect.forEach(request.files, sizeOf)
    const total = sizes.every((size) => size !== undefined) ? sizes.reduce((sum, size) => sum + size, 0) : undefined
    const connection = yield* Effect.acquireDisposable(
      Effect.sync(() => tunedForLoading(new Connection(request.databaseFile)))
    )
    return yield* Effect.callback<LoadResult, LoadFailure>((resume, signal) => {
      loadAll({ ...request, connection, now, total, signal }).then(
        (result) => resume(Effect.succeed(result)),
        (cause: unknown) => resume(isLoadFailure(cause) ? Effect.fail(cause) : Effect.die(cause))
      )
    })
  }).pipe(Effect.scoped)

export type LoadFailure = LoadRefused | FileUnreadable | WrongFormat

const isLoadFailure = (cause: unknown): cause is LoadFailure =>
  cause instanceof LoadRefused || cause instanceof FileUnreadable || cause instanceof WrongFormat

interface LoadRun<Batch> extends LoadRequest<Batch> {
  readonly connection: Connection
  readonly now: string
  readonly total: number | undefined
  readonly signal: AbortSignal
}

const loadAll = async <Batch>(run: LoadRun<Batch>): Promise<LoadResult> => {
  const { connection, database, loader, now, report, strict, total } = run
  const open: OpenDatabase = {
    connection,
    get vault() {
      return database.vault
    }
  }
  loader.warmUp?.(open)
  let loaded = 0
  let read = 0
  let refused = 0
  let bytes = 0
  let waiting: Array<Batch> = []
  let waitingRecords = 0
  const keyIds = new Set<number>()
  const store = () => {
    const insert = () => {
      for (const keyId of keyIds) requireKey(open, keyId)
      return loader.insert(open, waiting, now)
    }
    loaded += strict ? insert() : connection.transaction(insert)
    waiting = []
    waitingRecords = 0
    keyIds.clear()
    report.progress({ loaded, bytes, total })
  }
  const take = async (file: string, chunkLength: number, preparing: Promise<Prepared<Batch>>) => {
    const { batch, count, keyId, refused: bad } = await preparing
    for (const record of bad) {
      if (strict) throw new LoadRefused({ file, ...record })
      report.refused(file, record)
    }
    read += count
    refused += bad.length
    bytes += chunkLength
    waiting.push(batch)
    keyIds.add(keyId)
    waitingRecords += count
    if (waitingRecords >= Math.min(loader.atOnce, pagesOf(connection))) store()
    else report.progress({ loaded, bytes, total })
  }
  const loadFile = async (file: string) => {
    const ahead: Array<() => Promise<void>> = []
    const takeAhead = async () => {
      for (const next of ahead) await next()
    }
    try {
      for await (const chunk of chunksOf(run, file)) {
        run.signal.throwIfAborted()
        const chunkLength = chunk.text?.length ?? 0
        const preparing = database.ask(loader.prepare, chunk)
        // Awaited later: until then a failure is nobody's.
        preparing.catch(() => {})
        ahead.push(() => take(file, chunkLength, preparing))
        if (ahead.length > chunksAhead) await ahead.shift()?.()
      }
    } catch (cause) {
      if (strict || !(cause instanceof FileUnreadable)) throw cause
      await takeAhead()
      if (waiting.length > 0) store()
      throw cause
    }
    await takeAhead()
  }
  const loadFiles = async () => {
    for (const file of run.files) await loadFile(file)
    if (waiting.length > 0) store()
  }
  await (strict ? connection.holding(loadFiles) : loadFiles())
  return { loaded, alreadyThere: read - loaded, refused }
}

/** A connection for loading: it may hold a good part of the indexes in memory, for they are what is written. */
const tunedForLoading = (connection: Connection): Connection => {
  // Index pages change many times in a load: seldom copied to the database, they are seldom written twice.
  connection.exec("PRAGMA cache_size = -262144; PRAGMA wal_autocheckpoint = 32768")
  return connection
}

/** Enough to keep the threads busy while many records are stored together, which takes seconds. */
const chunksAhead = 16

/**
 * As many records are stored together as the file has pages. Each record touches pages all over the indexes, so the larger
 * those are, the more there must be at once for a page to be written for many of them and not for one.
 */
const pagesOf = (connection: Connection): number =>
  Number(connection.prepare("PRAGMA page_count").get()?.["page_count"])

async function* chunksOf<Batch>({ loader, standardInput }: LoadRequest<Batch>, file: string) {
  const source = file === "-" ? standardInput : createReadStream(file, { highWaterMark: 1_048_576 })
  try {
    const records = await recordsOf(source, loader.csvColumns)
    if (typeof records === "string") {
      source.destroy()
      throw new WrongFormat({ file, found: records, accepted: acceptedBy(loader) })
    }
    yield* records
  } catch (cause) {
    throw isLoadFailure(cause) ? cause : unreadable(file, cause)
  }
}

const acceptedBy = <Batch>({ csvColumns }: RecordLoader<Batch>): string =>
  [
    "JSON values, one a line or one after the other",
    "a JSON array",
    ...(csvColumns === undefined ? [] : [`CSV with a header that names ${csvColumns.join(" and ")}`])
  ].join(", ") + ", each also compressed by gzip or zstd"

const sizeOf = (file: string) =>
  file === "-"
    ? Effect.undefined
    : Effect.tryPromise({
        try: async () => {
          const found = await stat(file)
          if (found.isDirectory()) throw new Error("it is a folder")
          return found.isFile() ? found.size : undefined
        },
        catch: (cause) => unreadable(file, cause)
      })

const unreadable = (file: string, cause: unknown) =>
  new FileUnreadable({ file, reason: cause instanceof Error ? cause.message : String(cause) })
