/** Identifiers. Fields that deployed services fill with data of their own have the values of docs/api.md#identifier. */
import { randomUUID } from "node:crypto"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { ValidationFault } from "@threat-exposure/core/domain/ErrorBody"
import { type NotFound, V2Failure } from "@threat-exposure/core/domain/Failures"
import { Identifier, NewIdentifier } from "@threat-exposure/core/domain/Identifier"
import { MonitoredIdentifierUpdate, NewMonitoredIdentifier } from "@threat-exposure/core/domain/MonitoredIdentifier"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import { cursors } from "../crypto/Cursor.ts"
import { IdentifierGroupStore } from "../identifier-groups/IdentifierGroupStore.ts"
import { queryFault, queryFaults } from "../matching/EventQueries.ts"
import { expressionOfIdentifier, shownName } from "../matching/IdentifierExpression.ts"
import { answerEncoded, EncodedAnswer, type OperationHandlers } from "../requests/OperationHandlers.ts"
import type { PageRequest, Position } from "../requests/Positions.ts"
import type { RequestCheck } from "../requests/RequestDecoder.ts"
import type { BlindIndex } from "../search/Term.ts"
import { type Asset, type IdentifierUpdate, toAsset, toMonitored, type StoredIdentifier } from "./Asset.ts"
import { makeValidationFailed } from "../ExpectedFailure.ts"

export const identifierHandlers = Effect.gen(function* () {
  const store = yield* IdentifierStore
  const groups = yield* IdentifierGroupStore
  const current = yield* CurrentVault
  const faults = (body: unknown) => (Predicate.isObject(body) ? dataFaults(current.vault, body) : [])
  const refuseQuery = (body: unknown) => () => Effect.fail(makeValidationFailed(faults(body)))
  const check: RequestCheck = ({ body }, tenantId) => {
    if (!namesGroup(body)) return Effect.succeed(faults(body))
    return Effect.match(groups.find(tenantId, body.group_id), {
      onSuccess: () => faults(body),
      onFailure: () => [...faults(body), unknownGroup]
    })
  }
  return {
    createV2: {
      check: ({ body }) => Effect.sync(() => nameFaults(current.vault, body)),
      handle: Effect.fn("Identifiers.createV2")(function* ({ payload }, { tenantId }) {
        const uuid = yield* Effect.sync(() => randomUUID())
        const now = DateTime.formatIso(yield* DateTime.now)
        const asset = assetOf(encodeNew(payload), uuid, now)
        yield* Effect.mapError(
          Effect.fromResult(expressionOfIdentifier(current.vault, asset)),
          ({ position, reason }) =>
            new V2Failure({
              code: "INVALID_QUERY",
              message: `The search query cannot be read at character ${position}: ${reason}`
            })
        )
        const { count, id } = yield* Effect.orDie(store.insert({ tenantId, asset }))
        const { created_at, uuid: asset_uuid, ...given } = asset
        return {
          asset: decodeIdentifier({
            ...given,
            id,
            tenant_id: tenantId,
            feed_id: id,
            v3_refs: { asset_uuid },
            fetching_progress: count === undefined ? 0 : 100,
            count: count ?? 0,
            urn: `urn:threat-exposure:identifier:${id}`,
            is_disabled: false,
            source: "USER",
            data_updated_at: created_at
          })
        }
      })
    },

    list: Effect.fn("Identifiers.list")(function* (
      { query: { authorization_status, from, group_id, is_disabled, order_by = "id", size = 20, types } },
      { tenantId }
    ) {
      const filters = { groupId: group_id, isDisabled: is_disabled, types }
      const listing = ["identifiers", tenantId, order_by, filters, authorization_status ?? null]
      const { after, page } = yield* listCursors.open(current.vault, listing, from)
      // This service requests no authorizations, so every identifier is authorized.
      if (authorization_status !== undefined && authorization_status !== "authorized")
        return answerEncoded({ items: [], next: null })
      const stored = yield* store.page({ tenantId, filters, orderBy: order_by, after, size: size + 1 })
      const { items, next } = page(stored, size, (identifier) => positionOf(order_by, identifier))
      return answerEncoded({ items: items.map(toMonitored), next })
    }),

    get: Effect.fn("Identifiers.get")(({ params }, { tenantId }) =>
      Effect.map(store.find(tenantId, params.identifier_id), (stored) => answerEncoded(toMonitored(stored)))
    ),

    create: {
      check,
      handle: Effect.fn("Identifiers.create")(function* ({ payload }, { tenantId }) {
        const uuid = yield* Effect.sync(() => randomUUID())
        const encoded = encodeNewMonitored(payload)
        const asset = toAsset(encoded, uuid, DateTime.formatIso(yield* DateTime.now))
        const { id } = yield* Effect.fromResult(expressionOfIdentifier(current.vault, asset)).pipe(
          Effect.andThen(store.insert({ tenantId, asset, groupId: payload.group_id ?? null })),
          Effect.catchTag("QueryStringInvalid", refuseQuery(encoded)),
          Effect.catchTag("GroupMissing", refuseGroup)
        )
        return answerEncoded(toMonitored(yield* Effect.orDie(store.find(tenantId, id))))
      })
    },

    update: {
      check,
      handle: Effect.fn("Identifiers.update")(function* ({ params, payload }, { tenantId }) {
        const id = params.identifier_id
        const updatedAt = DateTime.formatIso(yield* DateTime.now)
        const encoded = encodeUpdate(payload)
        yield* Effect.fromResult(expressionOfIdentifier(current.vault, toAsset(encoded, "", updatedAt))).pipe(
          Effect.andThen(store.update({ tenantId, id, update: encoded, updatedAt })),
          Effect.catchTag("QueryStringInvalid", refuseQuery(encoded)),
          Effect.catchTag("GroupMissing", refuseGroup)
        )
        return answerEncoded(toMonitored(yield* store.find(tenantId, id)))
      })
    },

    delete: Effect.fn("Identifiers.delete")(function* ({ params }, { tenantId }) {
      yield* store.delete(tenantId, params.identifier_id)
      return new EncodedAnswer({ status: 202 })
    })
  } satisfies OperationHandlers["identifiers"]
})

/** Stores identifiers, encrypted, because one may be a secret. Each engine has a layer of it. */
export class IdentifierStore extends Context.Service<
  IdentifierStore,
  {
    /** Stores an identifier, and the events that match it. `count` is undefined if that goes on after the answer. */
    insert(
      identifier: CreatedIdentifier
    ): Effect.Effect<{ readonly id: number; readonly count: number | undefined }, GroupMissing>
    page(listing: IdentifierListing): Effect.Effect<ReadonlyArray<StoredIdentifier>>
    find(tenantId: number, id: number): Effect.Effect<StoredIdentifier, NotFound>
    /** Stores all new matches before it removes those that no longer apply. */
    update(change: IdentifierChange): Effect.Effect<void, GroupMissing | NotFound>
    /** Removes the identifier for every reader at once; its matches may be removed later. */
    delete(tenantId: number, id: number): Effect.Effect<void, NotFound>
  }
>()("@threat-exposure/service/identifiers/Identifiers/IdentifierStore") {}

/** The tenant has no group with the requested id. */
export class GroupMissing extends Data.TaggedError("GroupMissing") {}

export interface IdentifierChange {
  readonly tenantId: number
  readonly id: number
  readonly update: IdentifierUpdate
  /** ISO 8601. */
  readonly updatedAt: string
}

export interface CreatedIdentifier {
  readonly tenantId: number
  readonly asset: Asset
  readonly groupId?: number | null
}

export interface IdentifierListing extends Omit<PageRequest<number>, "order"> {
  readonly tenantId: number
  readonly orderBy: IdentifierOrder
  readonly filters: IdentifierFilters
}

type IdentifierOrder = "id" | "name" | "type"

/** An absent member does not restrict the listing. */
export interface IdentifierFilters {
  readonly groupId?: number | undefined
  readonly isDisabled?: boolean | undefined
  readonly types?: ReadonlyArray<string> | undefined
}

export const positionOf = (
  orderBy: IdentifierOrder,
  { asset, id }: { readonly id: number; readonly asset: Pick<Asset, "data" | "name" | "type"> }
): Position<number> => {
  switch (orderBy) {
    case "id":
      return ["", id]
    case "name":
      return [shownName(asset), id]
    case "type":
      return [asset.type, id]
  }
}

const listCursors = cursors(Schema.Tuple([Schema.String, Schema.Int]))

/** The asset of a new v2 identifier. `createdAt` is in ISO 8601. */
export const assetOf = (
  {
    data,
    experimental_search_types = [],
    name,
    risks = [],
    search_types = [],
    type = "keyword"
  }: typeof NewIdentifier.Encoded,
  uuid: string,
  createdAt: string
): Asset => ({
  type,
  search_types,
  name,
  data: data ?? (type === "domain" ? { type, fqdn: name } : {}),
  experimental_search_types,
  risks,
  uuid,
  created_at: createdAt
})

const dataFaults = (
  blindIndex: BlindIndex,
  { data, name }: Readonly<Record<string, unknown>>
): ReadonlyArray<ValidationFault> => {
  if (!Predicate.isObject(data)) return []
  const faultsAt = (query: unknown, ...path: ReadonlyArray<string | number>) =>
    queryFaults(blindIndex, query).map((invalid) =>
      queryFault(invalid, ["body", "data", ...path, ...(invalid.field === undefined ? [] : [invalid.field])])
    )
  // An empty value is replaced by the name.
  const orName = (text: unknown) => (text === "" ? name : text)
  const { attributes, keyword, search_query, type } = data
  switch (type) {
    case "search_query":
      return faultsAt({ type: "query_string", query_string: orName(search_query) }, "search_query")
    case "keyword":
      return faultsAt({ type, keyword: orName(keyword) })
    case "identity":
      return Array.isArray(attributes) ? attributes.flatMap((each, at) => faultsAt(each, "attributes", at)) : []
    default:
      return []
  }
}

/** The faults of an identifier's name, if the name is a query. */
const nameFaults = (blindIndex: BlindIndex, body: unknown): ReadonlyArray<ValidationFault> => {
  if (!isNamedQuery(body)) return []
  const query = { type: "query_string", query_string: body.name }
  return queryFaults(blindIndex, query).map((invalid) => queryFault(invalid, ["body", "name"]))
}

const isNamedQuery = Schema.is(Schema.Struct({ name: Schema.String, type: Schema.Literal("search_query") }))

const namesGroup = Schema.is(Schema.Struct({ group_id: Schema.Int }))

const refuseGroup = () => Effect.fail(makeValidationFailed([unknownGroup]))

const unknownGroup: ValidationFault = {
  loc: ["body", "group_id"],
  msg: "Input should be the id of a group of the tenant",
  type: "unknown_group"
}

const encodeNewMonitored = Schema.encodeSync(NewMonitoredIdentifier)
const encodeUpdate = Schema.encodeSync(MonitoredIdentifierUpdate)
const encodeNew = Schema.encodeSync(NewIdentifier)
const decodeIdentifier = Schema.decodeSync(Identifier)
