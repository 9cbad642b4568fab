/** How one endpoint of the API is called: its request checked and written, its answer read. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { Endpoint } from "../api/Endpoints.ts"
import { LinkField } from "../domain/Event.ts"
import type { Cursor } from "../domain/Page.ts"
import type { SecretInput } from "../promise/Secret.ts"
import { type ApiError, RequestInvalid, UnexpectedResponse } from "./ApiError.ts"
import { type Call, type CallResponse, errorContext } from "./Call.ts"
import { isRevealable } from "./ClientOptions.ts"
import { makeScrubber } from "./Scrubber.ts"
import type { Transport } from "./Transport.ts"

/** A request as a caller may write it: a secret as text or redacted, an optional field absent or undefined. */
export type RequestInput<A> = A extends string | number | boolean | null | undefined
  ? A
  : A extends Redacted.Redacted<infer Value>
    ? Value | A | SecretInput
    : A extends ReadonlyArray<infer Item>
      ? ReadonlyArray<RequestInput<Item>>
      : A extends object
        ? {
            readonly [Key in keyof A]: {} extends Pick<A, Key> ? RequestInput<A[Key]> | undefined : RequestInput<A[Key]>
          }
        : A

/** The request of a listing by query, whose `from` may be null as a page's `next` may. */
export type ListRequestInput<Request> = Omit<RequestInput<Request>, "from"> & {
  readonly from?: Cursor | null | undefined
}

/** The parts of a request that an endpoint takes. */
export type Parts<E extends Endpoint> = Part<"params", E> & Part<"query", E> & Part<"payload", E>

type Part<Name extends string, E> = E extends { readonly [Key in Name]: infer S }
  ? { readonly [Key in Name]: RequestInput<TypeOf<S>> }
  : { readonly [Key in Name]?: undefined }

type TypeOf<S> = S extends Schema.Top ? S["Type"] : S extends Schema.Struct.Fields ? Schema.Struct<S>["Type"] : never

/** What an endpoint gives. */
export type Success<E extends Endpoint> = E extends { readonly success: infer S } ? TypeOf<S> : void

export interface Operation<in P, out A> {
  /** Such as `Credentials.search`. */
  readonly name: string
  /** Whether a page of it may cost a unit of the search quota. */
  readonly costsQuota: boolean
  readonly call: (parts: P, from?: Cursor | null) => Effect.Effect<Call, RequestInvalid>
  readonly read: (response: CallResponse, call: Call, linkField: string) => Effect.Effect<A, UnexpectedResponse>
}

export const operation = <E extends Endpoint>(endpoint: E): Operation<Parts<E>, Success<E>> => {
  const name = `${endpoint.operation.charAt(0).toUpperCase()}${endpoint.operation.slice(1)}`
  const isEmpty = endpoint.success === undefined
  // Built when first used: a program starts sooner, and seldom uses all.
  const codecs = lazily(() => ({
    encodeParams: encoderOf(endpoint.params),
    encodeQuery: encoderOf(endpoint.query),
    encodePayload: payloadEncoderOf(endpoint.payload),
    decode: Schema.decodeUnknownEffect(successOf(endpoint))
  }))

  const call: Operation<Parts<E>, unknown>["call"] = ({ params, payload, query }, from) => {
    const context = errorContext({ operation: name, from })
    return Effect.gen(function* () {
      const { encodeParams, encodePayload, encodeQuery } = codecs()
      const path = yield* encodeParams(params)
      const search = yield* encodeQuery(query)
      const { body, secrets } = yield* encodePayload(payload)
      const { isRead, method, permission, tier } = endpoint
      return {
        ...context,
        isRead,
        method,
        permission,
        tier,
        path: yield* filledPath(endpoint.path, path),
        query: queryString(search),
        body,
        secrets
      }
    }).pipe(Effect.mapError((rule) => new RequestInvalid({ ...context, rule })))
  }

  const read: Operation<Parts<E>, Success<E>>["read"] = (response, call, linkField) => {
    const { decode } = codecs()
    const { attempts, requestId, status } = response
    const scrubber = makeScrubber(call.secrets)
    const unexpected = (reason: string) =>
      new UnexpectedResponse({
        ...errorContext(call),
        attempts,
        status,
        requestId: requestId === undefined ? undefined : scrubber.text(requestId),
        reason
      })
    const body = isEmpty ? Result.succeed(undefined) : response.body
    if (Result.isFailure(body)) return Effect.fail(unexpected(body.failure))
    return decode(body.success).pipe(
      Effect.provideService(LinkField, linkField),
      Effect.mapError(({ issue }) => {
        return unexpected(`its body is not what the specification says: ${scrubber.text(faultsOf(issue))}`)
      }),
      // Deeply nested data overflows the stack.
      Effect.catchDefect((defect) =>
        defect instanceof RangeError ? Effect.fail(unexpected("its body is nested too deeply")) : Effect.die(defect)
      )
    )
  }

  return { name, costsQuota: endpoint.tier === "search", call, read }
}

/** Sends it and reads the response. */
export const invoke = <P, A>(transport: Transport, operation: Operation<P, A>, parts: P): Effect.Effect<A, ApiError> =>
  Effect.gen(function* () {
    const call = yield* operation.call(parts)
    return yield* operation.read(yield* transport.send(call), call, transport.linkField)
  }).pipe(Effect.withSpan(operation.name))

const lazily = <A extends object>(make: () => A) => {
  let made: A | undefined
  return () => (made ??= make())
}

/** Names the place and what was expected there, never what was found: the issues do not hold it. */
const faultsOf = (issue: SchemaIssue.Issue) =>
  formatIssue(issue)
    .issues.slice(0, mostFaults)
    .map(({ message, path }) =>
      [(path ?? []).map(shownKey).join("."), message].filter((part) => part !== "").join(": ")
    )
    .join("; ")

/** A key of an answer may be text from a leak: only what looks like a field's name is repeated. */
const shownKey = (key: unknown) => (/^\w{1,40}$/u.test(String(key)) ? String(key) : "…")

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "UnexpectedKey") return "there is no such field here"
    return issue._tag === "MissingKey" ? "is missing" : SchemaIssue.defaultLeafHook(issue)
  }
})
const mostFaults = 5

/** Every fault of a request at once, an unknown field among them: a filter at the wrong level would be ignored in silence. */
const strict = { errors: "all", onExcessProperty: "error" } as const

/** The parameters of a path or a query as text, by name. */
const encoderOf = (schema: Schema.Struct.Fields | Schema.Top | undefined) => {
  if (schema === undefined) return () => Effect.succeed<typeof Texts.Type>({})
  const whole = Schema.isSchema(schema) ? schema : Schema.Struct(schema)
  const encode = Schema.encodeUnknownEffect(codecOf(Schema.toCodecStringTree(whole)), strict)
  return (given: unknown) =>
    encode(plain(given ?? {})).pipe(
      Effect.flatMap(asTexts),
      Effect.mapError(({ issue }) => faultsOf(issue))
    )
}

const Texts = Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Array(Schema.String), Schema.Undefined]))
const asTexts = Schema.decodeUnknownEffect(Texts)

/** A body as it is sent, and the secrets in it: they are what the schema redacts. */
const payloadEncoderOf = (schema: Schema.Top | undefined) => {
  if (schema === undefined) return () => Effect.succeed({ body: undefined, secrets: [] })
  const codec = codecOf(Schema.toCodecJson(schema))
  const decode = Schema.decodeUnknownEffect(codec, strict)
  const encode = Schema.encodeUnknownEffect(codec, strict)
  return (given: unknown) =>
    Effect.gen(function* () {
      const decoded = yield* decode(plain(given ?? {}))
      return { body: yield* encode(decoded), secrets: secretsIn(decoded) }
    }).pipe(Effect.mapError(({ issue }) => faultsOf(issue)))
}

/** The same without redaction and without undefined fields. */
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

const filledPath = (template: string, params: typeof Texts.Type) =>
  Effect.suspend(() => {
    const unfit: Array<string> = []
    const path = template.replace(/:(\w+)/gu, (_, name: string) => {
      const value = params[name]
      if (typeof value === "string" && value !== "" && value !== "." && value !== "..") return encodeURIComponent(value)
      unfit.push(name)
      return ""
    })
    return unfit.length === 0
      ? Effect.succeed(path)
      : Effect.fail(`${unfit.join(", ")}: Expected a value that names something`)
  })

const queryString = (query: typeof Texts.Type) => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value ?? []].flat().map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  )
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`
}

// An endpoint is taken as any; these two give its schemas their types again.

function successOf<E extends Endpoint>(endpoint: E): Schema.Codec<Success<E>, unknown>
function successOf(endpoint: Endpoint): Schema.Top {
  return endpoint.success ?? Schema.Void
}

function codecOf(schema: Schema.Top): Schema.Codec<unknown, unknown>
function codecOf(schema: Schema.Top): Schema.Top {
  return schema
}
