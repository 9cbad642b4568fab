import { stat } from "node:fs/promises"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { credentialLoad } from "../credentials/CredentialLoad.ts"
import { load as loadLines } from "../load/Load.ts"
import type { Loadable } from "../load/Loadable.ts"
import { LoadProgress } from "../load/LoadProgress.ts"
import { Database } from "../sql/Database.ts"
import { files, place, placeFlags, seenFromCaller } from "./Place.ts"

const loading = <Batch>(kind: Loadable<Batch>, what: string) =>
  Command.make(
    kind.name,
    {
      ...placeFlags,
      files: files(what),
      strict: Flag.Boolean("strict").pipe(
        Flag.withDefault(false),
        Flag.withDescription("Load everything or nothing: stop at the first bad line (else it is reported and skipped)")
      )
    },
    Effect.fnUntraced(function* ({ strict, ...flags }) {
      const where = yield* place(flags)
      const found = yield* Effect.forEach(flags.files, seenFromCaller)
      // Threads cost a tenth of a second, which a small file does not take.
      const layer = (yield* isSmall(found)) ? Database.layerInPlace(where) : Database.layer(where)
      const progress = new LoadProgress(process.stderr, kind.name)
      const { alreadyThere, badLines, loaded } = yield* Effect.gen(function* () {
        const database = yield* Database
        return yield* loadLines({
          kind,
          database,
          databaseFile: where.file,
          files: found,
          standardInput: process.stdin,
          strict,
          report: progress
        })
      }).pipe(Effect.provide(layer), Effect.ensuring(Effect.sync(() => progress.end())))
      const skipped = badLines === 0 ? "" : `, ${counted(badLines, "bad line")} skipped`
      const known = alreadyThere === 0 ? "" : `, ${count(alreadyThere)} were there already`
      yield* Console.log(`loaded ${count(loaded)} ${kind.name}${known}${skipped}`)
    })
  ).pipe(Command.withDescription(`Load ${what.toLowerCase()}`))

export const load = Command.make("load").pipe(
  Command.withDescription("Load data, also while the service runs; loading the same again changes nothing"),
  Command.withSubcommands([loading(credentialLoad, "Credentials")])
)

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
const counted = (number: number, noun: string): string => `${count(number)} ${noun}${number === 1 ? "" : "s"}`
