/** Writes that a loss of power cannot undo or tear, once they are done. */
import { dirname, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"

/** Encodes into one small buffer: V8 lets tens of megabytes of dead buffers wait for its garbage collector. */
export const writeText = Effect.fnUntraced(function* (handle: FileSystem.File, parts: ReadonlyArray<string>) {
  const encoder = new TextEncoder()
  const buffer = new Uint8Array(65_536)
  for (const part of parts) {
    for (let at = 0; at < part.length;) {
      const { read, written } = encoder.encodeInto(part.slice(at), buffer)
      yield* handle.writeAll(buffer.subarray(0, written))
      at += read
    }
  }
})

/** The file that a path names, whether or not it exists, after all links: a link that is replaced no longer leads anywhere. */
export const withoutLinks = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  let target = path
  for (let links = 0; links < maxLinks; links += 1) {
    const link = yield* Effect.option(files.readLink(target))
    if (Option.isNone(link)) break
    target = resolve(dirname(target), link.value)
  }
  return target
})

/** The limit of Linux. */
const maxLinks = 40

export const durableFiles = Effect.map(FileSystem.FileSystem, (files) => {
  /**
   * Puts the name of a new or renamed file on the disk. Does nothing where a system cannot sync folders, as Windows and
   * some network file systems cannot.
   */
  const syncName = (file: string) =>
    Effect.flatMap(files.open(dirname(file), { flag: "r" }), (folder) => folder.sync).pipe(Effect.scoped, Effect.ignore)

  return {
    syncName,

    /**
     * Replaces the content of a file, or of the file that a link leads to, which only its owner can read. The text is written to a file beside it that is then
     * renamed, so that a crash leaves the old content or the new one. If `confirm` fails, the file is not replaced.
     * A large text can be given in parts, which are encoded one after the other.
     */
    replace: Effect.fnUntraced(function* <E = never>(
      file: string,
      text: string | ReadonlyArray<string>,
      confirm: Effect.Effect<void, E> = Effect.void
    ) {
      const target = yield* Effect.provideService(withoutLinks(file), FileSystem.FileSystem, files)
      const temporary = `${target}.tmp`
      yield* Effect.scoped(
        Effect.gen(function* () {
          const handle = yield* files.open(temporary, { flag: "w", mode: 0o600 })
          // A process that was killed may have left it, with another mode.
          yield* files.chmod(temporary, 0o600)
          yield* writeText(handle, typeof text === "string" ? [text] : text)
          yield* handle.sync
        })
      )
      yield* confirm
      yield* files.rename(temporary, target)
      yield* syncName(target)
    })
  }
})
