import { readBounded } from "@threat-exposure/detect/files/BoundedBytes"
import { decode } from "@threat-exposure/detect/text/Bytes"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { fileFailure } from "../output/FileFailure.ts"
import { maxInputSize } from "./StandardInput.ts"
import { UsageInvalid } from "./UsageInvalid.ts"

/**
 * Reads a file that the user names, in any text encoding. Messages of failures begin with `shown`, such as
 * `--from-file: a.txt`.
 */
export const readTextFile = Effect.fnUntraced(function* (file: string, shown: string) {
  const files = yield* FileSystem.FileSystem
  const bytes = yield* readBounded(files.stream(file), maxInputSize).pipe(
    Effect.mapError(({ reason }) => new UsageInvalid({ message: `${shown} cannot be read (${fileFailure(reason)})` }))
  )
  return bytes.length > maxInputSize
    ? yield* new UsageInvalid({ message: `${shown} has more than ${maxInputSize / 1e6} MB` })
    : decode(bytes)
})
