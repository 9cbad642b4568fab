/** Case and accents are ignored, except in `secret` and in a password. */
import type { ValidationFault } from "@threat-exposure/core/domain/ErrorBody"
import type { EventQuery } from "@threat-exposure/core/domain/Event"
import { severities } from "@threat-exposure/core/domain/Severity"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { and, type Expression, matchNone, or, phrase, termExpression } from "../search/Expression.ts"
import {
  type ExactField,
  expressionIn,
  maxTermLength,
  maxWords,
  parseQueryString,
  QueryStringInvalid
} from "../search/QueryString.ts"
import {
  azureTenantOf,
  binOf,
  type BlindIndex,
  emailOf,
  hostOf,
  ipOf,
  pairOf,
  repositoryOf,
  type TermKind,
  usernameOf
} from "../search/Term.ts"
import { tokenize } from "../search/Tokenizer.ts"
import { typesFoundAs } from "./EventTypes.ts"

export const expressionOf = (
  blindIndex: BlindIndex,
  query: typeof EventQuery.Encoded
): Result.Result<Expression, QueryStringInvalid> => {
  const [tooLong] = tooLongFields(query)
  if (tooLong !== undefined) return Result.fail(tooLong)
  switch (query.type) {
    case "domain":
      return found(domain(query.fqdn))
    case "email":
      return found(term("email", emailOf(query.email)))
    case "username":
      return found(term("username", usernameOf(query.username)))
    case "ip":
      return found(term("ip", ipOf(query.ip)))
    case "bin":
      return found(term("bin", binOf(query.bin)))
    case "github_repository":
      return found(term("github_repository", repositoryOf(query.repo_owner, query.repo_name)))
    case "azure_tenant":
      return found(azureTenant(query.tenant_id))
    case "secret":
      return found(term("secret", query.secret))
    case "credentials":
      return found(term("credentials", pairOf(query.username, query.password)))
    case "keyword":
      return found(keywordExpression(blindIndex, query.keyword))
    case "brand":
      return found(keywordExpression(blindIndex, query.name))
    case "name":
      return found(
        query.is_strict === true
          ? keywordExpression(blindIndex, `${query.first_name} ${query.last_name}`)
          : and(keywordExpression(blindIndex, query.first_name), keywordExpression(blindIndex, query.last_name))
      )
    case "query_string":
      return Result.flatMap(parseQueryString(query.query_string, exactFields), (parsed) =>
        expressionIn(blindIndex, parsed)
      )
  }
}

/** The faults of a query that its schema does not detect. The query may have other faults. */
export const queryFaults = (blindIndex: BlindIndex, query: unknown): ReadonlyArray<QueryStringInvalid> => {
  if (!Predicate.isObject(query)) return []
  if (query["type"] !== "query_string") return tooLongFields(query)
  if (!Predicate.isString(query["query_string"])) return []
  const parsed = parseQueryString(query["query_string"], exactFields)
  if (Result.isFailure(parsed)) return [parsed.failure]
  if (parsed.success.words <= maxWords) return []
  const expression = expressionIn(blindIndex, parsed.success)
  return Result.isFailure(expression) ? [expression.failure] : []
}

/** The fault in the form of a 422. `loc` is the location of the query in the request. */
export const queryFault = (
  { field, position, reason }: QueryStringInvalid,
  loc: ValidationFault["loc"]
): ValidationFault => ({
  loc,
  msg: reason,
  type: field === undefined ? "query_string" : "string_too_long",
  ctx: { position }
})

/** The members whose text is searched by words and exceeds the maximum length of a term. */
const tooLongFields = (query: { readonly [field: string]: unknown }): ReadonlyArray<QueryStringInvalid> =>
  (fieldsInWords.get(query["type"]) ?? []).flatMap((field) => {
    const text = query[field]
    return Predicate.isString(text) && text.length > maxTermLength
      ? [
          new QueryStringInvalid({
            field,
            position: maxTermLength,
            reason: `A term has at most ${maxTermLength} characters`
          })
        ]
      : []
  })

const fieldsInWords = new Map<unknown, ReadonlyArray<string>>([
  ["keyword", ["keyword"]],
  ["brand", ["name"]],
  ["name", ["first_name", "last_name"]]
])

/** The words of a keyword as a phrase. Only the beginning of a very long text is used. */
export const keywordExpression = (blindIndex: BlindIndex, text: string): Expression =>
  phrase(
    tokenize(blindIndex, text.slice(0, maxTextLength))
      .slice(0, maxWords)
      .map((word) => word.text)
  )

/** UTF-16 code units. Limits the time, because a body of a megabyte may consist of one text. */
const maxTextLength = 20_000

/** Events of any of these types, by any of the names in `EventTypes.ts`. */
export const typesExpression = (names: ReadonlyArray<string>): Expression =>
  or(...typesFoundAs(names).map((value) => termExpression({ kind: "type", value })))

const found = Result.succeed

const term = (kind: TermKind, value: string | undefined): Expression =>
  value === undefined || value === "" ? matchNone : termExpression({ kind, value })

const domain = (fqdn: string): Expression => term("domain", hostOf(fqdn))

const azureTenant = (tenant: string): Expression => {
  const uuid = azureTenantOf(tenant)
  return uuid === undefined ? domain(tenant) : term("azure_tenant", uuid)
}

/** The normal form of a repository's owner and name; undefined for any other text. */
const repository = (text: string): string | undefined => {
  const [owner, name, rest] = text.split("/")
  return owner !== undefined && name !== undefined && rest === undefined ? repositoryOf(owner, name) : undefined
}

const exactField =
  (kind: TermKind, normal: (text: string) => string | undefined): ExactField =>
  (text) => {
    const value = normal(text)
    return value === undefined || value === "" ? undefined : termExpression({ kind, value })
  }

/** The fields of `query_string` that contain an exact value. */
const exactFields: ReadonlyMap<string, ExactField> = new Map<string, ExactField>([
  ["domain", exactField("domain", hostOf)],
  ["email", exactField("email", emailOf)],
  ["username", exactField("username", usernameOf)],
  ["ip", exactField("ip", ipOf)],
  ["bin", exactField("bin", binOf)],
  ["github_repository", exactField("github_repository", repository)],
  ["azure_tenant", exactField("azure_tenant", azureTenantOf)],
  ["type", (name) => (name === "" ? undefined : typesExpression([name.toLowerCase()]))],
  ["severity", exactField("severity", (text) => severities.find((severity) => severity === text.toLowerCase()))]
])
