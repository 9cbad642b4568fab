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
import type { Database } from "../sqlite/Database.ts"
import { Connection } from "../sqlite/Connection.ts"
import { lineChunks } from "./LineChunks.ts"
import { type BadLine, type Loadable, type Prepared, tunedForLoading } from "./Loadable.ts"

export interface LoadRequest<Batch> {
  readonly kind: Loadable<Batch>
  readonly database: Database["Service"]
  readonly databaseFile: string
  /** `-` is standard input. */
  readonly files: ReadonlyArray<string>
  readonly standardInput: Readable
  /** Everything or nothing: the first bad line undoes the load. Holds the write lock from beginning to end. */
  readonly strict: boolean
  readonly report: LoadReport
}

/** Told as it happens; from one thread, in order. */
export interface LoadReport {
  badLine(file: string, line: BadLine): void
  /** After each chunk; `loaded` counts what is stored for good. `total` is undefined where a size cannot be known beforehand. */
  progress(progress: { readonly loaded: number; readonly bytes: number; readonly total: number | undefined }): void
}

export interface LoadResult {
  readonly loaded: number
  readonly alreadyThere: number
  readonly badLines: number
}

/** A strict load met a bad line; nothing was loaded. */
export class LoadRefused extends Schema.TaggedError<LoadRefused>()("LoadRefused", {
  file: Schema.String,
  line: Schema.Int,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file}, line ${this.line}: ${this.reason}. Nothing was loaded; mend the line, or leave out --strict to skip it.`
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

export const load = <Batch>(request: LoadRequest<Batch>): Effect.Effect<LoadResult, LoadRefused | FileUnreadable> =>
  Effect.gen(function* () {
    const now = DateTime.formatIso(yield* DateTime.now)
    const sizes = yield* Effect.forEach(request.files, sizeOf)
    const total = sizes.every((size) => size !== undefined) ? sizes.reduce((sum, size) => sum + size, 0) : undefined
    const connection = yield* Effect.acquireDisposable(
      Effect.sync(() => tunedForLoading(new Connection(request.databaseFile)))
    )
    return yield* Effect.callback<LoadResult, LoadRefused | FileUnreadable>((resume, signal) => {
      loadAll({ ...request, connection, now, total, signal }).then(
        (result) => resume(Effect.succeed(result)),
        (cause: unknown) =>
          resume(
            cause instanceof LoadRefused || cause instanceof FileUnreadable ? Effect.fail(cause) : Effect.die(cause)
          )
      )
    })
  }).pipe(Effect.scoped)

interface LoadRun<Batch> extends LoadRequest<Batch> {
  readonly connection: Connection
  readonly now: string
  readonly total: number | undefined
  readonly signal: AbortSignal
}

const loadAll = async <Batch>(run: LoadRun<Batch>): Promise<LoadResult> => {
  const { connection, database, kind, now, report, strict, total } = run
  const open = { connection, vault: database.vault }
  kind.warmUp?.(open)
  let loaded = 0
  let read = 0
  let badLines = 0
  let bytes = 0
  let waiting: Array<Batch> = []
  let waitingRecords = 0
  const store = () => {
    const insert = () => kind.insert(open, waiting, now)
    loaded += strict ? insert() : connection.transaction(insert)
    waiting = []
    waitingRecords = 0
    report.progress({ loaded, bytes, total })
  }
  const take = async (file: string, chunkLength: number, preparing: Promise<Prepared<Batch>>) => {
    const { badLines: bad, batch, count } = await preparing
    for (const line of bad) {
      if (strict) throw new LoadRefused({ file, line: line.number, reason: line.reason })
      report.badLine(file, line)
    }
    read += count
    badLines += bad.length
    bytes += chunkLength
    waiting.push(batch)
    waitingRecords += count
    if (waitingRecords >= Math.min(kind.atOnce, pagesOf(connection))) store()
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
        const preparing = database.ask(kind.prepare, chunk)
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
  return { loaded, alreadyThere: read - loaded, badLines }
}

/** Enough to keep the threads busy while many records are stored together, which takes seconds. */
const chunksAhead = 16

/**
 * As many records are stored together as the file has pages. Each record touches pages all over the indexes, so the larger
 * those are, the more there must be at once for a page to be written for many of them and not for one.
 */
const pagesOf = (connection: Connection): number =>
  Number(connection.prepare("PRAGMA page_count").get()?.["page_count"])

async function* chunksOf<Batch>({ standardInput }: LoadRequest<Batch>, file: string) {
  const source = file === "-" ? standardInput : createReadStream(file, { highWaterMark: 1_048_576 })
  try {
    yield* lineChunks(source)
  } catch (cause) {
    throw cause instanceof LoadRefused ? cause : unreadable(file, cause)
  }
}

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
