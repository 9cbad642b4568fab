/** Writes that a loss of power cannot undo or tear, once they are done. */
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"

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
     * Replaces the content of a file, which only its owner can read. The text is written to a file beside it that is then
     * renamed, so that a crash leaves the old content or the new one. If `confirm` fails, the file is not replaced.
     * A large text can be given in parts, which are encoded one after the other.
     */
    replace: Effect.fnUntraced(function* <E = never>(
      file: string,
      text: string | ReadonlyArray<string>,
      confirm: Effect.Effect<void, E> = Effect.void
    ) {
      const temporary = `${file}.tmp`
      yield* Effect.scoped(
        Effect.gen(function* () {
          const handle = yield* files.open(temporary, { flag: "w", mode: 0o600 })
          // A process that was killed may have left it, with another mode.
          yield* files.chmod(temporary, 0o600)
          const encoder = new TextEncoder()
          for (const part of typeof text === "string" ? [text] : text) yield* handle.writeAll(encoder.encode(part))
          yield* handle.sync
        })
      )
      yield* confirm
      yield* files.rename(temporary, file)
      yield* syncName(file)
    })
  }
})
