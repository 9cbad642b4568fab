/** The methods of the client, derived from the rows of the contract. */
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Endpoint, Group, TypeOf } from "../api/Endpoints.ts"
import { defaultSize } from "../domain/Credential.ts"
import type { Cursor, Page } from "../domain/Page.ts"
import type { ApiError } from "../transport/ApiError.ts"
import { itemsOf, listing, listOf, pagesOf } from "../transport/Listing.ts"
import { invoke, operation } from "../transport/Operation.ts"
import { makePageSize } from "../transport/PageSize.ts"
import type { ListRequestInput, RequestInput } from "../transport/RequestEncoder.ts"
import type { Transport } from "../transport/Transport.ts"

/**
 * A method for each operation of a group, under its name, and for each listing by cursor its twin under the name `pages` of
 * the row. The arguments are the parameters of the path in their order, the `keys` of the query, and then the body, or the
 * rest of the query, as one object.
 */
export type Methods<G> = { readonly [Name in keyof G]: (...args: Arguments<G[Name]>) => Result<G[Name]> } & {
  readonly [Name in keyof G as PagesOf<G[Name]>]: (...args: Arguments<G[Name]>) => Pages<ItemOf<G[Name]>>
}

type PagesOf<E> = E extends { readonly pages: infer Pages extends string } ? Pages : never

/** Page by page, for callers who stop and resume with `from`. It never reads ahead. */
type Pages<Item> = Stream.Stream<Page<Item>, ApiError>

type Result<E> = E extends { readonly pages: string }
  ? Stream.Stream<ItemOf<E>, ApiError>
  : E extends { readonly success: infer S; readonly result: infer Field }
    ? Effect.Effect<TypeOf<S>[Field & keyof TypeOf<S>], ApiError>
    : E extends { readonly success: infer S }
      ? Effect.Effect<TypeOf<S>, ApiError>
      : never

type ItemOf<E> = E extends { readonly success: { readonly Type: Page<infer Item> } } ? Item : never

type Arguments<E> = [...Keys<[...PathKeys<E>, ...QueryKeys<E>]>, ...RequestArgument<E>]

/** The parameters in a path are one or two ids. */
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
    ? E extends { readonly keys: unknown }
      ? []
      : Argument<ListRequestInput<TypeOf<Query>>>
    : []

type Argument<Request> = {} extends Request ? [request?: Request] : [request: Request]

/** The compiler cannot follow a row to its method: a test calls each of them. */
export function methods<G extends Group>(transport: Transport, group: G): Methods<G>
export function methods(transport: Transport, group: Group): unknown {
  return Object.fromEntries(Object.entries(group).flatMap(([name, endpoint]) => methodsOf(transport, name, endpoint)))
}

const methodsOf = (transport: Transport, name: string, endpoint: Endpoint) => {
  const { keys = [], params = {}, payload, query } = endpoint
  const pathKeys = Object.keys(params)
  const arity = pathKeys.length + keys.length
  const hasRequest = payload !== undefined || (query !== undefined && keys.length === 0)
  const partsOf = (args: ReadonlyArray<unknown>, request: unknown) => ({
    params: Object.fromEntries(pathKeys.map((key, index) => [key, args[index]])),
    query:
      hasRequest && payload === undefined
        ? request
        : Object.fromEntries(keys.map((key, index) => [key, args[pathKeys.length + index]])),
    payload: request
  })
  /** With the number of arguments as its length: the client for promises expects its options after them. */
  const method = (name: string, call: (...args: ReadonlyArray<unknown>) => unknown) =>
    [name, Object.defineProperty(call, "length", { value: hasRequest ? arity + 1 : arity })] as const

  if (endpoint.pages !== undefined) {
    const called = operation(endpoint)
    const opened = (args: ReadonlyArray<unknown>) =>
      Effect.sync(() => {
        // A JavaScript program may omit the request: report it as invalid, not as a type error.
        const request: PageRequest = Object(args[arity])
        const size = called.costsQuota ? makePageSize(request.size ?? defaultSize) : undefined
        return listing(transport, called, request, (page) => partsOf(args, page), size)
      })
    return [
      method(name, (...args) => itemsOf(opened(args))),
      method(endpoint.pages, (...args) => pagesOf(opened(args)))
    ]
  }
  if (endpoint.isList) {
    const called = operation(endpoint)
    return [method(name, (...args) => listOf(transport, called, partsOf(args, args[arity])))]
  }
  const called = operation(endpoint)
  const { result } = endpoint
  return [
    method(name, (...args) => {
      const answer = invoke(transport, called, partsOf(args, args[arity]))
      return result === undefined ? answer : Effect.map(answer, (whole) => Object(whole)[result])
    })
  ]
}

interface PageRequest {
  readonly from?: Cursor | null
  readonly size?: number
}
