/** Which credentials an identifier matches: see docs/api.md#list-the-credentials-of-the-tenant. */
import * as Redacted from "effect/Redacted"
import type { Vault } from "../crypto/Vault.ts"
import { type IdentifierCriteria, queriesOf } from "../matching/IdentifierExpression.ts"
import { termsSought } from "./CredentialTerm.ts"

/** A credential matches if it has all the terms and, where the terms alone are not exact, the user name. */
export interface CredentialSelector {
  readonly terms: readonly [bigint, ...ReadonlyArray<bigint>]
  readonly username: string | undefined
}

/** Any of them selects a credential. Identifiers of other types match none. */
export const selectorsOf = (vault: Vault, criteria: IdentifierCriteria): ReadonlyArray<CredentialSelector> =>
  queriesOf(criteria).flatMap((query): ReadonlyArray<CredentialSelector> => {
    switch (query.type) {
      case "domain":
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

/** A name with an at sign may be a whole address, whose words are those before the sign. */
const usernameSelectors = (vault: Vault, name: string): ReadonlyArray<CredentialSelector> => {
  const username = comparable(name)
  if (username === "") return []
  return [...new Set([username, beforeAt(username)])].map((keyword) => ({
    terms: termsSought(vault, { type: "keyword", keyword }),
    username
  }))
}

/** Whether a user name is the account's, or its part before the at sign. */
export const isNamed = (username: string, identityName: string): boolean => {
  const name = comparable(identityName)
  return name === username || beforeAt(name) === username
}

const comparable = (name: string): string => name.trim().normalize("NFKC").toLowerCase()

const beforeAt = (name: string): string => {
  const at = name.lastIndexOf("@")
  return at > 0 ? name.slice(0, at) : name
}
