/** The stored form of an identifier, and its form in the v4 interface. */
import {
  MonitoredData,
  type MonitoredIdentifier,
  type MonitoredIdentifierUpdate,
  type NewMonitoredIdentifier
} from "@threat-exposure/core/domain/MonitoredIdentifier"
import { Severity } from "@threat-exposure/core/domain/Severity"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { queriesOf, shownName } from "../matching/IdentifierExpression.ts"

/** The stored form of an identifier before encryption. It may contain a secret in clear: never log it. */
export const Asset = Schema.Struct({
  type: Schema.String,
  /**
   * The types of matching events, together with `experimental_search_types`. If both are empty, events of all types
   * match.
   */
  search_types: Schema.Array(Schema.String),
  name: Schema.String,
  data: Schema.Record(Schema.String, Schema.Unknown),
  experimental_search_types: Schema.Array(Schema.String),
  risks: Schema.Array(Schema.Int),
  severities: Schema.optionalKey(Schema.Array(Severity)),
  uuid: Schema.String,
  created_at: Schema.String,
  /** Absent if the identifier was never changed. */
  updated_at: Schema.optionalKey(Schema.String)
})
export interface Asset extends Schema.Schema.Type<typeof Asset> {}

export interface StoredIdentifier {
  readonly id: number
  readonly tenantId: number
  readonly asset: Asset
  readonly groupId: number | null
  readonly isDisabled: boolean
  /** The number of all matching events, whatever their state. Undefined while events are being matched. */
  readonly eventCount: number | undefined
}

/** The body of a v4 request. Plain data, with secrets in clear, because it is sent to another thread. */
export type IdentifierContent = typeof NewMonitoredIdentifier.Encoded
export type IdentifierUpdate = typeof MonitoredIdentifierUpdate.Encoded

/** The stored form of a new identifier. Times are in ISO 8601. */
export const toAsset = (content: IdentifierContent, uuid: string, createdAt: string): Asset => ({
  ...contentOf(content),
  name: content.name ?? valueOf(content.data),
  risks: [],
  uuid,
  created_at: createdAt
})

/** The identifier of an accepted recommendation; undefined if the data does not contain a value to look for. */
export const assetOfRecommendation = (
  { type, ...data }: Readonly<Record<string, unknown>>,
  uuid: string,
  createdAt: string
): Asset | undefined => {
  if (typeof type !== "string" || valueOf(data) === "") return undefined
  return {
    type,
    search_types: [],
    name: valueOf(data),
    data: { type, ...data },
    experimental_search_types: [],
    risks: [],
    uuid,
    created_at: createdAt
  }
}

/** Identifiers with the same key look for the same value. */
export const dataKey = (asset: Pick<Asset, "data" | "name" | "type">): string =>
  JSON.stringify(dataOf({ ...asset, search_types: [] })).toLowerCase()

type IdentifierState = Pick<StoredIdentifier, "asset" | "groupId" | "isDisabled">

/** The changed identifier, and whether it must be matched against the stored events again. */
export const changeIdentifier = (
  { asset, groupId, isDisabled }: IdentifierState,
  update: IdentifierUpdate,
  updatedAt: string
): IdentifierState & { readonly isMatchedAgain: boolean } => {
  const before = dataOf(asset)
  const content = contentOf(update)
  const hadOwnName = asset.name !== valueOf(before)
  const changed = {
    asset: {
      ...content,
      name: update.name ?? (hadOwnName ? asset.name : valueOf(update.data)),
      risks: asset.risks,
      uuid: asset.uuid,
      created_at: asset.created_at,
      updated_at: updatedAt
    },
    groupId: update.group_id === undefined ? groupId : update.group_id,
    isDisabled: update.is_disabled ?? isDisabled
  }
  const isSame =
    JSON.stringify(before) === JSON.stringify(dataOf(changed.asset)) &&
    JSON.stringify(filtersOf(asset)) === JSON.stringify(filtersOf(changed.asset))
  return { ...changed, isMatchedAgain: !changed.isDisabled && (isDisabled || !isSame) }
}

const contentOf = ({ categories, data, emerging_categories, severities }: IdentifierContent) => ({
  type: data.type,
  data,
  search_types: categories,
  experimental_search_types: emerging_categories,
  severities
})

const filtersOf = ({ experimental_search_types, search_types, severities = [] }: Asset) => [
  [...new Set([...search_types, ...experimental_search_types])].toSorted(),
  severities.toSorted()
]

/** The value of an identifier as one string, which is its default name. The data of v2 may be any JSON. */
const valueOf = (data: unknown): string => {
  if (Predicate.isString(data) || Predicate.isNumber(data)) return String(data)
  if (Array.isArray(data)) return join(data, ", ")
  if (!Predicate.isObject(data)) return ""
  const { type: _type, ...parts } = data
  return join(Object.values(parts), "repo_owner" in parts ? "/" : " ")
}

const join = (values: ReadonlyArray<unknown>, separator: string): string =>
  values
    .map(valueOf)
    .filter((text) => text !== "")
    .join(separator)

/**
 * The v4 form of an identifier, as it is sent: encoding an item takes ten times as long as writing it. An identifier
 * that v2 created has its value in its name or in its data; v4 shows it in the data.
 */
export const toMonitored = ({ asset, eventCount, groupId, id, isDisabled, tenantId }: StoredIdentifier) =>
  ({
    id,
    name: shownName(asset),
    tenant_id: tenantId,
    data: shownData(asset),
    categories: asset.search_types,
    emerging_categories: asset.experimental_search_types,
    severities: asset.severities ?? [],
    group_id: groupId,
    enrichments:
      eventCount === undefined
        ? null
        : {
            domain_reachable_at: null,
            domain_resolves_at: null,
            usage_count: null,
            event_count: eventCount,
            authorization_status: "authorized"
          },
    is_disabled: isDisabled,
    updated_at: asset.updated_at ?? asset.created_at
  }) satisfies typeof MonitoredIdentifier.Encoded

/** A query has the fields of its type. Other data may be any JSON, of which the specified fields are shown. */
const shownData = (asset: Asset): typeof MonitoredData.Encoded => {
  const [query] = queriesOf(asset)
  return query?.type === asset.type ? query : encodeData(decodeData(dataOf(asset)))
}

const decodeData = Schema.decodeUnknownSync(MonitoredData)
const encodeData = Schema.encodeSync(MonitoredData)

const dataOf = (asset: Pick<Asset, "data" | "name" | "search_types" | "type">): object => {
  const { data, type } = asset
  const queries = queriesOf(asset)
  if (type === "identity") return { type, attributes: queries }
  const [query] = queries
  if (query === undefined) return { ...data, type, [type]: data[type] ?? asset.name }
  if (query.type === type) return query
  if (query.type === "query_string") return { type, search_query: query.query_string }
  return { ...data, type, ...(query.type === "keyword" ? { [fieldOf(type)]: query.keyword } : undefined) }
}

/** The field of `data` that contains the value, for types without a specified shape. */
const fieldOf = (type: string): string => (type === "ransomleak" ? "name" : type)
