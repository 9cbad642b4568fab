import { setFlagsFromString } from "node:v8"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { defaultPathPrefix } from "@threat-exposure/core/domain/ServiceNames"
import { newToken, permissionWords } from "../keys/ApiKeys.ts"
import { KeyStore } from "../keys/KeyStore.ts"
import { LoadTargets } from "../load/LoadTarget.ts"
import { Server } from "../Server.ts"
import { Services } from "../Services.ts"
import { Settings } from "../Settings.ts"
import { sampleKeyLabel } from "../sample/SampleDeletion.ts"
import { loadSample } from "../sample/SampleLoad.ts"
import { storeFlags, storesOf } from "./StoreFlags.ts"

const rate = (name: string, variable: string, what: string) =>
  Flag.Finite(name).pipe(
    Flag.withMetavar("CALLS"),
    Flag.withFallbackConfig(Config.Finite(variable)),
    Flag.filter(
      (calls) => calls > 0,
      () => "a number greater than 0"
    ),
    Flag.optional,
    Flag.withDescription(`${what} per second and tenant (default: no limit; variable: ${variable})`)
  )

export const serve = Command.make(
  "serve",
  {
    ...storeFlags,
    host: Flag.String("host").pipe(
      Flag.withMetavar("ADDRESS"),
      Flag.withDefault("127.0.0.1"),
      Flag.withDescription(
        "The address to listen on (default: 127.0.0.1). The service speaks plain HTTP: put a proxy with TLS in front of any address but a loopback one"
      )
    ),
    port: Flag.Int("port").pipe(
      Flag.withMetavar("PORT"),
      Flag.withDefault(8787),
      Flag.filter(
        (port) => port >= 0 && port < 65_536,
        () => "a number from 0 to 65535"
      ),
      Flag.withDescription("The port to listen on; 0 takes a free one (default: 8787)")
    ),
    pathPrefix: Flag.String("path-prefix").pipe(
      Flag.withMetavar("WORD"),
      Flag.withDefault(defaultPathPrefix),
      Flag.filter(
        (word) => /^[\w~-][\w.~-]*$/.test(word),
        () => "one segment of a path"
      ),
      Flag.withDescription(`The first segment of every path of the API (default: ${defaultPathPrefix})`)
    ),
    sample: Flag.Boolean("sample").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Load the synthetic sample data and print a token with every permission")
    ),
    metrics: Flag.Boolean("metrics").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Answer GET /metrics, without a token, in the text format of Prometheus")
    ),
    onlyExchangedTokens: Flag.Boolean("only-exchanged-tokens").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Accept only tokens of POST /tokens/generate; refuse API keys that are sent as tokens")
    ),
    searchRate: rate("search-rate", "THREAT_EXPOSURE_SEARCH_RATE", "Global searches"),
    basicRate: rate("basic-rate", "THREAT_EXPOSURE_BASIC_RATE", "Other calls"),
    searchesAMonth: Flag.Int("searches-a-month").pipe(
      Flag.withMetavar("UNITS"),
      Flag.withFallbackConfig(Config.Int("THREAT_EXPOSURE_SEARCHES_A_MONTH")),
      Flag.filter(
        (units) => units >= 0,
        () => "a number from 0"
      ),
      Flag.optional,
      Flag.withDescription(
        "Global search quota of a tenant per month, in units of up to 100 results (default: 1000000; variable: THREAT_EXPOSURE_SEARCHES_A_MONTH)"
      )
    ),
    searchTimeLimit: Flag.Finite("search-time-limit").pipe(
      Flag.withMetavar("SECONDS"),
      Flag.withFallbackConfig(Config.Finite("THREAT_EXPOSURE_SEARCH_TIME_LIMIT")),
      Flag.filter(
        (seconds) => seconds > 0,
        () => "a number above 0"
      ),
      Flag.optional,
      Flag.withDescription(
        "Seconds after which a search is stopped and answered with 503 (default: 5; variable: THREAT_EXPOSURE_SEARCH_TIME_LIMIT)"
      )
    )
  },
  Effect.fnUntraced(function* ({
    basicRate,
    host,
    metrics,
    onlyExchangedTokens,
    pathPrefix,
    port,
    sample,
    searchesAMonth,
    searchRate,
    searchTimeLimit,
    ...flags
  }) {
    yield* collectWithoutHelpers
    const { layer, name } = yield* storesOf(flags)
    const defaults = yield* Settings
    const settings = {
      ...defaults,
      pathPrefix,
      metrics,
      acceptsKeysAsTokens: !onlyExchangedTokens,
      rates: { basic: Option.getOrUndefined(basicRate), search: Option.getOrUndefined(searchRate) },
      searchesAMonth: Option.getOrElse(searchesAMonth, () => defaults.searchesAMonth),
      searchTimeLimit: Option.match(searchTimeLimit, {
        onNone: () => defaults.searchTimeLimit,
        onSome: (seconds) => seconds * 1_000
      })
    }
    return yield* Effect.gen(function* () {
      // Deletes the unpublished rows of loads that were killed.
      yield* Effect.forkScoped(Effect.repeat(recoverLoads, Schedule.spaced("1 minute")))
      const token = sample ? yield* sampleKey : undefined
      const { url } = yield* Server
      yield* Console.log(`listening on ${url}`)
      if (token !== undefined) yield* Console.log(`token: ${token}`)
      yield* Effect.logInfo("serving").pipe(Effect.annotateLogs({ url }))
      return yield* Effect.never.pipe(Effect.onInterrupt(() => Effect.logInfo("stopping")))
    }).pipe(
      Effect.scoped,
      Effect.provide(
        Server.layer({ host, port }).pipe(
          Layer.provideMerge(Services),
          Layer.provideMerge(layer),
          Layer.provide(Layer.succeed(Settings, settings))
        )
      ),
      // Failures while serving usually concern the store, such as a full disk.
      Effect.annotateLogs({ database: name })
    )
  })
).pipe(Command.withDescription("Serve the API until stopped (SIGTERM or Ctrl-C)"))

/**
 * Little survives a collection of the young generation: waking other threads to help takes longer than the collection, and
 * every request under way waits for it.
 */
const collectWithoutHelpers = Effect.sync(() => setFlagsFromString("--no-parallel-scavenge"))

const recoverLoads = Effect.flatMap(LoadTargets, ({ recover }) => recover)

/** The sample data set is tenant 1's. */
const sampleKey = Effect.gen(function* () {
  const keys = yield* KeyStore
  yield* loadSample(1)
  const token = newToken()
  yield* keys.create({
    token,
    tenantId: 1,
    permissions: Object.values(permissionWords),
    createdAt: DateTime.formatIso(yield* DateTime.now),
    label: sampleKeyLabel
  })
  return token
})
