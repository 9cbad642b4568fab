import * as Effect from "effect/Effect"
import * as HttpMethod from "effect/http/HttpMethod"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Endpoint } from "../api/Endpoints.ts"
import type { Cursor } from "../domain/Page.ts"
import { RequestInvalid } from "./ApiError.ts"
import type { Call } from "./Call.ts"
import { isRevealable, type SecretInput } from "./ClientOptions.ts"
import { faultsOf, inOneLine } from "../domain/schema/SchemaFaults.ts"

/** A request in the form that a caller may write: secrets as text or redacted, optional fields absent or undefined. */
export type RequestInput<A> = {
  readonly [Key in keyof A]: {} extends Pick<A, Key> ? FieldInput<A[Key]> | undefined : FieldInput<A[Key]>
}

type FieldInput<A> =
  A extends Redacted.Redacted<unknown>
    ? SecretInput
    : A extends ReadonlyArray<infer Item>
      ? ReadonlyArray<FieldInput<Item>>
      : A extends object
        ? RequestInput<A>
        : A

/** The request of a listing by query, whose `from` may be null, like `next` of a page. */
export type ListRequestInput<Request> = Omit<RequestInput<Request>, "from"> & {
  readonly from?: Cursor | null | undefined
}

/** Unknown fields are faults, because a service silently ignores a filter at the wrong level. */
const strict = { errors: "all", onExcessProperty: "error" } as const

/** Encodes the parameters of a path or query as text, by name. */
export const textEncoder = (schema: Endpoint["query"]) => {
  if (schema === undefined) return () => Effect.succeed<typeof Texts.Type>({})
  const whole = Schema.isSchema(schema) ? schema : Schema.Struct(schema)
  const encode = Schema.encodeUnknownEffect(Schema.toCodecStringTree(whole), strict)
  return (given: unknown) =>
    encode(plain(given ?? {})).pipe(
      Effect.flatMap(asTexts),
      Effect.mapError(({ issue }) => inOneLine(faultsOf(issue)))
    )
}

const Texts = Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Array(Schema.String), Schema.Undefined]))
const asTexts = Schema.decodeUnknownEffect(Texts)

/** Encodes a body, and collects the secrets in it: the values that the schema redacts. */
export const bodyEncoder = (schema: Endpoint["payload"]) => {
  if (schema === undefined) return () => Effect.succeed({ body: undefined, secrets: [] })
  const codec = Schema.toCodecJson(schema)
  const decode = Schema.decodeUnknownEffect(codec, strict)
  const encode = Schema.encodeUnknownEffect(codec, strict)
  return (given: unknown) =>
    Effect.flatMap(decode(plain(given ?? {})), (decoded) =>
      Effect.map(encode(decoded), (body) => ({ body, secrets: secretsIn(decoded) }))
    ).pipe(Effect.mapError(({ issue }) => inOneLine(faultsOf(issue))))
}

/** Query and body of an operation that the client has no types for. */
export interface RawRequest {
  /** An array repeats the parameter; null and undefined omit it. */
  readonly query?: { readonly [name: string]: RawValue | ReadonlyArray<RawValue> } | undefined
  /** The body, which is sent as JSON. */
  readonly body?: unknown
}

type RawValue = SecretInput | number | boolean | null | undefined

export const rawCall = (
  method: string,
  path: string,
  { body, query = {} }: RawRequest
): Effect.Effect<Call, RequestInvalid> => {
  const operation = "ApiClient.request"
  const refuse = (rule: string) => Effect.fail(new RequestInvalid({ operation, rule }))
  if (!HttpMethod.isHttpMethod(method)) return refuse("the method must be an HTTP method, in capital letters")
  if (!/^(?:\/[\w.~!$&'()*+,;=:@%-]*)+$/u.test(path) || /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/iu.test(path)) {
    return refuse("the path must begin with a slash, be encoded, and hold no query and no . or .. segment")
  }
  const isRead = method === "GET" || method === "HEAD"
  if (isRead && body !== undefined) return refuse(`a ${method} has no body: use the query`)
  const texts = Object.entries(query).map(
    ([name, value]) =>
      [
        name,
        [plain(value)]
          .flat()
          .filter((one) => one != null)
          .map(String)
      ] as const
  )
  return Effect.succeed({
    operation,
    method,
    path,
    query: queryString(Object.fromEntries(texts)),
    body: plain(body),
    secrets: [...secretsOfRaw(body), ...secretsOfRaw(query)],
    permission: undefined,
    tier: "basic",
    isRead,
    acceptsAnySuccess: true
  })
}

/** Redacted values, and all texts and numbers in fields that are named like a secret. */
const secretsOfRaw = (value: unknown, isSecret = false): ReadonlyArray<string> => {
  if (Redacted.isRedacted(value) || isRevealable(value)) return [String(plain(value))]
  if (typeof value === "string" || typeof value === "number") return isSecret ? [String(value)] : []
  if (Array.isArray(value)) return value.flatMap((item) => secretsOfRaw(item, isSecret))
  return Predicate.isObject(value)
    ? Object.entries(value).flatMap(([name, field]) => secretsOfRaw(field, isSecret || secretName.test(name)))
    : []
}

const secretName = /secret|password|token|hash|key$/iu

const plain = (value: unknown): unknown => {
  if (Redacted.isRedacted(value)) return Redacted.value(value)
  if (Array.isArray(value)) return value.map(plain)
  if (!Predicate.isObject(value)) return value
  if (isRevealable(value)) return value.reveal()
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .map(([key, field]) => [key, plain(field)])
  )
}

const secretsIn = (value: unknown): ReadonlyArray<string> => {
  if (Redacted.isRedacted(value)) return [String(Redacted.value(value))]
  return Predicate.isObjectOrArray(value) ? Object.values(value).flatMap(secretsIn) : []
}

export const expandPath = (template: string, params: typeof Texts.Type) =>
  Effect.suspend(() => {
    const unfit: Array<string> = []
    const path = template.replace(/:(\w+)/gu, (_, name: string) => {
      const value = params[name]
      if (typeof value === "string" && value !== "" && value !== "." && value !== "..") return encodePart(value)
      unfit.push(name)
      return ""
    })
    return unfit.length === 0
      ? Effect.succeed(path)
      : Effect.fail(`${unfit.join(", ")}: Expected a value other than an empty one, . and ..`)
  })

export const queryString = (query: typeof Texts.Type) => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value ?? []].flat().map((value) => `${encodePart(name)}=${encodePart(value)}`)
  )
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`
}

/** Replaces lone surrogates, as `URLSearchParams` does; `encodeURIComponent` throws on them. */
const encodePart = (text: string): string => encodeURIComponent(text.toWellFormed())
