import { stat } from "node:fs/promises"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { credentialLoad } from "../credentials/CredentialLoad.ts"
import { eventLoad } from "../events/EventLoad.ts"
import { load as loadLines } from "../load/Load.ts"
import type { Loadable } from "../load/Loadable.ts"
import { LoadProgress } from "../load/LoadProgress.ts"
import { recommendationLoad } from "../recommendations/RecommendationLoad.ts"
import { sqlite, sqliteSameThread } from "../Sqlite.ts"
import { Database } from "../sqlite/Database.ts"
import {
  fileArguments,
  namingDatabase,
  databaseFilesOf,
  databaseFlags,
  type DatabaseFlagValues,
  resolveFromCaller,
  tenant
} from "./DatabaseFlags.ts"

const flags = {
  ...databaseFlags,
  strict: Flag.Boolean("strict").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Load everything or nothing: stop at the first bad line (else it is reported and skipped)")
  )
}

export const load = Command.make("load").pipe(
  Command.withDescription("Load data, also while the service runs; loading the same again changes nothing"),
  Command.withSubcommands([
    Command.make("credentials", { ...flags, files: fileArguments("Credentials in the shape of the API") }, (given) =>
      loadFiles(credentialLoad, given)
    ).pipe(Command.withDescription("Load leaked credentials")),
    Command.make("events", { ...flags, files: fileArguments("Typed events in the shape of the API") }, (given) =>
      loadFiles(eventLoad, given)
    ).pipe(Command.withDescription("Load events, and match them against the identifiers that there are"))
  ])
)

export const recommendations = Command.make("recommendations").pipe(
  Command.withDescription("Identifier recommendations, which the API lists and cannot create"),
  Command.withSubcommands([
    Command.make(
      "load",
      { ...flags, tenant, files: fileArguments("Recommendations in the shape of the API") },
      ({ tenant, ...given }) => loadFiles(recommendationLoad(tenant), given)
    ).pipe(Command.withDescription("Load recommendations for a tenant"))
  ])
)

interface Given extends DatabaseFlagValues {
  readonly files: ReadonlyArray<string>
  readonly strict: boolean
}

const loadFiles = Effect.fnUntraced(function* <Batch>(kind: Loadable<Batch>, given: Given) {
  const where = yield* databaseFilesOf(given)
  const found = yield* Effect.forEach(given.files, resolveFromCaller)
  // Threads cost a tenth of a second, which a small file does not take.
  const layer = (yield* isSmall(found)) ? sqliteSameThread(where) : sqlite(where)
  const report = new LoadProgress(process.stderr, kind.name)
  const { alreadyThere, badLines, loaded } = yield* Effect.flatMap(Database, (database) =>
    loadLines({
      kind,
      database,
      databaseFile: where.file,
      files: found,
      standardInput: process.stdin,
      strict: given.strict,
      report
    })
  ).pipe(
    Effect.ensuring(Effect.sync(() => report.end())),
    Effect.onInterrupt(() => stopped(given.strict)),
    Effect.provide(layer),
    namingDatabase(where)
  )
  const known =
    alreadyThere === 0 ? "" : `, ${count(alreadyThere)} ${alreadyThere === 1 ? "was" : "were"} there already`
  const skipped = badLines === 0 ? "" : `, ${count(badLines)} bad ${badLines === 1 ? "line" : "lines"} skipped`
  yield* Console.log(`loaded ${count(loaded)} ${kind.name}${known}${skipped}`)
})

/** Told to stop half way, a load has not done what it was asked for. */
const stopped = (strict: boolean) =>
  Effect.andThen(
    Console.error(
      strict
        ? "stopped: nothing was loaded"
        : "stopped: what was reported as loaded is kept; run the command again for the rest"
    ),
    Effect.sync(() => {
      process.exitCode = stoppedHalfWay
    })
  )

const stoppedHalfWay = 130

const isSmall = (files: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    let bytes = 0
    for (const file of files) {
      // What cannot be read is told when it is read.
      const size =
        file === "-"
          ? Number.POSITIVE_INFINITY
          : await stat(file).then(
              ({ size }) => size,
              () => 0
            )
      bytes += size
    }
    return bytes < smallBytes
  })

const smallBytes = 2_000_000

const count = (number: number): string => number.toLocaleString("en-GB")
