/** The credentials that an identifier matches: see docs/api.md#list-the-credentials-of-the-tenant. */
import * as Redacted from "effect/Redacted"
import type { Vault } from "../crypto/Vault.ts"
import { type IdentifierCriteria, type PolicyRule, queriesOf } from "../matching/IdentifierExpression.ts"
import { termsSought } from "./CredentialTerm.ts"

/** A credential matches if it has all the terms and the user name, which is undefined if the terms alone are exact. */
export interface CredentialSelector {
  readonly terms: readonly [bigint, ...ReadonlyArray<bigint>]
  readonly username: string | undefined
}

/** A credential matches if one of the selectors does. Identifiers of other types match no credential. */
export const selectorsOf = (
  vault: Vault,
  criteria: IdentifierCriteria,
  policies: ReadonlyArray<PolicyRule>
): ReadonlyArray<CredentialSelector> =>
  queriesOf(criteria).flatMap((query): ReadonlyArray<CredentialSelector> => {
    switch (query.type) {
      case "domain":
        return domainTypes(policies).map((type) => ({
          terms: termsSought(vault, { type, fqdn: query.fqdn }),
          username: undefined
        }))
      case "email":
        return [{ terms: termsSought(vault, query), username: undefined }]
      case "secret":
        return [{ terms: termsSought(vault, { ...query, secret: Redacted.make(query.secret) }), username: undefined }]
      case "username":
        return usernameSelectors(vault, query.username)
      default:
        return []
    }
  })

/** Without a policy, the domain of the address must match; otherwise, the domain in the mode of each policy. */
const domainTypes = (policies: ReadonlyArray<PolicyRule>): ReadonlyArray<"auth_domain" | "domain"> => {
  const modes = policies.flatMap(({ match_mode, type }) => (type === "ASTP_DOMAIN" && match_mode ? [match_mode] : []))
  if (modes.length === 0) return ["domain"]
  const byAddress = modes.every((mode) => mode !== "auth_domain_only")
  const byLogin = modes.every((mode) => mode !== "email_domain_only")
  return [...(byAddress ? (["domain"] as const) : []), ...(byLogin ? (["auth_domain"] as const) : [])]
}

/** A name with an at sign may be a whole address; its words are then those before the sign. */
const usernameSelectors = (vault: Vault, name: string): ReadonlyArray<CredentialSelector> => {
  const username = comparable(name)
  if (username === "") return []
  return [...new Set([username, beforeAt(username)])].map((keyword) => ({
    terms: termsSought(vault, { type: "keyword", keyword }),
    username
  }))
}

/** The user names of an account: its name, and the part of it before the at sign. */
export const usernamesIn = (identityName: string): ReadonlyArray<string> => {
  const name = comparable(identityName)
  return [name, beforeAt(name)]
}

const comparable = (name: string): string => name.trim().normalize("NFKC").toLowerCase()

const beforeAt = (name: string): string => {
  const at = name.lastIndexOf("@")
  return at > 0 ? name.slice(0, at) : name
}
