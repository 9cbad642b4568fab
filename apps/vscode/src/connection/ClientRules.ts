/** Applies the client's validation of an address, a path and a secret to the sign-in form. */
import { type ClientOptions, settingsOf } from "@threat-exposure/core/client/ClientOptions"
import { Result } from "effect"
import { t } from "../words/Localisation.ts"

/** The first fault of the given values; undefined if they are valid. */
export const faultOf = (given: {
  readonly baseUrl: string
  readonly pathPrefix?: string | undefined
  readonly token?: string
}): string | undefined =>
  Result.match(
    settingsOf({ baseUrl: given.baseUrl, pathPrefix: given.pathPrefix, token: given.token ?? "unknown-yet" }),
    { onSuccess: () => undefined, onFailure: ({ rule }) => t(inWords(rule)) }
  )

/** Replaces the names of the client's options in a rule with the labels of the form's fields. */
export const inWords = (rule: string): string => {
  const words = Object.entries(names).reduce(
    (text, [option, name]) => text.replaceAll(new RegExp(String.raw`\b${option}\b`, "gu"), name),
    rule
  )
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const names = {
  baseUrl: "the address",
  pathPrefix: "the path prefix",
  linkField: "the link field",
  apiKey: "API key",
  tenantId: "the tenant's number"
} as const satisfies Partial<Record<keyof ClientOptions, string>>
