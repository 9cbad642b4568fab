/** A file of lines that only its owner can read. After a crash it still ends with a complete line. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import { durableFiles, writeText } from "../output/DurableFiles.ts"
import { writeFailure } from "../output/FileFailure.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"

export interface LineFile {
  /** Size in bytes without an incomplete last line, which is removed; 0 if the file does not exist. */
  readonly size: Effect.Effect<number, PlatformError>
  /** Appends the text completely or, on a failure, not at all: a full disk must not repeat lines with every attempt. */
  readonly append: (text: string) => Effect.Effect<void, PlatformError>
}

/** Creates the file of a flag if necessary, and fails if it is not writable. */
export const lineFile = Effect.fnUntraced(function* (flag: string, path: string) {
  const files = yield* FileSystem.FileSystem
  const { syncName } = yield* durableFiles
  const open = files.open(path, { flag: "a", mode: 0o600 })
  const size = Effect.flatMap(files.exists(path), (isThere) =>
    isThere ? Effect.scoped(wholeLines(files, path)) : Effect.succeed(0)
  )
  const file: LineFile = {
    size,
    append: Effect.fnUntraced(function* (text) {
      const before = yield* size
      const handle = yield* open
      yield* writeText(handle, [text]).pipe(
        Effect.andThen(handle.sync),
        Effect.onError(() => Effect.ignore(handle.truncate(before)))
      )
      if (before === 0) yield* syncName(path)
    }, Effect.scoped)
  }
  // Opening a pipe would block until it has a reader, and its lines cannot be truncated.
  const found = yield* Effect.option(files.stat(path))
  if (Option.isSome(found) && found.value.type !== "File" && found.value.type !== "Directory") {
    return yield* new UsageInvalid({
      message: `${flag}: ${path} is not a regular file; only --to - writes to standard output, a pipe or a device`
    })
  }
  yield* Effect.mapError(
    Effect.scoped(open),
    ({ reason }) => new UsageInvalid({ message: `${flag}: ${path} ${writeFailure(reason)}` })
  )
  return file
})

/** Truncates the file after its last line break, and returns its size. */
const wholeLines = Effect.fnUntraced(function* (files: FileSystem.FileSystem, path: string) {
  const handle = yield* files.open(path, { flag: "r+" })
  const size = Number((yield* handle.stat).size)
  const buffer = new Uint8Array(Math.min(size, 65_536))
  let end = size
  while (end > 0) {
    const start = Math.max(0, end - buffer.length)
    yield* handle.seek(BigInt(start), "start")
    const length = Number(yield* handle.read(buffer.subarray(0, end - start)))
    const lineBreak = buffer.subarray(0, length).lastIndexOf(10)
    if (lineBreak !== -1) {
      end = start + lineBreak + 1
      break
    }
    end = start
  }
  if (end < size) yield* handle.truncate(end)
  return end
})
