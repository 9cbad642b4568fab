/** Derives the client's methods from the rows of the contract. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Endpoint, Group, TypeOf } from "../api/Endpoints.ts"
import { defaultSize } from "../domain/Credential.ts"
import type { Cursor, Page } from "../domain/Page.ts"
import type { ApiError } from "../transport/ApiError.ts"
import { captureCallSite, showCallSite } from "../transport/CallSite.ts"
import { itemsOf, listing, listOf, pagesOf } from "../transport/Listing.ts"
import { invoke, operation } from "../transport/Operation.ts"
import { makePageSize } from "../transport/PageSize.ts"
import type { ListRequestInput, RequestInput } from "../transport/RequestEncoder.ts"
import type { Transport } from "../transport/Transport.ts"
import { ApiClient } from "./ApiClient.ts"

/**
 * One method per operation of a group, under the operation's name; a listing by cursor also has a method for its pages,
 * under the name in `pages`. The arguments are the path parameters in order, the `keys` of the query, and then the
 * body, or the rest of the query, as one object.
 */
export type Methods<G> = { readonly [Name in keyof G]: (...args: Arguments<G[Name]>) => Result<G[Name]> } & {
  readonly [Name in keyof G as PagesOf<G[Name]>]: (...args: Arguments<G[Name]>) => Pages<ItemOf<G[Name]>>
}

type PagesOf<E> = E extends { readonly pages: infer Pages extends string } ? Pages : never

type Pages<Item> = Stream.Stream<Page<Item>, ApiError>

type Result<E> = E extends { readonly pages: string }
  ? Stream.Stream<ItemOf<E>, ApiError>
  : E extends { readonly success: infer S; readonly result: infer Field }
    ? Effect.Effect<TypeOf<S>[Field & keyof TypeOf<S>], ApiError>
    : E extends { readonly success: infer S }
      ? Effect.Effect<TypeOf<S>, ApiError>
      : never

type ItemOf<E> = E extends { readonly success: { readonly Type: Page<infer Item> } } ? Item : never

type Arguments<E> = E extends { readonly batch: unknown; readonly payload: infer Payload }
  ? BatchArguments<TypeOf<Payload>>
  : [...Keys<[...PathKeys<E>, ...QueryKeys<E>]>, ...RequestArgument<E>]

type BatchArguments<Payload> = Payload extends {
  readonly targets: ReadonlyArray<infer Target>
  readonly action: { readonly type: infer Action }
}
  ? [targets: ReadonlyArray<Target[keyof Target]>, action: Action]
  : never

type Keys<Types extends ReadonlyArray<unknown>> = Types extends readonly [infer Id, infer Inner]
  ? [id: Id, inner: Inner]
  : Types extends readonly [infer Id]
    ? [id: Id]
    : []

type PathKeys<E> = E extends { readonly path: infer Path; readonly params: infer Params }
  ? TypesOf<NamesIn<Path>, Params>
  : []

type NamesIn<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? [Name, ...NamesIn<`/${Rest}`>]
  : Path extends `${string}:${infer Name}`
    ? [Name]
    : []

type QueryKeys<E> = E extends { readonly keys: infer Names; readonly query: infer Query } ? TypesOf<Names, Query> : []

type TypesOf<Names, Fields> = Names extends readonly [infer Name extends keyof Fields, ...infer Rest]
  ? [TypeOf<Fields[Name]>, ...TypesOf<Rest, Fields>]
  : []

type RequestArgument<E> = E extends { readonly payload: infer Payload }
  ? Argument<RequestInput<TypeOf<Payload>>>
  : E extends { readonly query: infer Query }
    ? E extends { readonly keys: ReadonlyArray<infer Name> }
      ? Exclude<keyof TypeOf<Query>, Name> extends never
        ? []
        : Argument<ListRequestInput<Omit<TypeOf<Query>, Name & string>>>
      : Argument<ListRequestInput<TypeOf<Query>>>
    : []

type Argument<Request> = {} extends Request ? [request?: Request] : [request: Request]

/** Errors and spans name the methods after the service. The compiler cannot check their types, so a test calls all. */
export function methods<G extends Group>(transport: Transport, service: string, group: G): Methods<G>
export function methods(transport: Transport, service: string, group: Group): unknown {
  return Object.fromEntries(
    Object.entries(group).flatMap(([name, endpoint]) => methodsOf(transport, `${service}.${name}`, name, endpoint))
  )
}

export const layerOf = <Self, Shape extends object, G extends Group>(
  service: Context.Service<Self, Shape> & { readonly of: (methods: Methods<G>) => Shape },
  group: G
) =>
  Layer.effect(
    service,
    Effect.map(ApiClient, ({ transport }) => service.of(methods(transport, nameOf(service.key), group)))
  )

const nameOf = (key: string): string => key.slice(key.lastIndexOf("/") + 1)

const methodsOf = (transport: Transport, fullName: string, name: string, endpoint: Endpoint) => {
  const { keys = [], params = {}, payload, query, warning } = endpoint
  const pathKeys = Object.keys(params)
  const arity = pathKeys.length + keys.length
  const isQueryRequest =
    payload === undefined && query !== undefined && (Schema.isSchema(query) || Object.keys(query).length > keys.length)
  const length = payload !== undefined || isQueryRequest ? arity + 1 : arity
  const partsOf = (args: ReadonlyArray<unknown>, request: unknown) => ({
    params: Object.fromEntries(pathKeys.map((key, index) => [key, args[index]])),
    query: {
      ...(isQueryRequest ? Object(request) : undefined),
      ...Object.fromEntries(keys.map((key, index) => [key, args[pathKeys.length + index]]))
    },
    payload: request
  })
  const warn = (request: unknown) => {
    const text = warning?.(request)
    return text === undefined ? Effect.void : Effect.logWarning(text)
  }
  /** The Promise client expects its options after as many arguments as the `length` says. */
  const method = (
    name: string,
    length: number,
    call: (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, ApiError> | Stream.Stream<unknown, ApiError>
  ) => {
    const callFromSite = (...args: ReadonlyArray<unknown>) => {
      const site = captureCallSite(1)
      const answer = call(...args)
      if (site === undefined) return answer
      return Effect.isEffect(answer)
        ? Effect.mapError(answer, (error) => showCallSite(error, site))
        : Stream.mapError(answer, (error) => showCallSite(error, site))
    }
    return [name, Object.defineProperty(callFromSite, "length", { value: length })] as const
  }

  if (endpoint.pages !== undefined) {
    const called = operation(fullName, endpoint)
    const openListing = (args: ReadonlyArray<unknown>) =>
      Effect.suspend(() => {
        // A JavaScript program may omit the request: this reports an invalid request instead of a type error.
        const request: PageRequest = Object(args[arity])
        const size = called.costsQuota ? makePageSize(request.size ?? defaultSize) : undefined
        return Effect.as(
          warn(request),
          listing(transport, called, request, (page) => partsOf(args, page), size)
        )
      })
    return [
      method(name, length, (...args) => itemsOf(openListing(args))),
      method(endpoint.pages, length, (...args) => pagesOf(openListing(args)))
    ]
  }
  if (endpoint.isList) {
    const called = operation(fullName, endpoint)
    return [method(name, length, (...args) => listOf(transport, called, partsOf(args, args[arity])))]
  }
  const called = operation(fullName, endpoint)
  const { batch, result } = endpoint
  if (batch !== undefined) {
    const act = (targets: ReadonlyArray<unknown>, type: unknown) =>
      invoke(transport, called, {
        payload: { targets: targets.map((target) => ({ [batch.target]: target })), action: { type } }
      })
    return [method(name, 2, (targets, action) => inBatches(targets, batch.maxTargets, (some) => act(some, action)))]
  }
  return [
    method(name, length, (...args) => {
      const answer = invoke(transport, called, partsOf(args, args[arity]))
      return result === undefined ? answer : Effect.map(answer, (whole) => Object(whole)[result])
    })
  ]
}

/** Sends the requests in sequence. If one fails, the error has the targets of the previous requests. */
const inBatches = (
  given: unknown,
  maxTargets: number,
  act: (targets: ReadonlyArray<unknown>) => Effect.Effect<unknown, ApiError>
): Effect.Effect<void, ApiError> => {
  const targets: ReadonlyArray<unknown> = Array.isArray(given) ? given : []
  // Without targets, one request is sent, which fails validation.
  const batches = Math.max(1, Math.ceil(targets.length / maxTargets))
  return Effect.forEach(
    Array.from({ length: batches }, (_, batch) => batch * maxTargets),
    (start) =>
      Effect.mapError(act(targets.slice(start, start + maxTargets)), (error) =>
        Object.assign(error, { done: targets.slice(0, start) })
      ),
    { discard: true }
  )
}

interface PageRequest {
  readonly from?: Cursor | null
  readonly size?: number
}
