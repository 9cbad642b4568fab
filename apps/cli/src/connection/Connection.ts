/** Resolves the connection: flags, then the environment, then the saved profile. */
import { type AuthenticationOptions, type ClientOptions, settingsOf } from "@threat-exposure/core/client/ClientOptions"
import { environmentVariable } from "@threat-exposure/leak-check/EnvironmentVariable"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { exitCodes } from "../ExitCode.ts"
import { baseUrlFlag, defaultProfile, pathPrefixFlag, profileFlag } from "./ConnectionFlags.ts"
import { type Profile, Profiles } from "./Profiles.ts"

/** No base URL of a service is configured. */
export class BaseUrlMissing extends Schema.TaggedError<BaseUrlMissing>()("BaseUrlMissing", {
  /** Name of a profile that the user gave and that does not exist. */
  missingProfile: Schema.optional(Schema.String),
  knownProfiles: Schema.optional(Schema.Array(Schema.String))
}) {
  readonly exitCode = exitCodes.usage

  override get message() {
    if (this.missingProfile === undefined) {
      return "The address of the service is missing: give --base-url, set THREAT_EXPOSURE_BASE_URL, or run threat-exposure login"
    }
    return `${noProfile(this.missingProfile, this.knownProfiles)}: run threat-exposure login with this --profile to save it`
  }
}

/** Names the profiles that exist beside the one that does not. */
export const noProfile = (missing: string, known: ReadonlyArray<string> = []): string =>
  `There is no profile "${missing}"${known.length === 0 ? "" : ` (saved: ${known.join(", ")})`}`

/** There is no token or API key for the service. */
export class NotSignedIn extends Schema.TaggedError<NotSignedIn>()("NotSignedIn", { reason: Schema.String }) {
  readonly exitCode = exitCodes.refused

  override get message() {
    return `${this.reason}: run threat-exposure login, or set THREAT_EXPOSURE_TOKEN or THREAT_EXPOSURE_API_KEY`
  }
}

/** The client rejects the value of a setting of the connection. */
export class ConnectionInvalid extends Schema.TaggedError<ConnectionInvalid>()("ConnectionInvalid", {
  message: Schema.String
}) {
  readonly exitCode = exitCodes.usage
}

export interface Connection {
  readonly options: ClientOptions
  readonly secret: Redacted.Redacted
  /** Source of the secret, for `whoami`. */
  readonly source: string
}

/** The value of a setting, and its name in messages. */
export interface Given {
  readonly value: string
  readonly name: string
}

/** Reads a flag or else a variable; the profile is not considered. */
const readFlagOrVariable = Effect.fnUntraced(function* (
  flag: typeof baseUrlFlag | typeof pathPrefixFlag,
  name: string,
  variable: string
): Effect.fn.Return<Given | undefined, never, Effect.Services<typeof baseUrlFlag | typeof pathPrefixFlag>> {
  const ofFlag = Option.getOrUndefined(yield* flag)
  if (ofFlag !== undefined) return { value: ofFlag, name }
  const ofVariable = yield* environmentVariable(variable)
  return ofVariable === undefined ? undefined : { value: ofVariable, name: variable }
})

export const givenBaseUrl = readFlagOrVariable(baseUrlFlag, "--base-url", "THREAT_EXPOSURE_BASE_URL")
export const givenPathPrefix = readFlagOrVariable(pathPrefixFlag, "--path-prefix", "THREAT_EXPOSURE_PATH_PREFIX")

/** Validates the options as the client does. `names` maps options to their names in messages. */
export const validateOptions = (options: ClientOptions, names: Readonly<Partial<Record<string, string>>>) =>
  Effect.fromResult(settingsOf(options)).pipe(
    Effect.mapError(
      ({ rule }) =>
        new ConnectionInvalid({
          message: rule.replace(/^(?:the )?(\w+)/u, (words, option: string) => names[option] ?? words)
        })
    ),
    Effect.as(options)
  )

export const resolveConnection = Effect.gen(function* () {
  const name = yield* profileFlag
  const profiles = yield* Profiles
  const givenUrl = yield* givenBaseUrl
  const givenPrefix = yield* givenPathPrefix
  const linkField = yield* environmentVariable("THREAT_EXPOSURE_LINK_FIELD")
  const token = yield* environmentVariable("THREAT_EXPOSURE_TOKEN")
  const apiKey = yield* environmentVariable("THREAT_EXPOSURE_API_KEY")
  const fromEnvironment = token !== undefined || apiKey !== undefined
  const profile = fromEnvironment && givenUrl !== undefined ? undefined : yield* profiles.get(name)
  const baseUrl = givenUrl?.value ?? profile?.baseUrl
  const isUnknown = profile === undefined && name !== defaultProfile && !(yield* profiles.names).includes(name)
  if (isUnknown && (baseUrl === undefined || fromEnvironment)) {
    return yield* new BaseUrlMissing({ missingProfile: name, knownProfiles: yield* profiles.names })
  }
  if (baseUrl === undefined) return yield* new BaseUrlMissing({})
  const saved = `the profile "${name}"`
  const common = { baseUrl, pathPrefix: givenPrefix?.value ?? profile?.pathPrefix, linkField }
  const names = {
    baseUrl: givenUrl?.name ?? `The address of ${saved}`,
    pathPrefix: givenPrefix?.name ?? `The path prefix of ${saved}`,
    linkField: "THREAT_EXPOSURE_LINK_FIELD"
  }
  const connected = (signIn: SignIn, source: string, name = source) =>
    Effect.map(
      validateOptions({ ...common, ...secretOf(signIn) }, { ...names, token: name, apiKey: name }),
      (options) => ({
        options,
        secret: signIn.secret,
        source
      })
    )
  if (token !== undefined) {
    return yield* connected({ kind: "token", secret: Redacted.make(token) }, "THREAT_EXPOSURE_TOKEN")
  }
  if (apiKey !== undefined) {
    return yield* connected({ kind: "api-key", secret: Redacted.make(apiKey) }, "THREAT_EXPOSURE_API_KEY")
  }
  if (profile === undefined) {
    return yield* new NotSignedIn({ reason: `Not signed in to ${withoutQuery(baseUrl)} as ${saved}` })
  }
  // Send a token only to the service that it was saved for.
  if (!isSameService(baseUrl, profile.baseUrl)) {
    return yield* new NotSignedIn({ reason: `The profile "${name}" is for ${withoutQuery(profile.baseUrl)}` })
  }
  const { secret } = profile
  if (secret === undefined) {
    return yield* new NotSignedIn({
      reason: `There is no token of ${saved} for ${withoutQuery(profile.baseUrl)} in its file or in the system's keyring, which may be locked`
    })
  }
  return yield* connected({ ...profile, secret }, saved, `The secret of ${saved}`)
}) satisfies Effect.Effect<Connection, unknown, unknown>

/** Options of the client for a profile, which need not be saved. */
export const optionsOf = (profile: Profile): ClientOptions => ({
  baseUrl: profile.baseUrl,
  pathPrefix: profile.pathPrefix,
  ...secretOf(profile)
})

type SignIn = Pick<Profile, "kind" | "secret"> & Partial<Pick<Profile, "tenantId">>

const secretOf = ({ kind, secret, tenantId }: SignIn): AuthenticationOptions =>
  kind === "token" ? { token: secret } : { apiKey: secret, ...(tenantId === undefined ? {} : { tenantId }) }

const isSameService = (a: string, b: string) =>
  URL.canParse(a) && URL.canParse(b) && withoutSlash(new URL(a).href) === withoutSlash(new URL(b).href)

const withoutSlash = (href: string) => href.replace(/\/+$/u, "")

/** Removes user, password and query: the address of a message may contain a secret. */
const withoutQuery = (address: string) => {
  if (!URL.canParse(address)) return "the service"
  const { host, pathname, protocol } = new URL(address)
  return `${protocol}//${host}${pathname === "/" ? "" : pathname}`
}
