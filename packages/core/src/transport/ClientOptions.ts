/** The options of a client, checked before anything is sent. */
import * as Context from "effect/Context"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { isLoopback } from "../domain/Loopback.ts"
import { defaultLinkField, defaultPathPrefix } from "../domain/ServiceNames.ts"
import type { CallLimits, ClientOptions as Options, ResponseInfo } from "../promise/ClientOptions.ts"
import type { SecretInput } from "../promise/Secret.ts"
import { RequestInvalid } from "./ApiError.ts"

/** Text, a `Redacted`, or the `Secret` of the Promise client. */
export type Secret = Redacted.Redacted | SecretInput

export interface ClientOptions extends Options<Secret> {}

/** Options of one call: provide them to its effect or stream. */
export const CallOptions = Context.Reference<CallLimits>("@threat-exposure/core/transport/ClientOptions/CallOptions", {
  defaultValue: () => ({})
})

/** The options with their defaults. */
export interface Settings {
  /** Ends without a slash. */
  readonly baseUrl: string
  readonly authentication: Authentication
  readonly pathPrefix: string
  readonly linkField: string
  readonly limits: Limits
  readonly retryDelay: number
  readonly rateLimits: NonNullable<ClientOptions["rateLimits"]>
  readonly readAhead: boolean
  readonly onResponse: (response: ResponseInfo) => void
  readonly onUnreadable: ClientOptions["onUnreadable"]
}

export interface Limits {
  readonly timeout: number
  readonly deadline: number
  readonly retries: number
}

export type Authentication =
  | { readonly _tag: "Constant"; readonly token: string }
  | { readonly _tag: "Source"; readonly ask: () => Secret | PromiseLike<Secret> }
  | { readonly _tag: "Key"; readonly apiKey: string; readonly tenantId: number | undefined }

export const settingsOf = (options: ClientOptions): Result.Result<Settings, RequestInvalid> =>
  Result.gen(function* () {
    const pathPrefix = String(options.pathPrefix ?? defaultPathPrefix).replace(/^\/+|\/+$/gu, "")
    if (!/^[\w.~-]*\w[\w.~-]*(?:\/[\w.~-]*\w[\w.~-]*)*$/u.test(pathPrefix)) {
      return yield* refuseOption("pathPrefix", "must be a single segment of a path, such as svc")
    }
    const linkField = options.linkField ?? defaultLinkField
    if (linkField === "") return yield* refuseOption("linkField", "must not be empty")
    return {
      baseUrl: yield* baseUrlOf(options.baseUrl),
      authentication: yield* authenticationOf(options),
      pathPrefix,
      linkField,
      limits: yield* limitsOf(options, { timeout: 30_000, deadline: 180_000, retries: 4 }),
      retryDelay: yield* number("retryDelay", options.retryDelay ?? 250, zeroOrMore),
      rateLimits: {
        search: yield* number("rateLimits.search", options.rateLimits?.search, aboveZero),
        basic: yield* number("rateLimits.basic", options.rateLimits?.basic, aboveZero)
      },
      readAhead: options.readAhead ?? false,
      onResponse: options.onResponse ?? (() => undefined),
      onUnreadable: options.onUnreadable
    }
  })

/** The given limits, with `usual` as default. */
export const limitsOf = (
  given: CallLimits,
  usual: Limits,
  operation = "client options"
): Result.Result<Limits, RequestInvalid> =>
  Result.all({
    timeout: number("timeout", given.timeout ?? usual.timeout, aboveZero, operation),
    deadline: number("deadline", given.deadline ?? usual.deadline, aboveZero, operation),
    retries: number("retries", given.retries ?? usual.retries, wholeOrZero, operation)
  })

/** Checks that a token or key is valid in a header. Fails with the broken rule, without the value. */
export const headerValue = (name: string, secret: unknown): Result.Result<string, string> => {
  const value = revealed(secret)
  if (typeof value !== "string" || value.trim() === "") return Result.fail(`the ${name} is empty`)
  return /^[\u0021-\u007e]+$/u.test(value.trim())
    ? Result.succeed(value.trim())
    : Result.fail(
        `the ${name} contains characters that are not allowed in a header; was something else pasted with it?`
      )
}

const revealed = (secret: unknown): unknown => {
  if (Redacted.isRedacted(secret)) return Redacted.value(secret)
  return isRevealable(secret) ? secret.reveal() : secret
}

/** Whether it is a `Secret` of the Promise client. */
export const isRevealable = (value: unknown): value is Exclude<SecretInput, string> =>
  typeof value === "object" && value !== null && "reveal" in value && typeof value.reveal === "function"

const refuse = (rule: string) => Result.fail(new RequestInvalid({ operation: "client options", rule }))

const refuseOption = (option: string, rule: string, operation = "client options") =>
  Result.fail(new RequestInvalid({ operation, option, rule: `${option} ${rule}` }))

const aboveZero = { holds: (value: number) => value > 0, words: "above 0" }
const zeroOrMore = { holds: (value: number) => value >= 0, words: "of 0 or more" }
const wholeOrZero = {
  holds: (value: number) => Number.isInteger(value) && value >= 0,
  words: "of 0 or more, without a fraction"
}

function number<Value extends number | undefined>(
  name: string,
  value: Value,
  rule: { readonly holds: (value: number) => boolean; readonly words: string },
  operation?: string
): Result.Result<Value, RequestInvalid> {
  return value === undefined || (Number.isFinite(value) && rule.holds(value))
    ? Result.succeed(value)
    : refuseOption(name, `must be a number ${rule.words}`, operation)
}

/** Never repeats the value: a refused base URL may contain credentials. */
const baseUrlOf = (given: string | URL): Result.Result<string, RequestInvalid> => {
  if (given == null) return refuseOption("baseUrl", "is missing; it must look like https://api.example.com")
  const text = String(given).trim()
  if (!URL.canParse(text)) return refuseOption("baseUrl", "is not a URL; it must look like https://api.example.com")
  const url = new URL(text)
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
    return refuseOption(
      "baseUrl",
      "must begin with https:// (http:// is allowed for loopback addresses only), so that the token is never sent unencrypted"
    )
  }
  if (url.username !== "" || url.password !== "") {
    return refuseOption("baseUrl", "must not contain a user name or password; give the token as an option of its own")
  }
  if (url.search !== "" || url.hash !== "" || /[?#]/u.test(text)) {
    return refuseOption("baseUrl", "must not contain a query (?) or a fragment (#)")
  }
  return Result.succeed(`${url.origin}${url.pathname.replace(/\/+$/u, "")}`)
}

const authenticationOf = ({
  apiKey,
  tenantId,
  token
}: ClientOptions): Result.Result<Authentication, RequestInvalid> => {
  if ((token === undefined) === (apiKey === undefined)) return refuse("give either token or apiKey")
  if (tenantId !== undefined && (apiKey === undefined || !Number.isInteger(tenantId))) {
    return refuseOption("tenantId", "must be a whole number, and is only valid together with apiKey")
  }
  if (typeof token === "function") return Result.succeed({ _tag: "Source", ask: token })
  const named = token === undefined ? "apiKey" : "token"
  const value = headerValue(named, token ?? apiKey ?? "")
  if (Result.isFailure(value)) return refuse(value.failure)
  return Result.succeed(
    named === "token" ? { _tag: "Constant", token: value.success } : { _tag: "Key", apiKey: value.success, tenantId }
  )
}
