/**
 * A file that is written page by page and can be resumed. `FILE.resume` beside it stores the length of the file and the
 * cursor of the next page: a resumed export truncates the file to that length and continues from the cursor, so that it
 * ends with the same bytes as an uninterrupted one.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as PlatformError from "effect/PlatformError"
import * as Schema from "effect/Schema"
import { exitCodes } from "../ExitCode.ts"
import { durableFiles } from "../output/DurableFiles.ts"
import { fileFailure, writeFailure } from "../output/FileFailure.ts"

const Progress = Schema.Struct({
  /** The exported search, without secrets: another search cannot resume it. */
  search: Schema.String,
  /** Time bounds in absolute form, as resolved at the start: a span such as 30d would move. */
  since: Schema.NullOr(Schema.String),
  until: Schema.NullOr(Schema.String),
  /** Cursor of the next page; null before the first page and, if `items` is positive, after the last. */
  from: Schema.NullOr(Schema.String),
  bytes: Schema.Int,
  items: Schema.Int
})
export type Progress = typeof Progress.Type

const ProgressText = Schema.fromJsonString(Progress)

/** The file of an export cannot be used; `message` says why and what to do. */
export class ExportRefused extends Schema.TaggedError<ExportRefused>()("ExportRefused", { message: Schema.String }) {
  readonly exitCode = exitCodes.usage
}

/** Progress of an earlier export; undefined if it stopped before it wrote anything. */
export const readProgress = Effect.fn("ExportFile.readProgress")(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.asSome(files.readFileString(progressFile(file))).pipe(
    Effect.catch(({ reason }) =>
      reason._tag === "NotFound"
        ? Effect.succeedNone
        : Effect.fail(new ExportRefused({ message: `${progressFile(file)} cannot be read (${fileFailure(reason)})` }))
    )
  )
  if (Option.isNone(text)) {
    const size = yield* Effect.orElseSucceed(
      Effect.map(files.stat(file), ({ size }) => Number(size)),
      () => 0
    )
    if (size > 0) {
      return yield* new ExportRefused({
        message: `There is no ${progressFile(file)}: ${file} is complete, or was not started by an export. Give another name, or delete it and start without --resume`
      })
    }
    yield* Effect.ignore(files.remove(file, { force: true }))
    return undefined
  }
  return yield* Schema.decodeEffect(ProgressText)(text.value).pipe(
    Effect.mapError(
      () =>
        new ExportRefused({
          message: `${progressFile(file)} is damaged: delete it and ${file}, and start without --resume`
        })
    )
  )
})

export interface ExportFile {
  /** Writes the text to disk first, then the progress that includes it. */
  readonly append: (text: string, progress: Omit<Progress, "bytes">) => Effect.Effect<void, ExportRefused>
  /** Marks the export as complete: it can no longer be resumed. */
  readonly end: Effect.Effect<void, ExportRefused>
  /** Deletes the file and its progress. */
  readonly discard: Effect.Effect<void>
}

/** Creates the file, or truncates it to `resumed`. Only its owner can read it. */
export const openExport = Effect.fn("ExportFile.open")(function* (
  file: string,
  resumed: Progress | undefined,
  started: Pick<Progress, "search" | "since" | "until">
) {
  const files = yield* FileSystem.FileSystem
  const { replace } = yield* durableFiles
  const isResumable = yield* Effect.orElseSucceed(files.exists(progressFile(file)), () => false)
  const existing = isResumable
    ? "exists: continue it with --resume, or delete it"
    : "exists already, and is not overwritten: give another name, or delete it"
  const orRefusedFor = (name: string) =>
    Effect.mapError(
      ({ reason }: PlatformError.PlatformError) =>
        new ExportRefused({
          message: `${name} ${reason._tag === "AlreadyExists" ? existing : writeFailure(reason)}`
        })
    )
  const orRefused = orRefusedFor(file)
  const handle = yield* orRefused(files.open(file, { flag: resumed === undefined ? "wx" : "r+", mode: 0o600 }))
  let bytes = resumed?.bytes ?? 0
  const save = Effect.fnUntraced(function* (progress: Omit<Progress, "bytes">) {
    const encoded = yield* Effect.orDie(Schema.encodeEffect(ProgressText)({ ...progress, bytes }))
    yield* orRefusedFor(progressFile(file))(replace(progressFile(file), encoded))
  })
  if (resumed === undefined) {
    // Without its progress, the empty file would pass for the start of an export.
    yield* save({ ...started, from: null, items: 0 }).pipe(Effect.onError(() => Effect.ignore(files.remove(file))))
  } else {
    if (Number((yield* orRefused(handle.stat)).size) < bytes) {
      return yield* new ExportRefused({
        message: `${file} is shorter than it was: delete it, and start without --resume`
      })
    }
    yield* orRefused(handle.truncate(bytes))
    yield* orRefused(handle.seek(BigInt(bytes), "start"))
  }
  const exportFile: ExportFile = {
    append: Effect.fn("ExportFile.append")(function* (text, progress) {
      const content = new TextEncoder().encode(text)
      yield* orRefused(handle.writeAll(content))
      yield* orRefused(handle.sync)
      bytes += content.length
      yield* save(progress)
    }),
    end: orRefusedFor(progressFile(file))(files.remove(progressFile(file), { force: true })),
    discard: Effect.forEach([file, progressFile(file)], (name) => Effect.ignore(files.remove(name)), { discard: true })
  }
  return exportFile
})

const progressFile = (file: string) => `${file}.resume`
