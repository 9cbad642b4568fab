import * as Context from "effect/Context"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { isLoopback } from "../domain/Loopback.ts"
import { defaultLinkField, defaultPathPrefix } from "../domain/ServiceNames.ts"
import { RequestInvalid } from "./ApiError.ts"

/** A secret in the forms that a caller may pass: as text, or redacted as in results. */
export type SecretInput = string | Redacted.Redacted | { reveal(): string }

export type ClientOptions = AuthenticationOptions & CommonOptions

export type AuthenticationOptions = TokenOptions | KeyOptions

/** Options that were read at run time; {@link settingsOf} checks that there is exactly one way to authenticate. */
export interface UncheckedOptions extends CommonOptions {
  readonly token?: TokenOptions["token"] | undefined
  readonly apiKey?: KeyOptions["apiKey"] | undefined
  readonly tenantId?: number | undefined
}

interface TokenOptions {
  /**
   * A token, or a function that returns one: called before the first request, and once more after a 401. `createClient`
   * rejects undefined; the type allows it for environment variables that may be unset.
   */
  readonly token: SecretInput | (() => SecretInput | PromiseLike<SecretInput>) | undefined
  readonly apiKey?: undefined
  readonly tenantId?: undefined
}

interface KeyOptions {
  /** An API key. It is exchanged for a token, which is renewed after 45 minutes and once after a 401. */
  readonly apiKey: SecretInput
  /** The tenant of the token, if the key has several tenants. */
  readonly tenantId?: number | undefined
  readonly token?: undefined
}

export interface CommonOptions {
  /** An `https:` URL, or an `http:` URL with a loopback address; it may have a path. */
  readonly baseUrl: string | URL
  /** The first segment of every path, which services choose. Default: `svc`. */
  readonly pathPrefix?: string | undefined
  /**
   * The service's name for the field with the link to an event; decoded events always call it `svc_url`. Default:
   * `svc_url`.
   */
  readonly linkField?: string | undefined
  /** Timeout of one attempt in milliseconds, including the body. Default: 30,000. */
  readonly timeout?: number | undefined
  /** Deadline in milliseconds for one call including retries; in a listing, for one page. Default: 180,000. */
  readonly deadline?: number | undefined
  /** Maximum number of attempts after the first, for searches and reads only. Default: 4. */
  readonly retries?: number | undefined
  /** Milliseconds before the first retry; doubled for each further retry, up to 30 seconds. Default: 250. */
  readonly retryDelay?: number | undefined
  /**
   * The client's own limits in calls per second: `search` for the global searches and the searches of a tenant's or a
   * group's events, `basic` for everything else.
   */
  readonly rateLimits?: { readonly search?: number | undefined; readonly basic?: number | undefined } | undefined
  /**
   * Whether a global search fetches the next page while one is read, which may cost a unit of quota for a page that is
   * not used. Listings that cost no quota always read ahead; `pages` never does. Default: false.
   */
  readonly readAhead?: boolean | undefined
  /**
   * Maximum size of a response body in bytes after decompression; a larger one is an `UnexpectedResponse`. Default: 64
   * MiB.
   */
  readonly maxBytes?: number | undefined
  /** Called once per response of the service. If it throws, the call rejects with that error. */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined
  /**
   * Called for each item of a listing that cannot be decoded; the listing skips it and continues. Without this, the
   * listing delivers the other items of the page, and then fails with an `UnexpectedResponse` that has `next`; an
   * unpaged list fails immediately. If it throws, the call rejects with that error.
   */
  readonly onUnreadable?: ((item: UnreadableItem) => void) | undefined
  /** A replacement for the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** One response of the service, without headers and body. */
export interface ResponseInfo {
  readonly operation: string
  readonly method: string
  /** Path after the prefix, without the query. */
  readonly path: string
  readonly status: number
  /** Milliseconds from the start of the request to the end of the body. */
  readonly durationMs: number
  /** Number of the attempt; 1 for the first attempt of a call. */
  readonly attempt: number
  /** The header whose name ends in `request-id`. */
  readonly requestId: string | undefined
  /** The quota according to the last response of any call. */
  readonly searchesRemaining: number | undefined
}

/** An item of a listing that cannot be decoded. Of the item's values, only its id is included. */
export interface UnreadableItem {
  /** Index in the page or list. */
  readonly index: number
  /** The cursor of the page; null for the first page and for an unpaged list. */
  readonly from: string | null
  /** The faults and their places in the item. */
  readonly faults: ReadonlyArray<string>
  /** The uid of an event, if it has one. */
  readonly uid?: string
  /** The id of any other item, if it has one. */
  readonly id?: number
}

/** Options of one call, which override the options of the client. */
export interface CallLimits {
  readonly timeout?: number | undefined
  readonly deadline?: number | undefined
  readonly retries?: number | undefined
  /** Only used by listings. */
  readonly onUnreadable?: CommonOptions["onUnreadable"]
}

/** The quota of global searches, according to the service's last report. */
export interface Quota {
  /** Undefined until the service reports it. */
  readonly searchesRemaining: number | undefined
  /** Whether the next page costs another unit; undefined until the service reports it. */
  readonly batchReached: boolean | undefined
}

/** Options of one call; provide them to its effect or stream. */
export const CallOptions = Context.Reference<CallLimits>("@threat-exposure/core/transport/ClientOptions/CallOptions", {
  defaultValue: () => ({})
})

export interface Settings {
  /** The base URL without a trailing slash. */
  readonly baseUrl: string
  readonly authentication: Authentication
  readonly pathPrefix: string
  readonly linkField: string
  readonly limits: Limits
  readonly retryDelay: number
  readonly maxBytes: number
  readonly rateLimits: NonNullable<CommonOptions["rateLimits"]>
  readonly readAhead: boolean
  readonly onResponse: CommonOptions["onResponse"]
  readonly onUnreadable: CommonOptions["onUnreadable"]
}

export interface Limits {
  readonly timeout: number
  readonly deadline: number
  readonly retries: number
}

export type Authentication =
  | { readonly _tag: "Constant"; readonly token: string }
  | { readonly _tag: "Source"; readonly ask: () => SecretInput | PromiseLike<SecretInput> }
  | { readonly _tag: "Key"; readonly apiKey: string; readonly tenantId: number | undefined }

export const settingsOf = (options: UncheckedOptions): Result.Result<Settings, RequestInvalid> =>
  Result.gen(function* () {
    const pathPrefix = String(options.pathPrefix ?? defaultPathPrefix).replace(/^\/+|\/+$/gu, "")
    if (!/^[\w.~-]*\w[\w.~-]*(?:\/[\w.~-]*\w[\w.~-]*)*$/u.test(pathPrefix)) {
      return yield* refuseOption("pathPrefix", "must be segments of a path, such as svc")
    }
    const linkField = options.linkField ?? defaultLinkField
    if (linkField === "") return yield* refuseOption("linkField", "must not be empty")
    return {
      baseUrl: yield* baseUrlOf(options.baseUrl),
      authentication: yield* authenticationOf(options),
      pathPrefix,
      linkField,
      limits: yield* limitsOf(options, defaultLimits),
      retryDelay: yield* number("retryDelay", options.retryDelay ?? 250, zeroOrMore),
      maxBytes: yield* number("maxBytes", options.maxBytes ?? 64 * 1024 * 1024, aboveZero),
      rateLimits: {
        search: yield* number("rateLimits.search", options.rateLimits?.search, aboveZero),
        basic: yield* number("rateLimits.basic", options.rateLimits?.basic, aboveZero)
      },
      readAhead: options.readAhead ?? false,
      onResponse: options.onResponse,
      onUnreadable: options.onUnreadable
    }
  })

/** Default limits of a call; times are in milliseconds. */
export const defaultLimits = { timeout: 30_000, deadline: 180_000, retries: 4 } as const satisfies Limits

export const limitsOf = (
  given: CallLimits,
  defaults: Limits,
  operation = "client options"
): Result.Result<Limits, RequestInvalid> =>
  Result.all({
    timeout: number("timeout", given.timeout ?? defaults.timeout, aboveZero, operation),
    deadline: number("deadline", given.deadline ?? defaults.deadline, aboveZero, operation),
    retries: number("retries", given.retries ?? defaults.retries, wholeOrZero, operation)
  })

/** Checks that a token or key is valid in a header. Fails with the violated rule, which does not contain the value. */
export const headerValue = (name: string, secret: unknown): Result.Result<string, string> => {
  const value = revealSecret(secret)
  if (typeof value !== "string" || value.trim() === "") return Result.fail(`the ${name} is empty`)
  return /^[\u0021-\u007e]+$/u.test(value.trim())
    ? Result.succeed(value.trim())
    : Result.fail(
        `the ${name} contains characters that are not allowed in a header; was something else pasted with it?`
      )
}

const revealSecret = (secret: unknown): unknown => {
  if (Redacted.isRedacted(secret)) return Redacted.value(secret)
  return isRevealable(secret) ? secret.reveal() : secret
}

export const isRevealable = (value: unknown): value is { reveal(): string } =>
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

/** Errors never contain the value, because a rejected base URL may include credentials. */
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
}: UncheckedOptions): Result.Result<Authentication, RequestInvalid> => {
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
