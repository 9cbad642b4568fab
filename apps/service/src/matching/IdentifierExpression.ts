/** Which events an identifier matches: those of its own query, narrowed by the matching policies assigned to it. */
import type { EventQuery } from "@threat-exposure/core/domain/Event"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { and, type Expression, matchNone, or } from "../search/Expression.ts"
import type { QueryStringInvalid } from "../search/QueryString.ts"
import { type BlindIndex, emailOf } from "../search/Term.ts"
import { expressionOf, keywordExpression, typesExpression } from "./EventQueries.ts"

/** The part of an identifier that decides what it matches. */
export const IdentifierCriteria = Schema.Struct({
  name: Schema.String,
  type: Schema.String,
  data: Schema.Record(Schema.String, Schema.Unknown),
  search_types: Schema.Array(Schema.String)
})
export interface IdentifierCriteria extends Schema.Schema.Type<typeof IdentifierCriteria> {}

/** Binds the encrypted `asset` of an identifier to its id. */
export const assetContext = (id: number): string => `identifiers.asset/${id}`

/** The part of a policy that decides which events it keeps. */
export const PolicyValue = Schema.Struct({ keywords: Schema.optionalKey(Schema.Array(Schema.String)) })
export interface PolicyValue extends Schema.Schema.Type<typeof PolicyValue> {}

/**
 * The expression of an identifier without policies. Where `search_types` is not empty, only events of those types match.
 * An identifier of type `role` or `birth_year` matches nothing (docs/api.md#identifier).
 */
export const expressionOfIdentifier = (
  blindIndex: BlindIndex,
  criteria: IdentifierCriteria
): Result.Result<Expression, QueryStringInvalid> => {
  const query = queryOf(criteria)
  if (query === undefined) return Result.succeed(matchNone)
  const { search_types, type } = criteria
  return Result.map(expressionOf(blindIndex, query), (expression) =>
    and(
      expression,
      ...(type === "ransomleak" ? [typesExpression(["ransomleak"])] : []),
      ...(search_types.length === 0 ? [] : [typesExpression(search_types)])
    )
  )
}

/** The expression of a stored identifier with its policies. */
export const narrowedExpression = (
  blindIndex: BlindIndex,
  criteria: IdentifierCriteria,
  policies: ReadonlyArray<PolicyValue>
): Expression =>
  and(
    Result.getOrElse(expressionOfIdentifier(blindIndex, criteria), () => matchNone),
    ...policies.flatMap((policy) => policyExpression(blindIndex, policy) ?? [])
  )

/** A policy keeps events with one of its keywords. Undefined for a policy of an unknown kind, which keeps every event. */
export const policyExpression = (blindIndex: BlindIndex, { keywords }: PolicyValue): Expression | undefined =>
  keywords === undefined ? undefined : or(...keywords.map((keyword) => keywordExpression(blindIndex, keyword)))

/** An event that one of them finds matches. */
export const queriesOf = (criteria: IdentifierCriteria): ReadonlyArray<typeof EventQuery.Encoded> => {
  const query = queryOf(criteria)
  return query === undefined ? [] : [query]
}

/** A field of `data` that is named like the query's field takes precedence over the name. */
const queryOf = ({ data, name, type }: IdentifierCriteria): typeof EventQuery.Encoded | undefined => {
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
