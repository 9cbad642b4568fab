/**
 * What each query variant of SPEC 4.2 finds, and what an identifier of each type of SPEC 4.4 watches for.
 *
 * | variant | finds events with |
 * | --- | --- |
 * | `domain` | a host name, URL or e-mail address of the domain or of a subdomain, in any field or text |
 * | `email` | that address, in any field or text |
 * | `username` | an account of that name (an author, a victim's login, the part of a leaked address before the at sign, an `@mention`) |
 * | `ip` | that address, v4 or v6 in any spelling |
 * | `bin` | a card whose number begins so: six digits find longer ones too |
 * | `github_repository` | a link to the repository, or a field that names it |
 * | `azure_tenant` | that tenant's UUID, or its `….onmicrosoft.com` domain |
 * | `secret` | exactly that password, key or token: a password field, or a value in a text |
 * | `credentials` | that account together with exactly that password |
 * | `keyword`, `brand` | its words one after another, in any field; of more than 128 words the first 128 |
 * | `name` | strict: first and last name side by side; else both anywhere in the event |
 * | `query_string` | what QueryString.ts says |
 *
 * Case and accents never count, but in `secret` and a password.
 */
import type { EventQuery } from "@threat-exposure/core/domain/Event"
import type { ValidationFault } from "@threat-exposure/core/domain/Failures"
import { severities } from "@threat-exposure/core/domain/Severity"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Vault } from "../crypto/Vault.ts"
import { typesFoundAs } from "./EventTypes.ts"
import { all, any, exact, type Expression, nothing, phrase } from "./Expression.ts"
import { searchedWords } from "./IndexedEvent.ts"
import { type ExactField, mostWords, parseQueryString, type QueryStringInvalid } from "./QueryString.ts"
import { azureTenantOf, binOf, emailOf, hostOf, ipOf, pairOf, repositoryOf, type TermKind, usernameOf } from "./Term.ts"

export const expressionOf = (
  vault: Vault,
  query: typeof EventQuery.Encoded
): Result.Result<Expression, QueryStringInvalid> => {
  switch (query.type) {
    case "domain": {
      return found(domain(query.fqdn))
    }
    case "email": {
      return found(term("email", emailOf(query.email)))
    }
    case "username": {
      return found(term("username", usernameOf(query.username)))
    }
    case "ip": {
      return found(term("ip", ipOf(query.ip)))
    }
    case "bin": {
      return found(term("bin", binOf(query.bin)))
    }
    case "github_repository": {
      return found(term("github_repository", repositoryOf(query.repo_owner, query.repo_name)))
    }
    case "azure_tenant": {
      return found(azureTenant(query.tenant_id))
    }
    case "secret": {
      return found(term("secret", query.secret))
    }
    case "credentials": {
      return found(term("credentials", pairOf(query.username, query.password)))
    }
    case "keyword": {
      return found(words(vault, query.keyword))
    }
    case "brand": {
      return found(words(vault, query.name))
    }
    case "name": {
      return found(
        query.is_strict === true
          ? words(vault, `${query.first_name} ${query.last_name}`)
          : all(words(vault, query.first_name), words(vault, query.last_name))
      )
    }
    case "query_string": {
      return parseQueryString(vault, query.query_string, exactFields)
    }
  }
}

/** The fault of a body's `query_string`, whatever else is wrong with the body. */
export const queryStringFaults = (vault: Vault, body: unknown): ReadonlyArray<ValidationFault> =>
  hasQueryString(body)
    ? Result.match(expressionOf(vault, body.query), {
        onSuccess: () => [],
        onFailure: (invalid) => [queryStringFault(invalid)]
      })
    : []

export const queryStringFault = ({ position, reason }: QueryStringInvalid): ValidationFault => ({
  loc: ["body", "query", "query_string"],
  msg: reason,
  type: "query_string",
  ctx: { position }
})

const hasQueryString = Schema.is(
  Schema.Struct({ query: Schema.Struct({ type: Schema.Literal("query_string"), query_string: Schema.String }) })
)

/** A keyword of a policy finds what a `keyword` query finds. Of a text longer than any name, the beginning decides. */
export const words = (vault: Vault, text: string): Expression =>
  phrase(
    searchedWords(vault, text.slice(0, longestText))
      .slice(0, mostWords)
      .map((word) => word.text)
  )

/** In UTF-16 units, for {@link mostWords} words: a body may be all one text, and a megabyte of it takes a while to read. */
const longestText = 20_000

/** What of an identifier says what it watches for. */
export interface Watched {
  readonly name: string
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
  readonly search_types: ReadonlyArray<string>
}

/**
 * The events an identifier matches. `data` says more exactly what the name says: `fqdn` of a domain, `repo_owner` and
 * `repo_name`, `first_name`, `last_name` and `is_strict`, otherwise a field with the type's own name. `search_types`, where
 * there are any, narrow it to events of those types.
 *
 * An `identity` is found by its address or account name, `ransomleak` by its words in ransom leaks, `external_id`,
 * `address_data` and `phone_number` by their words. A `role` or a `birth_year` says nothing by itself and matches nothing.
 */
export const expressionOfIdentifier = (vault: Vault, watched: Watched): Result.Result<Expression, QueryStringInvalid> =>
  Result.map(byType(vault, watched), (expression) =>
    watched.search_types.length === 0 ? expression : all(expression, ofTypes(watched.search_types))
  )

/** Events of any of these types, by any name of EventTypes.ts. */
export const ofTypes = (names: ReadonlyArray<string>): Expression =>
  any(...typesFoundAs(names).map((value) => exact({ kind: "type", value })))

const byType = (vault: Vault, { data, name, type }: Watched): Result.Result<Expression, QueryStringInvalid> => {
  const field = (key: string): string | undefined => {
    const value = data[key]
    return typeof value === "string" && value !== "" ? value : undefined
  }
  switch (type) {
    case "domain": {
      return found(domain(field("fqdn") ?? name))
    }
    case "name": {
      const [first = "", ...rest] = name.trim().split(/\s+/)
      const query = {
        type: "name",
        first_name: field("first_name") ?? first,
        last_name: field("last_name") ?? rest.join(" "),
        is_strict: data.is_strict === true
      } as const
      return expressionOf(vault, query)
    }
    case "github_repository": {
      const [owner = "", repository = ""] = name
        .trim()
        .replace(/^(?:https?:\/\/)?(?:www\.)?github\.com\//i, "")
        .split("/")
      return found(
        term("github_repository", repositoryOf(field("repo_owner") ?? owner, field("repo_name") ?? repository))
      )
    }
    case "username": {
      return found(term("username", usernameOf(field("username") ?? name)))
    }
    case "email": {
      return found(term("email", emailOf(field("email") ?? name)))
    }
    case "search_query": {
      return parseQueryString(vault, field("query_string") ?? field("search_query") ?? name, exactFields)
    }
    case "bin": {
      return found(term("bin", binOf(field("bin") ?? name)))
    }
    case "ip": {
      return found(term("ip", ipOf(field("ip") ?? name)))
    }
    case "secret": {
      return found(term("secret", field("secret") ?? name))
    }
    case "azure_tenant": {
      return found(azureTenant(field("tenant_id") ?? name))
    }
    case "identity": {
      const account = field("email") ?? field("username") ?? name
      const email = emailOf(account)
      return found(email === undefined ? term("username", usernameOf(account)) : term("email", email))
    }
    case "ransomleak": {
      return found(all(words(vault, field("name") ?? name), ofTypes(["ransomleak"])))
    }
    case "birth_year":
    case "role": {
      return found(nothing)
    }
    default: {
      return found(words(vault, field(type) ?? name))
    }
  }
}

const found = Result.succeed

const term = (kind: TermKind, value: string | undefined): Expression =>
  value === undefined || value === "" ? nothing : exact({ kind, value })

const domain = (fqdn: string): Expression => term("domain", hostOf(fqdn))

const azureTenant = (tenant: string): Expression => {
  const uuid = azureTenantOf(tenant)
  return uuid === undefined ? domain(tenant) : term("azure_tenant", uuid)
}

/** A repository's owner and name in one word. */
const repository = (text: string): string | undefined => {
  const [owner, name, rest] = text.split("/")
  return owner !== undefined && name !== undefined && rest === undefined ? repositoryOf(owner, name) : undefined
}

const exactField =
  (kind: TermKind, normal: (text: string) => string | undefined): ExactField =>
  (text) => {
    const value = normal(text)
    return value === undefined || value === "" ? undefined : exact({ kind, value })
  }

/** The fields of `query_string` that name an exact value. */
const exactFields: ReadonlyMap<string, ExactField> = new Map<string, ExactField>([
  ["domain", exactField("domain", hostOf)],
  ["email", exactField("email", emailOf)],
  ["username", exactField("username", usernameOf)],
  ["ip", exactField("ip", ipOf)],
  ["bin", exactField("bin", binOf)],
  ["github_repository", exactField("github_repository", repository)],
  ["azure_tenant", exactField("azure_tenant", azureTenantOf)],
  ["type", (name) => (name === "" ? undefined : ofTypes([name.toLowerCase()]))],
  ["severity", exactField("severity", (text) => severities.find((severity) => severity === text.toLowerCase()))]
])
