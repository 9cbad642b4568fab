import { Effect, FileSystem, Path, type PlatformError } from "effect"

/** Writes a report, and makes the folders that it belongs in. */
export const writeReport = Effect.fn("writeReport")(function* (
  file: string,
  content: string
): Effect.fn.Return<void, PlatformError.PlatformError, FileSystem.FileSystem | Path.Path> {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  // One by one: Node's recursive creation never ends below a folder that takes none, such as /proc.
  const folderAt = (folder: string): Effect.Effect<void, PlatformError.PlatformError> =>
    Effect.flatMap(files.exists(folder), (isThere) =>
      isThere ? Effect.void : Effect.andThen(folderAt(path.dirname(folder)), files.makeDirectory(folder))
    )
  yield* folderAt(path.dirname(file))
  yield* files.writeFileString(file, content)
})
