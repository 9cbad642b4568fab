import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { UsageInvalid } from "./UsageInvalid.ts"
import { writeFailure } from "../output/FileFailure.ts"

/** Fails early, before the content is fetched, if the file exists. */
export const refuseExisting = Effect.fnUntraced(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  if (yield* Effect.orElseSucceed(files.exists(file), () => false)) return yield* existing(file)
})

/** Writes a file that only its owner can read. */
export const writeNewFile = Effect.fnUntraced(function* (file: string, content: string | Uint8Array) {
  const files = yield* FileSystem.FileSystem
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
  yield* files.writeFile(file, bytes, { flag: "wx", mode: 0o600 }).pipe(
    // A full disk must not leave a file that the same command would then refuse to overwrite.
    Effect.tapError(({ reason }) =>
      reason._tag === "AlreadyExists" ? Effect.void : Effect.ignore(files.remove(file))
    ),
    Effect.mapError(({ reason }) =>
      reason._tag === "AlreadyExists"
        ? existing(file)
        : new UsageInvalid({ message: `--to: ${file} ${writeFailure(reason)}` })
    )
  )
})

const existing = (file: string) => new UsageInvalid({ message: `--to: ${file} exists already, and is not overwritten` })
