/**
 * Credentials as batches of columns, ready to be stored: the expensive part of a load needs no database, so that it runs in
 * several threads, and columns cross between threads at the price of a copy.
 */
import * as Redacted from "effect/Redacted"
import type { Credential } from "@threat-exposure/core/domain/Credential"
import type { Vault } from "../crypto/Vault.ts"
import { termsOf } from "./CredentialTerm.ts"

/** Element `n` of each column belongs to row `n`. */
export interface CredentialBatch {
  readonly ids: Float64Array
  readonly importedAts: Float64Array
  readonly documents: ReadonlyArray<string>
  /** Encrypted, one after the other; row `n` ends at `hashEnds[n]`, and an empty one is null. */
  readonly hashes: Uint8Array
  readonly hashEnds: Uint32Array
  readonly sources: ReadonlyArray<string | null>
  readonly knownPasswordIds: ReadonlyArray<number | null>
  readonly authDomains: ReadonlyArray<string | null>
  /** Those beyond what an answer shows. */
  readonly furtherAuthDomains: ReadonlyArray<string | null>
  readonly urls: ReadonlyArray<string | null>
  /** Concatenated; the terms of row `n` end at `termEnds[n]`. */
  readonly terms: BigInt64Array
  readonly termEnds: Uint32Array
}

/** A decoded credential, and its import time in microseconds since 1970. */
export interface ReadCredential {
  readonly credential: Credential
  readonly importedAt: number
}

/** What an encrypted `sealed_hash` is bound to. */
export const hashContext = (id: number): string => `credentials.sealed_hash/${id}`

export const batchOf = (vault: Vault, read: ReadonlyArray<ReadCredential>): CredentialBatch => {
  const hashes: Array<Uint8Array> = []
  const hashEnds = new Uint32Array(read.length)
  let hashEnd = 0
  const sources = new Map<unknown, string>()
  const terms: Array<bigint> = []
  const termEnds = new Uint32Array(read.length)
  for (const [row, { credential }] of read.entries()) {
    if (credential.hash !== null) {
      const hash = vault.encrypt(JSON.stringify(Redacted.value(credential.hash)), hashContext(credential.id))
      hashes.push(hash)
      hashEnd += hash.length
    }
    hashEnds[row] = hashEnd
    for (const term of termsOf(vault, credential)) terms.push(term)
    termEnds[row] = terms.length
    if (credential.source !== null) sources.set(credential.source, JSON.stringify(credential.source))
  }
  return {
    ids: Float64Array.from(read, ({ credential }) => credential.id),
    importedAts: Float64Array.from(read, ({ importedAt }) => importedAt),
    documents: read.map(({ credential }) => documentOf(credential)),
    hashes: Buffer.concat(hashes),
    hashEnds,
    sources: read.map(({ credential }) => sources.get(credential.source) ?? null),
    knownPasswordIds: read.map(({ credential }) => credential.known_password_id),
    authDomains: read.map(({ credential }) => jsonOf(credential.auth_domains?.slice(0, maximumAuthDomains))),
    furtherAuthDomains: read.map(({ credential }) => jsonOf(furtherThan(maximumAuthDomains, credential.auth_domains))),
    urls: read.map(({ credential }) => jsonOf(credential.urls)),
    terms: BigInt64Array.from(terms),
    termEnds
  }
}

/** See docs/api.md#limits-and-quota. */
const maximumAuthDomains = 100

const furtherThan = (maximum: number, texts: ReadonlyArray<string> | undefined): ReadonlyArray<string> | undefined =>
  texts === undefined || texts.length <= maximum ? undefined : texts.slice(maximum)

const jsonOf = (texts: ReadonlyArray<string> | undefined): string | null =>
  texts === undefined ? null : JSON.stringify(texts)

/** Every field but those that have a column of their own. */
const documentOf = ({
  auth_domains: _authDomains,
  hash: _hash,
  known_password_id: _knownPasswordId,
  source: _source,
  urls: _urls,
  ...document
}: Credential) =>
  JSON.stringify({ ...document, domain: document.domain ?? domainOf(document.identity_name) }).slice(1, -1)

const domainOf = (identityName: string): string | null => {
  const at = identityName.lastIndexOf("@")
  return at > 0 && at < identityName.length - 1 ? identityName.slice(at + 1) : null
}
