/** Resolves the connection: flags, then the environment, then the saved profile. */
import { ApiClient } from "@threat-exposure/core/client/ApiClient"
import { type ClientOptions, settingsOf } from "@threat-exposure/core/client/ClientOptions"
import { layer as clientLayer } from "@threat-exposure/core/client/services"
import { environmentVariable } from "@threat-exposure/leak-check/EnvironmentVariable"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { exitCodes } from "../ExitCode.ts"
import { baseUrlFlag, defaultProfile, pathPrefixFlag, profileFlag } from "./ConnectionFlags.ts"
import { type Profile, Profiles } from "./Profiles.ts"

/** No address of a service was given. */
export class BaseUrlMissing extends Schema.TaggedError<BaseUrlMissing>()("BaseUrlMissing", {
  /** The saved sign-in that was asked for by name and does not exist. */
  missingProfile: Schema.optional(Schema.String)
}) {
  readonly exitCode = exitCodes.usage

  override get message() {
    const what =
      this.missingProfile === undefined
        ? "The address of the service is missing"
        : `There is no profile "${this.missingProfile}"`
    return `${what}: give --base-url, set THREAT_EXPOSURE_BASE_URL, or run threat-exposure login`
  }
}

/** There is no token or API key for the service. */
export class NotSignedIn extends Schema.TaggedError<NotSignedIn>()("NotSignedIn", { reason: Schema.String }) {
  readonly exitCode = exitCodes.refused

  override get message() {
    return `${this.reason}: run threat-exposure login, or set THREAT_EXPOSURE_TOKEN or THREAT_EXPOSURE_API_KEY`
  }
}

/** Where the token or key comes from, for `whoami`. */
export interface Connection {
  readonly options: ClientOptions
  readonly source: string
}

/** Flags and environment alone. */
export const givenBaseUrl = Effect.gen(function* () {
  const given = Option.getOrUndefined(yield* baseUrlFlag)
  return given ?? (yield* environmentVariable("THREAT_EXPOSURE_BASE_URL"))
})

export const givenPathPrefix = Effect.gen(function* () {
  const given = Option.getOrUndefined(yield* pathPrefixFlag)
  return given ?? (yield* environmentVariable("THREAT_EXPOSURE_PATH_PREFIX"))
})

export const resolveConnection = Effect.gen(function* () {
  const name = yield* profileFlag
  const profiles = yield* Profiles
  const given = yield* givenBaseUrl
  const pathPrefix = yield* givenPathPrefix
  const linkField = yield* environmentVariable("THREAT_EXPOSURE_LINK_FIELD")
  const token = yield* environmentVariable("THREAT_EXPOSURE_TOKEN")
  const apiKey = yield* environmentVariable("THREAT_EXPOSURE_API_KEY")
  const fromEnvironment = token !== undefined || apiKey !== undefined
  const profile = fromEnvironment && given !== undefined ? undefined : yield* profiles.get(name)
  const baseUrl = given ?? profile?.baseUrl
  if (baseUrl === undefined) {
    return yield* new BaseUrlMissing({ missingProfile: name === defaultProfile ? undefined : name })
  }
  const common = { baseUrl, pathPrefix: pathPrefix ?? profile?.pathPrefix, linkField }
  if (token !== undefined) {
    return { options: { ...common, token: Redacted.make(token) }, source: "THREAT_EXPOSURE_TOKEN" }
  }
  if (apiKey !== undefined) {
    return { options: { ...common, apiKey: Redacted.make(apiKey) }, source: "THREAT_EXPOSURE_API_KEY" }
  }
  if (profile === undefined) {
    return yield* new NotSignedIn({ reason: `Not signed in to ${withoutQuery(baseUrl)} as the profile "${name}"` })
  }
  // A token is only sent to the service that it was saved for.
  if (!isSameService(baseUrl, profile.baseUrl)) {
    return yield* new NotSignedIn({ reason: `The profile "${name}" is for ${withoutQuery(profile.baseUrl)}` })
  }
  const { secret } = profile
  if (secret === undefined) {
    return yield* new NotSignedIn({
      reason: `The system's keyring, which may be locked, does not return the token of the profile "${name}"`
    })
  }
  return { options: { ...common, ...secretOf({ ...profile, secret }) }, source: `the profile "${name}"` }
}) satisfies Effect.Effect<Connection, unknown, unknown>

/** Every service of the client, over the resolved connection. */
export const client = Layer.unwrap(Effect.map(resolveConnection, ({ options }) => clientLayer(options)))

/** A client of a profile that is not saved yet. */
export const clientOf = (profile: Profile) =>
  ApiClient.layer({ baseUrl: profile.baseUrl, pathPrefix: profile.pathPrefix, ...secretOf(profile) })

/** Refuses an address that the client would refuse, in the same words. */
export const checkedBaseUrl = (baseUrl: string) =>
  Effect.as(Effect.fromResult(settingsOf({ baseUrl, token: "none" })), baseUrl)

const secretOf = ({ kind, secret, tenantId }: Profile): Pick<ClientOptions, "apiKey" | "tenantId" | "token"> =>
  kind === "token" ? { token: secret } : { apiKey: secret, ...(tenantId === undefined ? {} : { tenantId }) }

const isSameService = (a: string, b: string) =>
  URL.canParse(a) && URL.canParse(b) && withoutSlash(new URL(a).href) === withoutSlash(new URL(b).href)

const withoutSlash = (href: string) => href.replace(/\/+$/u, "")

/** A refused address may contain a password. */
const withoutQuery = (address: string) => {
  if (!URL.canParse(address)) return "the service"
  const { host, pathname, protocol } = new URL(address)
  return `${protocol}//${host}${pathname === "/" ? "" : pathname}`
}
