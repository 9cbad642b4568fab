/**
 * The client for programs without Effect. Calls return promises, listings are async iterables, failures are `Error`s
 * with a distinct `name`, and secrets are objects with `reveal()`. Derived from the services for programs with Effect.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Pull from "effect/Pull"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { credentials } from "./api/Endpoints.ts"
import { ApiClient } from "./client/ApiClient.ts"
import { methods } from "./client/Methods.ts"
import { layer, services } from "./client/services.ts"
import { credentialPageWith } from "./domain/Credential.ts"
import { mapWithin } from "./domain/Secret.ts"
import { isKnown, isMalformed } from "./domain/TypedEvent.ts"
import type {
  ApiPromise,
  CallOptions,
  Client,
  ClientOptions,
  ItemListing,
  PageListing,
  PageOptions,
  Promised
} from "./promise/Client.ts"
import { Secret } from "./promise/Secret.ts"
import type { ApiError } from "./transport/ApiError.ts"
import { type CallSite, callInternally, captureCallSite, showCallSite } from "./transport/CallSite.ts"
import { CallOptions as Limits } from "./transport/ClientOptions.ts"
import { pagesWithResponse, RawItems, withResponse } from "./transport/Received.ts"

export { isKnown, isMalformed, Secret }
export * from "./transport/ApiError.ts"
export type * from "./promise/Client.ts"

/** Throws `RequestInvalid` for invalid options. Sends no request before the first call. */
export const createClient = (options: ClientOptions): Client => {
  // A JavaScript program may omit the options: this reports `baseUrl` as missing.
  const built = Effect.runSyncExit(Effect.scoped(Layer.build(layer({ ...options }))))
  if (Exit.isFailure(built)) throw showCallSite(Cause.squash(built.cause), captureCallSite(1))
  const context = built.value
  const { quota, request, transport, whoAmI } = Context.get(context, ApiClient)
  return {
    // Decodes hashes directly as `Secret`: replacing each of up to 10,000 per page would take as long as decoding.
    credentials: promiseMethods(methods(transport, "Credentials", credentialsWithSecrets), (value) => value),
    events: promiseMethods(Context.get(context, services.events)),
    identifiers: promiseMethods(Context.get(context, services.identifiers)),
    identifierGroups: promiseMethods(Context.get(context, services.identifierGroups)),
    recommendations: promiseMethods(Context.get(context, services.recommendations)),
    matchingPolicies: promiseMethods(Context.get(context, services.matchingPolicies)),
    reports: promiseMethods(Context.get(context, services.reports)),
    tenants: promiseMethods(Context.get(context, services.tenants)),
    intel: promiseMethods(Context.get(context, services.intel)),
    whoAmI: (options) => promise(whoAmI, options, captureCallSite(1)),
    quota: () => Effect.runSync(quota),
    request: (method, path, given, options) => promise(request(method, path, given), options, captureCallSite(1))
  }
}

/** The compiler cannot check each method's type, so a test calls all of them. */
function promiseMethods<Methods extends object>(methods: Methods, handOut?: HandOut): Promised<Methods>
function promiseMethods(methods: object, handOut: HandOut = withSecrets): unknown {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]: [string, EffectMethod]) => [
      name,
      (...args: ReadonlyArray<unknown>) => {
        const site = captureCallSite(1)
        const { raw, ...options }: PageOptions<boolean> = Object(args[method.length])
        const answer = callInternally(() => method(...args.slice(0, method.length)))
        if (Effect.isEffect(answer)) return promise(Effect.map(answer, handOut), options, site)
        return raw === true
          ? pageListing(Stream.provideService(answer, RawItems, true), options, site)
          : pageListing(Stream.map(answer, handOut), options, site)
      }
    ])
  )
}

type HandOut = (value: unknown) => unknown

type EffectMethod = (
  ...args: ReadonlyArray<unknown>
) => Effect.Effect<unknown, ApiError> | Stream.Stream<unknown, ApiError>

const promise = <A>(
  call: Effect.Effect<A, ApiError>,
  options: CallOptions | undefined,
  site: CallSite | undefined
): ApiPromise<A> => {
  const answered = run(withResponse(call), options, site)
  const value = answered.then(({ data }) => data)
  return Object.assign(value, {
    withResponse: () => {
      // The promise that the caller uses reports a failure.
      value.catch(() => undefined)
      return answered
    }
  })
}

const run = async <A>(
  call: Effect.Effect<A, ApiError>,
  { signal, ...limits }: CallOptions = {},
  site: CallSite | undefined
): Promise<A> => {
  signal?.throwIfAborted()
  const limited = Effect.provideService(call, Limits, limits)
  const exit = await Effect.runPromiseExit(limited, signal === undefined ? {} : { signal })
  if (Exit.isSuccess(exit)) return exit.value
  signal?.throwIfAborted()
  throw showCallSite(Cause.squash(exit.cause), site)
}

const pageListing = <A>(
  pages: Stream.Stream<A, ApiError>,
  options: CallOptions,
  site: CallSite | undefined
): PageListing<A> => ({
  ...listing(pages, options, site),
  withResponse: () => listing(pagesWithResponse(pages), options, site)
})

const listing = <A>(
  stream: Stream.Stream<A, ApiError>,
  { signal, ...limits }: CallOptions,
  site: CallSite | undefined
): ItemListing<A> => {
  const iterable: AsyncIterable<A> = {
    [Symbol.asyncIterator]: () => iterator(Stream.provideService(stream, Limits, limits), signal, site)
  }
  return {
    ...iterable,
    toArray: async ({ limit = Number.POSITIVE_INFINITY } = {}) => {
      const items: Array<A> = []
      if (limit <= 0) return items
      for await (const item of iterable) {
        items.push(item)
        if (items.length >= limit) break
      }
      return items
    }
  }
}

/** Pulls one page at a time from the stream, and yields its items without running an effect per item. */
const iterator = <A>(
  listing: Stream.Stream<A, ApiError>,
  signal: AbortSignal | undefined,
  site: CallSite | undefined
): AsyncIterator<A, undefined> => {
  const scope = Scope.makeUnsafe()
  const stop = new AbortController()
  let pull = Effect.flatMap(Scope.provide(Stream.toPull(listing), scope), (opened) => {
    pull = opened
    return opened
  })
  let present = noItems<A>()
  let turning: Promise<unknown> | undefined
  let hasEnded = false
  const isAborted = () => signal?.aborted === true

  const close = () => {
    signal?.removeEventListener("abort", close)
    stop.abort()
    return Effect.runPromise(Scope.close(scope, Exit.void))
  }
  const end = async () => {
    hasEnded = true
    present = noItems()
    await close()
  }

  const turnPage = async (): Promise<IteratorResult<A, undefined>> => {
    while (true) {
      if (hasEnded) return { done: true, value: undefined }
      if (isAborted()) {
        await end()
        signal?.throwIfAborted()
      }
      const item = present.next()
      if (item.done !== true) return item
      // A finished iterator keeps its array: this releases the page before the next one arrives.
      present = noItems()
      const exit = await Effect.runPromiseExit(pull, { signal: stop.signal })
      if (Exit.isSuccess(exit)) {
        present = exit.value[Symbol.iterator]()
      } else if (!isAborted() && !hasEnded) {
        await end()
        if (!Pull.isDoneCause(exit.cause)) throw showCallSite(Cause.squash(exit.cause), site)
      }
    }
  }

  signal?.addEventListener("abort", close)
  return {
    next: () => {
      if (turning === undefined && !isAborted()) {
        const item = present.next()
        if (item.done !== true) return Promise.resolve(item)
      }
      const turned = turning === undefined ? turnPage() : turning.then(turnPage, turnPage)
      const endTurn = () => {
        if (turning === turned) turning = undefined
      }
      turning = turned
      turned.then(endTurn, endTurn)
      return turned
    },
    return: async () => {
      await end()
      return { done: true, value: undefined }
    }
  }
}

const noItems = <A>(): ArrayIterator<A> => new Array<A>()[Symbol.iterator]()

const withSecrets = (value: unknown): unknown => {
  if (!Redacted.isRedacted(value)) return mapWithin(value, withSecrets)
  const revealed = Redacted.value(value)
  return new Secret(Predicate.isString(revealed) ? revealed : JSON.stringify(revealed))
}

const pageWithSecrets = credentialPageWith(
  Schema.String.pipe(
    Schema.decodeTo(
      Schema.instanceOf(Secret),
      SchemaTransformation.transform({ decode: (text) => new Secret(text), encode: (secret) => secret.reveal() })
    )
  ),
  (text) => new Secret(text)
)

const credentialsWithSecrets = {
  ...credentials,
  search: { ...credentials.search, success: pageWithSecrets },
  ofTenant: { ...credentials.ofTenant, success: pageWithSecrets }
}
