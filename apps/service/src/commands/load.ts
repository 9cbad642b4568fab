import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Exit from "effect/Exit"
import * as Command from "effect/cli/Command"
import { switchFlag } from "@threat-exposure/command-line/SwitchFlag"
import { load as loadRecords, sizeOf } from "../load/Load.ts"
import { LoadTargets, type OpenTarget } from "../load/LoadTarget.ts"
import { LoadProgress } from "../load/LoadProgress.ts"
import { audit } from "./Audit.ts"
import { makeFailure } from "./CommandFailed.ts"
import { fileArguments, nameStore, resolveFromCaller, tenant } from "./DatabaseFlags.ts"
import { StoreHealth } from "../observability/StoreHealth.ts"
import { makeForeignFailure, storeFlags, type StoreFlagValues, storesOf } from "./StoreFlags.ts"

const flags = {
  ...storeFlags,
  keep: switchFlag("keep", "Keep a stored record if a loaded one has the same id (default: replace it)"),
  strict: switchFlag(
    "strict",
    "Load everything or nothing: stop at the first record that is refused (default: report it and skip it)"
  )
}

export const load = Command.make("load").pipe(
  Command.withDescription("Load data, also while the service runs; loading the same data again changes nothing"),
  Command.withSubcommands([
    Command.make("credentials", { ...flags, files: fileArguments("Credentials in the shape of the API") }, (given) =>
      loadFiles("credentials", ({ credentials }) => credentials, given)
    ).pipe(Command.withDescription("Load leaked credentials")),
    Command.make("events", { ...flags, files: fileArguments("Typed events in the shape of the API") }, (given) =>
      loadFiles("events", ({ events }) => events, given)
    ).pipe(Command.withDescription("Load events and match them against the identifiers of every tenant"))
  ])
)

export const recommendations = Command.make("recommendations").pipe(
  Command.withDescription("Load identifier recommendations"),
  Command.withSubcommands([
    Command.make(
      "load",
      { ...flags, tenant, files: fileArguments("Recommendations in the shape of the API") },
      ({ tenant, ...given }) =>
        loadFiles("recommendations", ({ recommendations }) => recommendations(tenant), given, tenant)
    ).pipe(Command.withDescription("Load recommendations for a tenant"))
  ])
)

interface Given extends StoreFlagValues {
  readonly files: ReadonlyArray<string>
  readonly strict: boolean
  readonly keep: boolean
}

const loadFiles = Effect.fnUntraced(function* (
  kind: "credentials" | "events" | "recommendations",
  targetOf: (targets: LoadTargets["Service"]) => OpenTarget<unknown>,
  given: Given,
  tenantId?: number
) {
  const found = yield* Effect.forEach(given.files, resolveFromCaller)
  // Checked before the database is opened, and created if necessary, because a file may not exist.
  const sizes = yield* Effect.forEach(found, sizeOf)
  const bytes = sizes.reduce<number>((sum, size = Number.POSITIVE_INFINITY) => sum + size, 0)
  // One thread prepares records as fast as they are written. It starts in a tenth of a second and takes 80 MB.
  const threads = bytes < smallBytes ? 0 : 1
  // Not for a cluster: the main thread then prepares the records, and would collect garbage all the time.
  if (threads > 0 && Option.isNone(given.opensearch)) yield* limitYoungGenerations
  const { layer, name: database } = yield* storesOf(given, threads)
  const report = new LoadProgress(process.stderr, kind)
  const { foreign, result } = yield* Effect.gen(function* () {
    const result = yield* loadRecords({
      target: targetOf(yield* LoadTargets),
      files: found,
      standardInput: process.stdin,
      strict: given.strict,
      keep: given.keep,
      report
    })
    return { result, foreign: (yield* StoreHealth).foreign() }
  }).pipe(
    Effect.ensuring(Effect.sync(() => report.end())),
    Effect.onInterrupt(() => reportStop(given.strict)),
    Effect.provide(layer),
    nameStore(database),
    Effect.onExit((exit) =>
      audit(`load.${kind}`, {
        tenant_id: tenantId,
        database,
        files: given.files.length,
        strict: given.strict,
        outcome: outcomeOf(exit),
        ...report.counts
      })
    )
  )
  const { alreadyThere, loaded, refused, replaced } = result
  const others = [
    replaced === 0 ? "" : `, ${count(replaced)} replaced`,
    alreadyThere === 0 ? "" : `, ${count(alreadyThere)} ${alreadyThere === 1 ? "was" : "were"} there already`,
    refused === 0 ? "" : `, ${count(refused)} refused`
  ]
  const name = loaded === 1 ? kind.slice(0, -1) : kind
  yield* Console.log(`loaded ${count(loaded)} ${name}${others.join("")}`)
  if (refused > 0) {
    const records = refused === 1 ? "record was" : "records were"
    return yield* makeFailure(`${count(refused)} ${records} refused; the others are loaded`)
  }
  if (foreign.length > 0) return yield* makeForeignFailure(foreign)
})

const outcomeOf = (exit: Exit.Exit<unknown, unknown>): "completed" | "failed" | "stopped" => {
  if (Exit.isSuccess(exit)) return "completed"
  return Cause.hasInterruptsOnly(exit.cause) ? "stopped" : "failed"
}

const reportStop = (strict: boolean) =>
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

/**
 * V8 enlarges the young generation of the main thread, which cannot have `resourceLimits`, to more than 100 MB during a
 * load. The threads get enough for a chunk: objects that survive two minor collections stay until the next major one.
 */
const limitYoungGenerations = Effect.sync(() => {
  setFlagsFromString("--semi-space-growth-factor=1")
  setFlagsFromString("--min-semi-space-size=4")
  setFlagsFromString("--expose-gc")
  // Only this kind of collection frees the memory used to start the program: some 60 MB.
  const collect: unknown = runInNewContext("gc")
  if (typeof collect === "function") collect({ type: "major", execution: "sync", flavor: "last-resort" })
})

const smallBytes = 2_000_000

const count = (number: number): string => number.toLocaleString("en-GB")
