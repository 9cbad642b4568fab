/**
 * The client for programs without Effect: calls return promises, listings are async iterables, failures are `Error`s with
 * a distinct `name`, and secrets are objects with `reveal()`.
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
import { ApiClient } from "./client/ApiClient.ts"
import { searches } from "./client/Credentials.ts"
import { Events } from "./client/Events.ts"
import { IdentifierGroups } from "./client/IdentifierGroups.ts"
import { Identifiers } from "./client/Identifiers.ts"
import { Intel } from "./client/Intel.ts"
import { MatchingPolicies } from "./client/MatchingPolicies.ts"
import { Recommendations } from "./client/Recommendations.ts"
import { Reports } from "./client/Reports.ts"
import { layer } from "./client/services.ts"
import { Tenants } from "./client/Tenants.ts"
import { credentialPage } from "./domain/Credential.ts"
import type * as IdentifierDomain from "./domain/Identifier.ts"
import { mapWithin } from "./domain/Secret.ts"
import * as TypedEventDomain from "./domain/TypedEvent.ts"
import type { CallOptions, Client } from "./promise/Client.ts"
import type { ClientOptions } from "./promise/ClientOptions.ts"
import type { Identifier } from "./promise/Identifier.ts"
import { Secret } from "./promise/Secret.ts"
import type { KnownEvent, MalformedEvent, TypedEvent } from "./promise/TypedEvent.ts"
import type { ApiError } from "./transport/ApiError.ts"
import { CallOptions as Limits } from "./transport/ClientOptions.ts"

export { Secret }
export * from "./transport/ApiError.ts"
export type * from "./promise/Client.ts"
export type * from "./promise/ClientOptions.ts"
export type * from "./promise/Credential.ts"
export type * from "./promise/Event.ts"
export type * from "./promise/Identifier.ts"
export type * from "./promise/MatchingPolicy.ts"
export type * from "./promise/Page.ts"
export type * from "./promise/Recommendation.ts"
export type { SecretInput } from "./promise/Secret.ts"
export type * from "./promise/Tenant.ts"
export type * from "./promise/Token.ts"
export type * from "./promise/TypedEvent.ts"

/** Throws `RequestInvalid` for invalid options. Sends nothing until the first call. */
export const createClient = (options: ClientOptions): Client => {
  // A JavaScript program may omit the options: report `baseUrl` as missing.
  const services = Effect.runSync(Effect.scoped(Layer.build(layer({ ...options }))))
  const { quota, request, transport, whoAmI } = Context.get(services, ApiClient)
  const credentials = searches(transport, CredentialPage)
  const events = Context.get(services, Events)
  const identifiers = Context.get(services, Identifiers)
  const identifierGroups = Context.get(services, IdentifierGroups)
  const recommendations = Context.get(services, Recommendations)
  const policies = Context.get(services, MatchingPolicies)
  const reports = Context.get(services, Reports)
  const tenants = Context.get(services, Tenants)
  const intel = Context.get(services, Intel)

  return {
    credentials: {
      search: (request, options) => iterable(credentials.search(request), options),
      pages: (request, options) => iterable(credentials.pages(request), options)
    },
    events: {
      search: (request, options) => iterable(events.search(request), options),
      pages: (request, options) => iterable(events.pages(request), options),
      ofIdentifier: (id, request, options) => iterable(events.ofIdentifier(id, request), options),
      pagesOfIdentifier: (id, request, options) => iterable(events.pagesOfIdentifier(id, request), options),
      get: (uid, options) => promise(Effect.map(events.get(uid), typedEventOf), options)
    },
    identifiers: {
      create: (request, options) => promise(Effect.map(identifiers.create(request), identifierOf), options)
    },
    identifierGroups: {
      create: (request, options) => promise(identifierGroups.create(request), options)
    },
    recommendations: {
      list: (request, options) => iterable(recommendations.list(request), options),
      pages: (request, options) => iterable(recommendations.pages(request), options)
    },
    matchingPolicies: {
      assign: (uuid, request, options) => promise(policies.assign(uuid, request), options),
      assignments: (uuid, request, options) => iterable(policies.assignments(uuid, request), options),
      pagesOfAssignments: (uuid, request, options) => iterable(policies.pagesOfAssignments(uuid, request), options),
      ofIdentifier: (id, options) => promise(policies.ofIdentifier(id), options),
      delete: (uuid, options) => promise(policies.delete(uuid), options)
    },
    reports: {
      create: (request, options) => promise(reports.create(request), options)
    },
    tenants: {
      addUsers: (tenantId, request, options) => promise(tenants.addUsers(tenantId, request), options)
    },
    intel: {
      ask: (request, options) => promise(intel.ask(request), options)
    },
    whoAmI: (options) => promise(whoAmI, options),
    quota: () => Effect.runSync(quota),
    request: (method, path, given, options) => promise(request(method, path, given), options)
  }
}

/** Whether this version knows the event's type and can read its data. If so, `event_type` narrows its `data`. */
export const isKnown = (event: TypedEvent): event is KnownEvent =>
  !isMalformed(event) && TypedEventDomain.knownEventTypes.some((type) => type === event.event_type)

/** Whether the event is of a known type, but its data is not as specified. */
export const isMalformed = (event: TypedEvent): event is MalformedEvent => "_tag" in event

const promise = async <A>(call: Effect.Effect<A, ApiError>, { signal, ...limits }: CallOptions = {}): Promise<A> => {
  signal?.throwIfAborted()
  const limited = Effect.provideService(call, Limits, limits)
  const exit = await Effect.runPromiseExit(limited, signal === undefined ? {} : { signal })
  if (Exit.isSuccess(exit)) return exit.value
  signal?.throwIfAborted()
  throw Cause.squash(exit.cause)
}

const iterable = <A>(
  listing: Stream.Stream<A, ApiError>,
  { signal, ...limits }: CallOptions = {}
): AsyncIterable<A> => ({
  [Symbol.asyncIterator]: () => iterator(Stream.provideService(listing, Limits, limits), signal)
})

/** Pulls one page at a time from the stream, and yields its items without running an effect for each. */
const iterator = <A>(
  listing: Stream.Stream<A, ApiError>,
  signal: AbortSignal | undefined
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
      // An iterator keeps its array when it is done: without this, a page would stay in memory until the next one arrives.
      present = noItems()
      const exit = await Effect.runPromiseExit(pull, { signal: stop.signal })
      if (Exit.isSuccess(exit)) {
        present = exit.value[Symbol.iterator]()
      } else if (!isAborted() && !hasEnded) {
        await end()
        if (!Pull.isDoneCause(exit.cause)) throw Cause.squash(exit.cause)
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
      const settled = () => {
        if (turning === turned) turning = undefined
      }
      turning = turned
      turned.then(settled, settled)
      return turned
    },
    return: async () => {
      await end()
      return { done: true, value: undefined }
    }
  }
}

const noItems = <A>(): ArrayIterator<A> => new Array<A>()[Symbol.iterator]()

const hidden = (text: string) => new Secret(text)

const CredentialPage = credentialPage<Secret>({
  schema: Schema.String.pipe(
    Schema.decodeTo(
      Schema.instanceOf(Secret),
      SchemaTransformation.transform({ decode: hidden, encode: (secret) => secret.reveal() })
    )
  ),
  wrap: hidden,
  isLazy: false
})

const identifierOf = (identifier: IdentifierDomain.Identifier): Identifier => ({
  ...identifier,
  data: secretsWithin(identifier.data)
})

const secretsWithin = (data: IdentifierDomain.IdentifierData): IdentifierDomain.IdentifierData =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, withSecrets(value)]))

/** With a `Secret` for each redacted value. */
const withSecrets = (value: unknown): unknown => {
  if (!Redacted.isRedacted(value)) return mapWithin(value, withSecrets)
  const revealed = Redacted.value(value)
  return hidden(Predicate.isString(revealed) ? revealed : JSON.stringify(revealed))
}

const typedEventOf = (event: TypedEventDomain.TypedEvent): TypedEvent => {
  if (TypedEventDomain.isMalformed(event)) return { ...event, data: withSecrets(event.data) }
  if (!TypedEventDomain.isKnown(event) || event.event_type !== "leaked_credential") return event
  const { password } = event.data
  return { ...event, data: { ...event.data, password: password === null ? null : hidden(Redacted.value(password)) } }
}
