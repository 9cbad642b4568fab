/** Sinks on this machine: standard output, and files that are rotated. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { withoutLinks } from "../output/DurableFiles.ts"
import { progressLine } from "../output/Output.ts"
import { lineFile } from "./LineFile.ts"
import { deliveredAll, type Sink, SinkBusy, SinkClosed } from "./Sink.ts"
import { fileFault, fileLock } from "../output/FileLock.ts"

const formatLines = (items: ReadonlyArray<{ readonly line: string }>): string =>
  items.map(({ line }) => `${line}\n`).join("")

export const stdoutSink = Effect.fnUntraced(function* (name: string) {
  const stdio = yield* Stdio.Stdio
  const progress = yield* progressLine
  const sink: Sink = {
    name,
    send: ({ items }) =>
      Effect.andThen(
        progress.clear,
        Stream.run(Stream.make(formatLines(items)), stdio.stdout({ endOnDone: false }))
      ).pipe(
        Effect.mapError(() => new SinkClosed({ reason: "standard output is closed" })),
        Effect.as(deliveredAll)
      )
  }
  return sink
})

/**
 * Appends to a file that only its owner can read. When the file reaches `rotateAt` bytes, it is renamed to `PATH.1`,
 * `PATH.1` to `PATH.2`, and so on; no file is deleted.
 */
export const fileSink = Effect.fnUntraced(function* (name: string, given: string, rotateAt: number) {
  const files = yield* FileSystem.FileSystem
  const path = yield* withoutLinks(given)
  const file = yield* lineFile("--to", path)
  const whileLocked = yield* fileLock

  const rotate = Effect.gen(function* () {
    let last = 0
    while (yield* files.exists(`${path}.${last + 1}`)) last += 1
    for (let number = last; number > 0; number -= 1) yield* files.rename(`${path}.${number}`, `${path}.${number + 1}`)
    yield* files.rename(path, `${path}.1`)
  })

  const append = Effect.fnUntraced(function* (text: string) {
    if ((yield* file.size) >= rotateAt) yield* rotate
    yield* file.append(text)
  })

  const sink: Sink = {
    name,
    send: ({ items }) =>
      whileLocked(path, append(formatLines(items))).pipe(
        Effect.mapError((failure) => new SinkBusy({ reason: `${path} ${fileFault(failure)}` })),
        Effect.as(deliveredAll)
      )
  }
  return sink
})
