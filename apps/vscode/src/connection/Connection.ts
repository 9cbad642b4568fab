/** The state of the connection: who is signed in. Does not use Effect, because activation reads it first. */
import { isProfile, type Profile, type ProfileWithToken } from "./Profile.ts"

/** Each sign-in is a new object: connections are compared by identity. */
export interface SignedIn {
  readonly _tag: "SignedIn"
  readonly profile: Profile
}

export type Connection =
  | SignedIn
  | { readonly _tag: "SignedOut" }
  | { readonly _tag: "Expired"; readonly profile: Profile }

/** Whether the service answered the last request; `unknown` before the first one. */
export type Health = "unknown" | "answering" | "silent"

export const signedOut: Connection = { _tag: "SignedOut" }
export const signedIn = (profile: Profile): SignedIn => ({ _tag: "SignedIn", profile })

/** The key of a profile's token or API key in the secret storage. */
export const secretKey = ({ name }: Pick<Profile, "name">) => `threatExposure.secret.${name}`

/** A secret as the secret storage holds it, together with its origin, so that it is never sent to another origin. */
export const bindSecret = (profile: Pick<Profile, "baseUrl">, secret: string): string =>
  `${originOf(profile)}\n${secret}`
/**
 * The secret of a stored text; undefined if it was stored for another origin. Earlier versions stored the secret alone.
 */
export const boundSecret = (profile: Pick<Profile, "baseUrl">, stored: string | undefined): string | undefined => {
  if (stored === undefined || !isBound(stored)) return stored
  const end = stored.indexOf("\n")
  return stored.slice(0, end) === originOf(profile) ? stored.slice(end + 1) : undefined
}
export const isBound = (stored: string): boolean => stored.includes("\n")
const originOf = ({ baseUrl }: Pick<Profile, "baseUrl">): string =>
  URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl

/**
 * Identifies the service and the tenant. A profile's name does not: a new profile may have the name of a removed one.
 */
export const serviceOf = ({ baseUrl, pathPrefix = "", tenantId }: Profile): string =>
  [baseUrl, pathPrefix, tenantId ?? ""].join(" ")
export const chosenKey = "profile"
/**
 * Keys of the data that the editor stores per profile. Renaming a profile moves the data, and removing it deletes the
 * data.
 */
export const keptOfProfile = ["left", "register", "leakCheck.clean", "leakCheck.consent", "triage", "overview"] as const
export const keptKey = (what: (typeof keptOfProfile)[number], { name }: Pick<Profile, "name">) => `${what}.${name}`
/**
 * Set on sign-out, because other windows may still have the secret, and a process with the secret in its environment
 * keeps it.
 */
export const leftKey = (profile: Pick<Profile, "name">) => keptKey("left", profile)

/** The profile from the environment comes first, and replaces a saved profile with the same name. */
export const withGiven = (saved: ReadonlyArray<Profile>, given: Profile | undefined): ReadonlyArray<Profile> =>
  given === undefined ? saved : [given, ...saved.filter(({ name }) => name !== given.name)]

/** The chosen profile; before a choice, the first one. */
export const chosenAmong = (profiles: ReadonlyArray<Profile>, chosen: unknown): Profile | undefined =>
  profiles.find(({ name }) => name === chosen) ?? (chosen === undefined ? profiles[0] : undefined)

/** The stored data of the editor, as activation reads it. */
export interface SavedState {
  readonly setting: (name: string) => unknown
  readonly recall: (scope: "everywhere" | "here", key: string) => unknown
  readonly secret: (key: string) => PromiseLike<string | undefined>
}

/** All signed-in profiles as accounts of the editor. */
export const savedAccounts = async (saved: SavedState, given: ProfileWithToken | undefined) => {
  const accounts = profilesIn(saved, given?.profile).map(async (profile) => {
    if (saved.recall("everywhere", leftKey(profile)) === true) return []
    const token = profile.name === given?.profile.name ? given.token : await savedSecret(saved, profile)
    const { name, signInWith: scope = "token" } = profile
    // The storage holds a placeholder for a profile without credentials. It is never sent.
    return token === undefined ? [] : [{ name, scope, token: scope === "none" ? "" : token }]
  })
  return (await Promise.all(accounts)).flat()
}

/**
 * Environment variables with which our command line signs in as the chosen profile; undefined if signed out or if a
 * proxy adds the credentials.
 */
export const savedEnvironment = async (
  saved: SavedState,
  given: ProfileWithToken | undefined
): Promise<Readonly<Record<string, string>> | undefined> => {
  const connection = await savedConnection(saved, given?.profile)
  if (connection._tag !== "SignedIn") return undefined
  const { baseUrl, name, pathPrefix } = connection.profile
  const account = (await savedAccounts(saved, given)).find((each) => each.name === name)
  if (account === undefined || account.scope === "none") return undefined
  return {
    THREAT_EXPOSURE_BASE_URL: baseUrl,
    [account.scope === "apiKey" ? "THREAT_EXPOSURE_API_KEY" : "THREAT_EXPOSURE_TOKEN"]: account.token,
    ...(pathPrefix === undefined ? {} : { THREAT_EXPOSURE_PATH_PREFIX: pathPrefix })
  }
}

const profilesIn = (saved: SavedState, given: Profile | undefined) => {
  const setting = saved.setting("profiles")
  const entries: ReadonlyArray<unknown> = Array.isArray(setting) ? setting : []
  return withGiven(entries.filter(isProfile), given)
}

export const savedConnection = async (saved: SavedState, given: Profile | undefined): Promise<Connection> => {
  const chosen = saved.recall("here", chosenKey) ?? saved.recall("everywhere", chosenKey)
  const profile = chosenAmong(profilesIn(saved, given), chosen)
  if (profile === undefined || saved.recall("everywhere", leftKey(profile)) === true) return signedOut
  const hasSecret = profile.name === given?.name || (await savedSecret(saved, profile)) !== undefined
  return hasSecret ? signedIn(profile) : signedOut
}

const savedSecret = async (saved: SavedState, profile: Profile) =>
  boundSecret(profile, await saved.secret(secretKey(profile)))
