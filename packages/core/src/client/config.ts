/**
 * The client from the environment: `THREAT_EXPOSURE_BASE_URL`, and `THREAT_EXPOSURE_TOKEN` or
 * `THREAT_EXPOSURE_API_KEY`; `THREAT_EXPOSURE_PATH_PREFIX` and `THREAT_EXPOSURE_LINK_FIELD` where they are set.
 *
 * A module of its own, so that a program that does not read it does not carry it.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ClientOptions } from "./ClientOptions.ts"
import { layer } from "./services.ts"

const text = (name: string) => Config.option(Config.String(name))
const secret = (name: string) => Config.option(Config.Redacted(name))

/** The client's options, for a program that adds some of its own. */
export const options: Config.Config<ClientOptions> = Config.all({
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

/** Every service, over the global fetch. */
export const layerConfig = Layer.unwrap(Effect.map(options, layer))
