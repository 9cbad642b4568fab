/** Writes files in place, which needs direct access to the file system. */
import { type FileHandle, open } from "node:fs/promises"
import { pathToFileURL } from "node:url"
import { Effect, Layer, Option } from "effect"
import { FileFailure } from "../editor/Editor.ts"
import { WriteAt } from "../exports/AppendableFile.ts"

export const layer = Layer.succeed(
  WriteAt,
  Option.some((path: string, at: number, bytes: Uint8Array) =>
    Effect.tryPromise({
      try: async () => {
        const file = await open(path, at === 0 ? "w" : "r+")
        try {
          const before = await readFrom(file, at)
          try {
            await writeAll(file, bytes, at)
          } catch (cause) {
            // On a full disk only a part is written: restore the former end of the file.
            await file.truncate(at)
            await writeAll(file, before, at)
            throw cause
          }
          await file.truncate(at + bytes.length)
        } finally {
          await file.close()
        }
      },
      catch: (cause) =>
        new FileFailure({
          operation: "write",
          uri: pathToFileURL(path).href,
          reason: cause instanceof Error ? cause.message : String(cause)
        })
    })
  )
)

const readFrom = async (file: FileHandle, at: number): Promise<Uint8Array> => {
  const { size } = await file.stat()
  const rest = new Uint8Array(Math.max(0, size - at))
  await file.read(rest, 0, rest.length, at)
  return rest
}

/** A single write may be partial. */
const writeAll = async (file: FileHandle, bytes: Uint8Array, at: number): Promise<void> => {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, at + written)
    written += bytesWritten
  }
}
