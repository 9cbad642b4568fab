import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import { parse } from "effect/Number"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { defaultPathPrefix } from "@threat-exposure/core/domain/ServiceNames"
import { switchFlag } from "@threat-exposure/command-line/SwitchFlag"
import { deployedLimits, Settings } from "../Settings.ts"
import { nameStore, textFlag } from "./DatabaseFlags.ts"
import { storeFlags, storesOf } from "./StoreFlags.ts"

/** A numeric flag whose error message is the same for the flag and for its environment variable. */
const numberOr = (name: string, variable: string, expected: string, accepts: (value: number) => boolean) =>
  Flag.String(name).pipe(
    Flag.withFallbackConfig(Config.String(variable)),
    Flag.filterMap(
      (text) => Option.filter(parse(text), (value) => Number.isFinite(value) && accepts(value)),
      () => `${expected}, here or in ${variable}`
    ),
    Flag.optional
  )

const rate = (name: string, variable: string, what: string) =>
  numberOr(name, variable, "a number greater than 0", (calls) => calls > 0).pipe(
    Flag.withMetavar("CALLS"),
    Flag.withDescription(`${what} per second and tenant (default: no limit; variable: ${variable})`)
  )

export const serve = Command.make(
  "serve",
  {
    ...storeFlags,
    host: textFlag(
      "host",
      "ADDRESS",
      "The address to listen on (default: 127.0.0.1). The service speaks plain HTTP: put a proxy with TLS in front of any address but a loopback one"
    ).pipe(Flag.withDefault("127.0.0.1")),
    port: Flag.Int("port").pipe(
      Flag.withMetavar("PORT"),
      Flag.withDefault(8787),
      Flag.filter(
        (port) => port >= 0 && port < 65_536,
        () => "a number from 0 to 65535"
      ),
      Flag.withDescription("The port to listen on; 0 takes a free one (default: 8787)")
    ),
    pathPrefix: textFlag(
      "path-prefix",
      "WORD",
      `The first segment of every path of the API (default: ${defaultPathPrefix})`
    ).pipe(
      Flag.withDefault(defaultPathPrefix),
      Flag.filter(
        (word) => /^[\w~-][\w.~-]*$/.test(word),
        () => "one segment of a path"
      )
    ),
    sample: switchFlag("sample", "Load the synthetic sample data and print a token with every permission"),
    metrics: switchFlag("metrics", "Answer GET /metrics, without a token, in the text format of Prometheus"),
    onlyExchangedTokens: switchFlag(
      "only-exchanged-tokens",
      "Accept only tokens of POST /tokens/generate; refuse API keys that are sent as tokens"
    ),
    searchRate: rate("search-rate", "THREAT_EXPOSURE_SEARCH_RATE", "Global searches"),
    basicRate: rate("basic-rate", "THREAT_EXPOSURE_BASIC_RATE", "Other calls"),
    searchesAMonth: numberOr(
      "searches-a-month",
      "THREAT_EXPOSURE_SEARCHES_A_MONTH",
      "a whole number from 0",
      (units) => Number.isSafeInteger(units) && units >= 0
    ).pipe(
      Flag.withMetavar("UNITS"),
      Flag.withDescription(
        "Global search quota of a tenant per month, in units of up to 100 results (default: 1000000; variable: THREAT_EXPOSURE_SEARCHES_A_MONTH)"
      )
    ),
    deployedLimits: switchFlag(
      "deployed-limits",
      "Limit calls as deployed services do: 1 search and 4 other calls a second and 10000 units a month, unless another flag sets them; a call over the rate answers 429 RATELIMIT_REACHED without Retry-After"
    ),
    searchTimeLimit: numberOr(
      "search-time-limit",
      "THREAT_EXPOSURE_SEARCH_TIME_LIMIT",
      "a number greater than 0",
      (seconds) => seconds > 0
    ).pipe(
      Flag.withMetavar("SECONDS"),
      Flag.withDescription(
        "Seconds after which a search is stopped and answered with 503 (default: 5; variable: THREAT_EXPOSURE_SEARCH_TIME_LIMIT)"
      )
    )
  },
  Effect.fnUntraced(function* (given) {
    const { host, metrics, pathPrefix, port, sample } = given
    const { layer, name } = yield* storesOf(given)
    const defaults = yield* Settings
    const limits = { ...defaults, ...(given.deployedLimits ? deployedLimits : undefined) }
    const settings = {
      ...limits,
      pathPrefix,
      metrics,
      acceptsKeysAsTokens: !given.onlyExchangedTokens,
      rates: {
        basic: Option.getOrElse(given.basicRate, () => limits.rates.basic),
        search: Option.getOrElse(given.searchRate, () => limits.rates.search)
      },
      searchesAMonth: Option.getOrElse(given.searchesAMonth, () => limits.searchesAMonth),
      searchTimeLimit: Option.isNone(given.searchTimeLimit)
        ? defaults.searchTimeLimit
        : given.searchTimeLimit.value * 1_000
    }
    const { serveApi } = yield* Effect.promise(() => import("../Serving.ts"))
    return yield* serveApi({ address: { host, port }, isSample: sample }).pipe(
      Effect.provide(layer),
      Effect.provideService(Settings, settings),
      // Failures while serving usually concern the store, such as a full disk.
      Effect.annotateLogs({ database: name }),
      nameStore(name)
    )
  })
).pipe(Command.withDescription("Serve the API until stopped (SIGTERM or Ctrl-C)"))
