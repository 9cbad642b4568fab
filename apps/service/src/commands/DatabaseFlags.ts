/** The flags that name the database. Paths are relative to the caller's working directory, which npm scripts change. */
import { resolve } from "node:path"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import { type DatabaseFiles, databaseFiles, requireDatabase } from "../sqlite/database/Database.ts"
import { translate } from "../sqlite/database/DriverError.ts"
import { StoreRefusal, StoreUnavailable } from "../requests/StoreUnavailable.ts"
import { type CommandFailed, makeFailure, makeMisuse } from "./CommandFailed.ts"

/** A flag with a text as its value, for which `metavar` stands in the help text. */
export const textFlag = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

const defaultDatabase = "threat-exposure.sqlite"

export const databaseFlag = (what: string) =>
  Flag.optional(textFlag("database", "FILE", `${what} (default: ${defaultDatabase})`))

export const keyFileFlag = textFlag(
  "key-file",
  "FILE",
  "The encryption key; keep a copy of it, apart from copies of the database (default: the name of the database with .key; required with --opensearch; variable: THREAT_EXPOSURE_KEY_FILE)"
).pipe(Flag.withFallbackConfig(Config.String("THREAT_EXPOSURE_KEY_FILE")), Flag.optional)

/** The files to load; `-` is standard input. */
export const fileArguments = (what: string) =>
  Argument.String("FILE").pipe(
    Argument.withDescription(`${what}; format and compression (gzip, zstd) are recognised; - is standard input`),
    Argument.variadic({ min: 1 })
  )

export const tenant = Flag.Int("tenant").pipe(
  Flag.withMetavar("N"),
  Flag.filter(
    (id) => id > 0,
    () => "a number from 1"
  ),
  Flag.withDescription("The tenant's number")
)

export const resolveFromCaller = (path: string) =>
  Effect.map(calledFrom, (folder) => (path === "-" ? path : resolve(folder, path)))

export interface DatabaseFlagValues {
  readonly database: Option.Option<string>
  readonly keyFile: Option.Option<string>
}

/** Fails if the environment names a cluster: the command would change a database although the cluster may be meant. */
export const databaseFilesOf = Effect.fnUntraced(function* ({
  database,
  keyFile
}: DatabaseFlagValues): Effect.fn.Return<DatabaseFiles, CommandFailed> {
  const file = yield* resolveFromCaller(Option.getOrElse(database, () => defaultDatabase))
  if (Option.isSome(yield* Effect.orElseSucceed(Config.option(clusterVariable), Option.none))) {
    return yield* makeMisuse(
      `This command works on an embedded database only, and THREAT_EXPOSURE_OPENSEARCH names a cluster. Nothing was done. To use it on ${file}, unset the variable.`
    )
  }
  return Option.isNone(keyFile) ? databaseFiles(file) : databaseFiles(file, yield* resolveFromCaller(keyFile.value))
})

/** The nodes of a cluster, for commands that work on both engines. */
export const clusterVariable = Config.String("THREAT_EXPOSURE_OPENSEARCH")

/** Fails if the database does not exist: the copy of a new one would be empty. */
export const withDatabase =
  (given: DatabaseFlagValues) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const files = yield* databaseFilesOf(given)
      yield* requireDatabase(files)
      const { sqliteSameThread } = yield* Effect.promise(() => import("../sqlite/Sqlite.ts"))
      return yield* work.pipe(Effect.provide(sqliteSameThread(files)), nameStore(files.file))
    })

/** `name` is the file of a database, or the hosts of a cluster. */
export const nameStore = (name: string) =>
  Effect.catchDefect((cause) => {
    const defect = translate(cause)
    return isOfStore(defect)
      ? Effect.fail(
          makeFailure(
            `The database ${name} failed: ${defect.message}. What was reported as done is kept: check it and its disk, and run the command again.`
          )
        )
      : Effect.die(defect)
  })

const isOfStore = (defect: unknown): defect is Error =>
  defect instanceof StoreUnavailable ||
  defect instanceof StoreRefusal ||
  (defect instanceof Error && "code" in defect && defect.code === "ERR_SQLITE_ERROR")

const calledFrom = Config.String("THREAT_EXPOSURE_CALLED_FROM").pipe(Effect.orElseSucceed(() => process.cwd()))
