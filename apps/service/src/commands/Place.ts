/** Where a command finds its files: as seen from where the person stands, which is not always where the program runs. */
import { resolve } from "node:path"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import { Database, type DatabasePlace, placeOf } from "../sqlite/Database.ts"

/** The flags that every command has. */
export const placeFlags = {
  database: Flag.String("database").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDefault("threat-exposure.sqlite"),
    Flag.withDescription("The database; created where it is missing")
  ),
  keyFile: Flag.String("key-file").pipe(
    Flag.withMetavar("FILE"),
    Flag.withFallbackConfig(Config.String("THREAT_EXPOSURE_KEY_FILE")),
    Flag.optional,
    Flag.withDescription(
      "The key that stored passwords are sealed with: keep it, and keep it apart from the database (default: the database's name with .key; or THREAT_EXPOSURE_KEY_FILE)"
    )
  )
}

/** `-` is standard input. */
export const files = (what: string) =>
  Argument.String("FILE").pipe(
    Argument.withDescription(`${what}, one JSON value a line; - is standard input`),
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

/** A path that was given on the command line. */
export const seenFromCaller = (path: string) =>
  Effect.map(calledFrom, (folder) => (path === "-" ? path : resolve(folder, path)))

export interface PlaceGiven {
  readonly database: string
  readonly keyFile: Option.Option<string>
}

export const place = Effect.fnUntraced(function* ({ database, keyFile }: PlaceGiven): Effect.fn.Return<DatabasePlace> {
  const file = yield* seenFromCaller(database)
  return Option.isNone(keyFile) ? placeOf(file) : placeOf(file, yield* seenFromCaller(keyFile.value))
})

/** The disk is full, say, or the file may not be written. */
export class DatabaseFailed extends Schema.TaggedError<DatabaseFailed>()("DatabaseFailed", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The database ${this.file} failed: ${this.reason}. What was reported as done is kept; see to the file and its disk, and run the command again.`
  }
}

/** Work on the database of the flags. */
export const onDatabase =
  (given: PlaceGiven) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.flatMap(place(given), (where) =>
      work.pipe(Effect.provide(Database.layerInPlace(where)), namingDatabase(where))
    )

/** Says of a database that failed which one it was. */
export const namingDatabase = ({ file }: DatabasePlace) =>
  Effect.catchDefect((defect) =>
    defect instanceof Error && "code" in defect && defect.code === "ERR_SQLITE_ERROR"
      ? Effect.fail(new DatabaseFailed({ file, reason: defect.message }))
      : Effect.die(defect)
  )

const calledFrom = Config.String("THREAT_EXPOSURE_CALLED_FROM").pipe(Effect.orElseSucceed(() => process.cwd()))
