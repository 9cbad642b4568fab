import { Predicate } from "effect"

/** A service to sign in to, as the setting holds it; its token or key is in the secret storage. */
export interface Profile {
  readonly name: string
  readonly baseUrl: string
  readonly pathPrefix?: string | undefined
  readonly linkField?: string | undefined
  readonly signInWith?: "token" | "apiKey"
  readonly tenantId?: number
}

/** Checked without a schema: the profiles are read on activation, and schemas are not loaded by then. */
export const isProfile = (value: unknown): value is Profile => wrongFields(value).length === 0

/** The fields that are missing or not what they should be. */
export const wrongFields = (value: unknown): ReadonlyArray<string> =>
  Object.entries(fields).flatMap(([name, isRight]) =>
    isRight(Predicate.isReadonlyObject(value) ? value[name] : undefined) ? [] : [name]
  )

const optional = (isRight: Predicate.Predicate<unknown>) => Predicate.or(isRight, Predicate.isUndefined)

const fields: Readonly<Record<keyof Profile, Predicate.Predicate<unknown>>> = {
  name: (value) => Predicate.isString(value) && value !== "",
  baseUrl: Predicate.isString,
  pathPrefix: optional(Predicate.isString),
  linkField: optional(Predicate.isString),
  signInWith: optional((value) => value === "token" || value === "apiKey"),
  tenantId: optional(Number.isSafeInteger)
}
