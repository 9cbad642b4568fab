/** The events that an identifier matches: those of its own query, narrowed by its matching policies. */
import type { EventQuery } from "@threat-exposure/core/domain/Event"
import { redactedName } from "@threat-exposure/core/domain/Identifier"
import { NewIdentityAttribute } from "@threat-exposure/core/domain/MonitoredIdentifier"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { and, type Expression, matchNone, not, or, termExpression } from "../search/Expression.ts"
import type { QueryStringInvalid } from "../search/QueryString.ts"
import { type BlindIndex, emailOf } from "../search/Term.ts"
import { expressionOf, keywordExpression, typesExpression } from "./EventQueries.ts"

/** The part of an identifier that determines its matches. */
export const IdentifierCriteria = Schema.Struct({
  name: Schema.String,
  type: Schema.String,
  data: Schema.Record(Schema.String, Schema.Unknown),
  search_types: Schema.Array(Schema.String),
  experimental_search_types: Schema.optionalKey(Schema.Array(Schema.String)),
  severities: Schema.optionalKey(Schema.Array(Schema.String))
})
export interface IdentifierCriteria extends Schema.Schema.Type<typeof IdentifierCriteria> {}

/** The name without a secret: in v2, the name of an identifier of type `secret` may be the secret itself. */
export const shownName = ({ data, name, type }: Pick<IdentifierCriteria, "data" | "name" | "type">): string => {
  const { secret } = data
  return type === "secret" && (typeof secret !== "string" || secret === "" || secret === name) ? redactedName : name
}

export const assetContext = (id: number): string => `identifiers.asset/${id}`

/** The type of a policy, and the part of its value that determines which events and credentials it keeps. */
export const PolicyRule = Schema.Struct({
  /** Absent for `INCLUDED_KEYWORDS`. */
  type: Schema.optionalKey(Schema.String),
  keywords: Schema.optionalKey(Schema.Array(Schema.String)),
  query: Schema.optionalKey(Schema.String),
  match_mode: Schema.optionalKey(Schema.String)
})
export interface PolicyRule extends Schema.Schema.Type<typeof PolicyRule> {}

/** Empty lists of types and severities allow all. An identifier of type `role` or `birth_year` matches nothing. */
export const expressionOfIdentifier = (
  blindIndex: BlindIndex,
  criteria: IdentifierCriteria
): Result.Result<Expression, QueryStringInvalid> => {
  const { experimental_search_types = [], search_types, severities = [], type } = criteria
  const types = [...search_types, ...experimental_search_types]
  return Result.map(Result.all(queriesOf(criteria).map((query) => expressionOf(blindIndex, query))), (expressions) =>
    and(
      or(...expressions),
      ...(type === "ransomleak" ? [typesExpression(["ransomleak"])] : []),
      ...(types.length === 0 ? [] : [typesExpression(types)]),
      ...(severities.length === 0
        ? []
        : [or(...severities.map((value) => termExpression({ kind: "severity", value })))])
    )
  )
}

/**
 * An earlier version may have accepted a query that this version refuses. Then `noteRefused` is called: such an
 * identifier matches nothing, and such a policy keeps everything.
 */
export const narrowExpression = (
  blindIndex: BlindIndex,
  criteria: IdentifierCriteria,
  policies: ReadonlyArray<PolicyRule>,
  noteRefused: () => void
): Expression => {
  const otherwise =
    <A>(value: A) =>
    () => {
      noteRefused()
      return value
    }
  return and(
    Result.getOrElse(expressionOfIdentifier(blindIndex, criteria), otherwise(matchNone)),
    ...policies.flatMap((policy) => Result.getOrElse(policyExpression(blindIndex, policy), otherwise(undefined)) ?? [])
  )
}

/** Undefined for a policy that keeps every event, because it applies to credentials or its type is unknown. */
export const policyExpression = (
  blindIndex: BlindIndex,
  { keywords, query, type = "INCLUDED_KEYWORDS" }: PolicyRule
): Result.Result<Expression | undefined, QueryStringInvalid> => {
  const anyKeyword = or(...(keywords ?? []).map((keyword) => keywordExpression(blindIndex, keyword)))
  switch (type) {
    case "INCLUDED_KEYWORDS":
      return Result.succeed(keywords === undefined ? undefined : anyKeyword)
    case "EXCLUDED_KEYWORDS":
      return Result.succeed(not(anyKeyword))
    case "LUCENE_QUERY":
      return expressionOf(blindIndex, { type: "query_string", query_string: query ?? "" })
    default:
      return Result.succeed(undefined)
  }
}

/** The queries of an identifier. An event matches if one of them finds it. An identity has one query per attribute. */
export const queriesOf = (criteria: IdentifierCriteria): ReadonlyArray<Query> => {
  const { data, type } = criteria
  const { attributes } = data
  const query = type === "identity" && areAttributes(attributes) ? attributes : queryOf(criteria)
  return query === undefined ? [] : [query].flat()
}

type Query = typeof EventQuery.Encoded

const areAttributes = Schema.is(Schema.Array(NewIdentityAttribute))

/** A field of `data` with the name of the query's field takes precedence over the identifier's name. */
const queryOf = ({ data, name, type }: IdentifierCriteria): Query | undefined => {
  const field = (key: string): string | undefined => {
    const value = data[key]
    return typeof value === "string" && value !== "" ? value : undefined
  }
  switch (type) {
    case "domain":
      return { type, fqdn: field("fqdn") ?? name }
    case "email":
      return { type, email: field("email") ?? name }
    case "username":
      return { type, username: field("username") ?? name }
    case "ip":
      return { type, ip: field("ip") ?? name }
    case "bin":
      return { type, bin: field("bin") ?? name }
    case "secret":
      return { type, secret: field("secret") ?? name }
    case "azure_tenant":
      return { type, tenant_id: field("tenant_id") ?? name }
    case "name": {
      const [first = "", ...rest] = name.trim().split(/\s+/)
      return {
        type,
        first_name: field("first_name") ?? first,
        last_name: field("last_name") ?? rest.join(" "),
        is_strict: data["is_strict"] === true
      }
    }
    case "github_repository": {
      const [owner = "", repository = ""] = name
        .trim()
        .replace(/^(?:https?:\/\/)?(?:www\.)?github\.com\//i, "")
        .split("/")
      return { type, repo_owner: field("repo_owner") ?? owner, repo_name: field("repo_name") ?? repository }
    }
    case "search_query":
      return { type: "query_string", query_string: field("query_string") ?? field("search_query") ?? name }
    case "identity": {
      const account = field("email") ?? field("username") ?? name
      return emailOf(account) === undefined
        ? { type: "username", username: account }
        : { type: "email", email: account }
    }
    case "birth_year":
    case "role":
      return undefined
    case "ransomleak":
      return { type: "keyword", keyword: field("name") ?? name }
    default:
      return { type: "keyword", keyword: field(type) ?? name }
  }
}
