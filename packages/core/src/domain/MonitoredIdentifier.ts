/** A monitored asset in the v4 interface, whose data is tagged by type. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { listQuery, page } from "./Page.ts"
import {
  flagParameter,
  integerParameter,
  nonEmptyText,
  oneOf,
  structsByType,
  unionByType
} from "./schema/RequestField.ts"
import { redactValues, revealValues } from "./Identifier.ts"
import { Secret } from "./Secret.ts"
import { ReportedSeverity, Severity } from "./Severity.ts"
import { type Marked, open, orAbsent, orElse, orEmpty, orNull } from "./schema/Tolerant.ts"
import { struct } from "./schema/Struct.ts"

/** Maximum page size for identifiers. */
export const maxIdentifiers = 100

/** Maximum number of attributes of one identity. */
export const maxAttributes = 15

const text = orElse(Schema.String, "")

/** The attributes of an identity, of which one must match. */
const attributes = {
  email: { email: text },
  username: { username: text },
  name: { first_name: text, last_name: text, is_strict: orElse(Schema.Boolean, false) }
}

/**
 * Data of a type without a specified shape, as received. If the type is absent too, it may be a secret, and is
 * redacted.
 */
const otherThan = (known: ReadonlyArray<string>) => {
  const isOther = (type: string): type is Marked<"unknown"> => !known.includes(type)
  const data = Schema.StructWithRest(
    Schema.Struct({
      type: orElse(
        Schema.String.check(
          Schema.makeFilter(isOther, {
            expected: "a type without a specified shape",
            representation: { id: "threat-exposure/OtherType", payload: null }
          })
        ),
        ""
      ).pipe(Schema.refine(isOther))
    }),
    [Schema.Record(Schema.String, Schema.Unknown)]
  )
  return data.pipe(
    Schema.decode(
      SchemaTransformation.transform<typeof data.Type, typeof data.Type>({
        decode: ({ type, ...values }) => ({ ...(type === noType ? redactValues(values) : values), type }),
        encode: ({ type, ...values }) => ({ ...revealValues(values), type })
      })
    )
  )
}

const noType: string = ""

const IdentityAttribute = Schema.Union([...structsByType(attributes), otherThan(Object.keys(attributes))]).annotate({
  identifier: "IdentityAttribute"
})

/** The fields of an identifier's data by type. Types after `identity` only occur in older identifiers. */
const kinds = {
  domain: { fqdn: text },
  keyword: { keyword: text },
  ip: { ip: text },
  bin: { bin: text },
  azure_tenant: { tenant_id: text },
  github_repository: { repo_owner: text, repo_name: text },
  search_query: { search_query: text },
  secret: { secret: orNull(Secret) },
  identity: { attributes: orElse(Schema.Array(IdentityAttribute), []) },
  ...attributes,
  brand: { name: text },
  credentials: { username: text, password: orNull(Secret) }
}

/** The value that an identifier matches; its fields depend on the type. */
export const MonitoredData = Schema.Union([...structsByType(kinds), otherThan(Object.keys(kinds))]).annotate({
  identifier: "MonitoredData"
})
export type MonitoredData = typeof MonitoredData.Type

export class MonitoredIdentifier extends struct<MonitoredIdentifier>("MonitoredIdentifier")({
  id: orElse(Schema.Int, 0),
  name: orNull(Schema.String),
  tenant_id: orNull(Schema.Int),
  data: orEmpty(MonitoredData),
  /** The matched event types; empty means all. */
  categories: orElse(Schema.Array(Schema.String), []),
  emerging_categories: orElse(Schema.Array(Schema.String), []),
  /** The matched severities; empty means all. */
  severities: orElse(Schema.Array(ReportedSeverity), []),
  group_id: orNull(Schema.Int),
  /** Null while matching is in progress. */
  enrichments: orNull(
    Schema.Struct({
      domain_reachable_at: orNull(Schema.String),
      domain_resolves_at: orNull(Schema.String),
      usage_count: orNull(Schema.Int),
      event_count: orNull(Schema.Int),
      authorization_status: orNull(open(["pending", "rejected", "authorized"]))
    })
  ),
  is_disabled: orElse(Schema.Boolean, false),
  updated_at: orAbsent(Schema.String)
}) {}

export const MonitoredIdentifierPage = page("MonitoredIdentifierPage", MonitoredIdentifier)

export const NewIdentityAttribute = unionByType("NewIdentityAttribute", "an attribute", {
  email: { email: Schema.String },
  username: { username: Schema.String },
  name: { first_name: Schema.String, last_name: Schema.String, is_strict: Schema.optionalKey(Schema.Boolean) }
})

/** The value that a new identifier matches. */
export const NewMonitoredData = unionByType("NewMonitoredData", "data", {
  domain: { fqdn: Schema.String },
  keyword: { keyword: Schema.String },
  ip: { ip: Schema.String },
  bin: { bin: Schema.String },
  azure_tenant: { tenant_id: Schema.String },
  github_repository: { repo_owner: Schema.String, repo_name: Schema.String },
  search_query: { search_query: Schema.String },
  secret: { secret: Secret },
  identity: {
    attributes: Schema.Array(NewIdentityAttribute).check(
      Schema.makeFilter((attributes) => attributes.length >= 1 && attributes.length <= maxAttributes, {
        expected: `1 to ${maxAttributes} attributes`,
        representation: { id: "threat-exposure/Attributes", payload: null }
      })
    )
  }
})
export type NewMonitoredData = typeof NewMonitoredData.Type

const content = {
  data: NewMonitoredData,
  name: Schema.optionalKey(nonEmptyText),
  categories: Schema.Array(Schema.String),
  emerging_categories: Schema.Array(Schema.String),
  severities: Schema.Array(Severity),
  /** Null removes the identifier from its group. */
  group_id: Schema.optionalKey(Schema.NullOr(Schema.Int))
}

/** Empty `categories` and `emerging_categories` mean all types; empty `severities` means all severities. */
export class NewMonitoredIdentifier extends struct<NewMonitoredIdentifier>("NewMonitoredIdentifier")(content) {}

/** An absent name, group or `is_disabled` stays unchanged. */
export class MonitoredIdentifierUpdate extends struct<MonitoredIdentifierUpdate>("MonitoredIdentifierUpdate")({
  ...content,
  is_disabled: Schema.optionalKey(Schema.Boolean)
}) {}

/** The request body for an update: the current state with the changes. Undefined where {@link toNewData} is. */
export const makeUpdate = (
  { categories, data, emerging_categories, severities }: MonitoredIdentifier,
  changes: Partial<MonitoredIdentifierUpdate>
): MonitoredIdentifierUpdate | undefined => {
  const present = changes.data ?? toNewData(data)
  if (present === undefined) return undefined
  return {
    categories,
    emerging_categories,
    severities: severities.filter(Schema.is(Severity)),
    ...changes,
    data: present
  }
}

/**
 * Data of a new identifier that matches the same; an older type becomes a present one. Undefined if the service does not
 * report it, or only in a form that it does not accept.
 */
export const toNewData = (data: MonitoredIdentifier["data"]): NewMonitoredData | undefined =>
  Option.getOrUndefined(
    Option.filter(
      Option.flatMap(Option.map(encodeData(data), withPresentType), decodeNewData),
      // An absent value is decoded as an empty one.
      (again) => (again.type === "identity" ? again.attributes.every(hasValue) : hasValue(again))
    )
  )

const withPresentType = (data: typeof MonitoredData.Encoded): unknown => {
  switch (data.type) {
    case "email":
    case "username":
    case "name":
      return { type: "identity", attributes: [data] }
    case "brand":
      return { type: "keyword", keyword: data.name }
    default:
      return data
  }
}

/** For a name, one of first and last name is enough. */
const hasValue = ({ type, ...values }: NewMonitoredData | typeof NewIdentityAttribute.Type): boolean => {
  const texts = Object.values(values).filter((value) => typeof value === "string")
  const isGiven = (text: string) => text !== ""
  return type === "name" ? texts.some(isGiven) : texts.every(isGiven)
}

const encodeData = Schema.encodeUnknownOption(MonitoredData)
const decodeNewData = Schema.decodeUnknownOption(NewMonitoredData)

/** Query parameters of the listing. `types` may be repeated. */
export class MonitoredIdentifierList extends listQuery<MonitoredIdentifierList>()(maxIdentifiers, {
  order_by: Schema.optionalKey(oneOf("IdentifierOrder", ["id", "name", "type"])),
  is_disabled: Schema.optionalKey(flagParameter),
  group_id: Schema.optionalKey(integerParameter(Schema.Int)),
  types: Schema.optionalKey(Schema.Array(Schema.String)),
  authorization_status: Schema.optionalKey(oneOf("AuthorizationStatus", ["pending", "rejected", "authorized"]))
}) {}
