/**
 * The terms by which credentials are indexed and searched: see docs/api.md#search-credentials.
 *
 * A domain finds addresses and hosts in it and in its subdomains, down to two labels: `example.com` finds
 * `mail.example.com`. A single label such as `com` or `intranet` finds only names directly under it.
 *
 * A keyword finds user names that contain each of its words (runs of letters or of digits), in any order: `doe` and
 * `jane.doe` find `jane.doe7`, but `jan` does not. Passwords are compared exactly, everything else without regard to
 * case.
 */
import * as Redacted from "effect/Redacted"
import type { CredentialQuery, PlainCredential } from "@threat-exposure/core/domain/Credential"
import type { Vault } from "../crypto/Vault.ts"
import { domainsOf, emailOf, hostOf } from "../search/Term.ts"

/** The hash is in clear: never log it. */
type FoundBy = Pick<PlainCredential, "auth_domains" | "credential_hash" | "domain" | "hash" | "identity_name">

export const termsOf = (vault: Vault, credential: FoundBy): ReadonlySet<bigint> => {
  const terms = new Set<bigint>()
  const { auth_domains, credential_hash, domain, hash, identity_name } = credential
  const at = identity_name.lastIndexOf("@")
  const host = at > 0 ? identity_name.slice(at + 1) : null
  if (host !== null) {
    terms.add(vault.blindIndex64("email", comparableEmail(identity_name)))
    addDomains(terms, vault, "domain", host)
  }
  if (domain !== null && domain !== host) addDomains(terms, vault, "domain", domain)
  for (const word of wordsOf(at > 0 ? identity_name.slice(0, at) : identity_name)) {
    if (isRare.test(word)) terms.add(vault.blindIndex64("word", word))
    else for (const term of cacheTerms(vault, "word", word, oneTerm)) terms.add(term)
  }
  for (const host of auth_domains ?? []) addDomains(terms, vault, "auth_domain", host)
  if (hash !== null) terms.add(vault.blindIndex64("secret", hash))
  if (credential_hash !== null) terms.add(credentialHashTerm(vault, credential_hash))
  return terms
}

/** The term of a `credential_hash`, by which requests identify a credential. */
export const credentialHashTerm = (vault: Vault, credentialHash: string): bigint =>
  vault.blindIndex64("credential_hash", credentialHash)

/** The terms that a matching credential must have: at least one. */
export const termsSought = (vault: Vault, query: CredentialQuery): readonly [bigint, ...ReadonlyArray<bigint>] => {
  switch (query.type) {
    case "domain":
    case "auth_domain":
      return [vault.blindIndex64(query.type, comparableHost(query.fqdn))]
    case "email":
      return [vault.blindIndex64("email", comparableEmail(query.email))]
    case "secret":
      return [vault.blindIndex64("secret", Redacted.value(query.secret))]
    case "keyword": {
      // The first term decides how many rows are read, so the longest word comes first: it is usually the rarest.
      const words = [...new Set(wordsOf(query.keyword))]
      const [rarest = "", ...others] = words.toSorted((a, b) => b.length - a.length)
      return [
        vault.blindIndex64("word", rarest),
        ...others.slice(0, maximumWords).map((word) => vault.blindIndex64("word", word))
      ]
    }
  }
}

const maximumWords = 15

const addDomains = (terms: Set<bigint>, vault: Vault, kind: "domain" | "auth_domain", host: string): void => {
  for (const term of cacheTerms(vault, kind, host, domainTerms)) terms.add(term)
}

/** Long numbers rarely recur, so caching them would only evict other words. */
const isRare = /^\p{N}{5}/u

type Recurring = "domain" | "auth_domain" | "word"
type TermsOf = (vault: Vault, kind: Recurring, text: string) => ReadonlyArray<bigint>

const oneTerm: TermsOf = (vault, kind, word) => [vault.blindIndex64(kind, word)]

const domainTerms: TermsOf = (vault, kind, host) =>
  domainsOf(comparableHost(host)).map((domain) => vault.blindIndex64(kind, domain))

/** Caches terms, because the same hosts and words recur, and a digest costs more than a look-up. */
const cacheTerms = (vault: Vault, kind: Recurring, text: string, termsOf: TermsOf): ReadonlyArray<bigint> => {
  let known = recurring.get(vault)
  if (known === undefined)
    recurring.set(vault, (known = { domain: new Map(), auth_domain: new Map(), word: new Map() }))
  const found = known[kind].get(text)
  if (found !== undefined) return found
  const terms = termsOf(vault, kind, text)
  if (known[kind].size === maxRemembered) known[kind].clear()
  known[kind].set(text, terms)
  return terms
}

const recurring = new WeakMap<Vault, Record<Recurring, Map<string, ReadonlyArray<bigint>>>>()

/** Maximum entries per kind: some megabytes. */
const maxRemembered = 50_000

const comparableHost = (text: string): string => hostOf(text) ?? text.trim().toLowerCase()

const comparableEmail = (text: string): string => emailOf(text) ?? text.trim().toLowerCase()

/** The words of the text, in order; the text itself if it contains neither letters nor digits. */
const wordsOf = (text: string): ReadonlyArray<string> => {
  const plain = text.normalize("NFKC").toLowerCase()
  return plain.match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? [plain]
}
