/** The accounts that earlier runs listed. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import { durableFiles, withoutLinks } from "../output/DurableFiles.ts"
import { fileFailure, writeFailure } from "../output/FileFailure.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"

const Stored = Schema.fromJsonString(
  Schema.Struct({ version: Schema.Literal(1), accounts: Schema.Array(Schema.String) })
)

/** The accounts of the file; empty if it does not exist yet. */
export const readKnown = Effect.fn("KnownAccounts.read")(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* files
    .readFileString(file)
    .pipe(
      Effect.catch(({ reason }) =>
        reason._tag === "NotFound"
          ? Effect.succeed('{"version":1,"accounts":[]}')
          : Effect.fail(
              new UsageInvalid({ message: `--new-since-last: ${file} cannot be read (${fileFailure(reason)})` })
            )
      )
    )
  const { accounts } = yield* Schema.decodeEffect(Stored)(text).pipe(
    Effect.mapError(
      () =>
        new UsageInvalid({
          message: `--new-since-last: ${file} is damaged: restore it, or delete it to list every account`
        })
    )
  )
  return new Set(accounts)
})

/** Fails early, before any search, if no temporary file can be written beside the given file. */
export const writableBeside = Effect.fn("KnownAccounts.writableBeside")(function* (flag: string, file: string) {
  const files = yield* FileSystem.FileSystem
  const probe = `${yield* withoutLinks(file)}.tmp`
  yield* files.writeFileString(probe, "", { mode: 0o600 }).pipe(
    Effect.andThen(files.remove(probe)),
    Effect.mapError(({ reason }) => new UsageInvalid({ message: `--${flag}: ${file} ${writeFailure(reason)}` }))
  )
})

export const writeKnown = Effect.fn("KnownAccounts.write")(function* (file: string, accounts: Iterable<string>) {
  const { replace } = yield* durableFiles
  const text = yield* Effect.orDie(Schema.encodeEffect(Stored)({ version: 1, accounts: [...accounts] }))
  yield* replace(file, text).pipe(
    Effect.mapError(({ reason }) => new UsageInvalid({ message: `--new-since-last: ${file} ${writeFailure(reason)}` }))
  )
})
