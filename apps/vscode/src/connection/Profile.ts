/** A service to sign in to, as stored in the setting; its token or key is in the secret storage. */
export interface Profile {
  readonly name: string
  readonly baseUrl: string
  readonly pathPrefix?: string | undefined
  readonly linkField?: string | undefined
  readonly signInWith?: SignInWith
  readonly tenantId?: number
}

/** With `none`, requests have no credentials, because a proxy adds them. */
export const signInWays = ["token", "apiKey", "none"] as const
export type SignInWith = (typeof signInWays)[number]

/** Validates without a schema, because activation reads the profiles before schemas are loaded. */
export const isProfile = (value: unknown): value is Profile => wrongFields(value).length === 0

/** Names of the fields that are missing or invalid. */
export const wrongFields = (value: unknown): ReadonlyArray<string> =>
  Object.entries(fields).flatMap(([name, isRight]) =>
    isRight(typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined) ? [] : [name]
  )

type Check = (value: unknown) => boolean

const isString: Check = (value) => typeof value === "string"
const optional =
  (isRight: Check): Check =>
  (value) =>
    value === undefined || isRight(value)

const fields: Readonly<Record<keyof Profile, Check>> = {
  name: (value) => isString(value) && value !== "",
  baseUrl: isString,
  pathPrefix: optional(isString),
  linkField: optional(isString),
  signInWith: optional((value) => signInWays.some((way) => way === value)),
  tenantId: optional(Number.isSafeInteger)
}

/** A profile and its token from environment variables, which Codespaces and containers set. */
export interface ProfileWithToken {
  readonly profile: Profile
  readonly token: string
}

export const profileIn = (environment: Readonly<Record<string, string | undefined>>): ProfileWithToken | undefined => {
  const read = (name: string) => environment[`THREAT_EXPOSURE_${name}`]
  const [baseUrl, token] = [read("BASE_URL"), read("TOKEN")]
  if (baseUrl === undefined || token === undefined) return undefined
  const name = read("PROFILE") ?? "environment"
  return { profile: { baseUrl, pathPrefix: read("PATH_PREFIX"), linkField: read("LINK_FIELD"), name }, token }
}
