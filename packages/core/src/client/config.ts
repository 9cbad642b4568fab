/**
 * Configures the client from the environment: `THREAT_EXPOSURE_BASE_URL`, and either `THREAT_EXPOSURE_TOKEN` or
 * `THREAT_EXPOSURE_API_KEY`; optionally `THREAT_EXPOSURE_PATH_PREFIX` and `THREAT_EXPOSURE_LINK_FIELD`.
 *
 * A separate module, so that bundles of programs without it do not contain it.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { RequestInvalid } from "./ApiError.ts"
import type { UncheckedOptions } from "./ClientOptions.ts"
import { layerUnchecked } from "./services.ts"

const text = (name: string) => Config.option(Config.String(name))
const secret = (name: string) => Config.option(Config.Redacted(name))

/** The options from the environment, for programs that add others. */
export const options: Config.Config<UncheckedOptions> = Config.all({
  baseUrl: Config.String("THREAT_EXPOSURE_BASE_URL"),
  token: secret("THREAT_EXPOSURE_TOKEN"),
  apiKey: secret("THREAT_EXPOSURE_API_KEY"),
  pathPrefix: text("THREAT_EXPOSURE_PATH_PREFIX"),
  linkField: text("THREAT_EXPOSURE_LINK_FIELD")
}).pipe(
  Config.map(({ apiKey, baseUrl, linkField, pathPrefix, token }) => ({
    baseUrl,
    token: Option.getOrUndefined(token),
    apiKey: Option.getOrUndefined(apiKey),
    pathPrefix: Option.getOrUndefined(pathPrefix),
    linkField: Option.getOrUndefined(linkField)
  }))
)

/** All services of the client, with the global `fetch`. */
export const layerConfig = Layer.unwrap(
  // A `ConfigError` is not an `Error`: `runPromise` would reject with an object whose message Node does not print.
  Effect.mapError(options, () => new RequestInvalid({ operation: "client options", rule: baseUrlMissing })).pipe(
    Effect.map(layerUnchecked)
  )
)

/** The error for the base URL, the only variable that is always required. */
const baseUrlMissing =
  "THREAT_EXPOSURE_BASE_URL is not set or cannot be read; it must look like https://api.example.com"
