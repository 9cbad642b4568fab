/** Files written in place, which only a machine's own file system can. */
import { open } from "node:fs/promises"
import { pathToFileURL } from "node:url"
import { Effect, Layer, Option } from "effect"
import { FileFailure } from "../Editor.ts"
import { WriteInPlace } from "../exports/GrowingFile.ts"

export const layer = Layer.succeed(
  WriteInPlace,
  Option.some((path: string, at: number, bytes: Uint8Array) =>
    Effect.tryPromise({
      try: async () => {
        const file = await open(path, at === 0 ? "w" : "r+")
        try {
          await file.write(bytes, 0, bytes.length, at)
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
