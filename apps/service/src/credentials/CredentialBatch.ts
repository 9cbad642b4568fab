/**
 * Credentials as batches of columns, ready to be stored. Preparing them takes most of the time of a load and needs no
 * database, so it runs in other threads. Columns are bytes and numbers outside the heap: they cross threads as plain copies
 * and cost the garbage collector nothing.
 */
import * as Schema from "effect/Schema"
import { credentialCodec } from "@threat-exposure/core/domain/Credential"
import type { Vault } from "../crypto/Vault.ts"
import { termsOf } from "./CredentialTerm.ts"

/** Element `n` of each column belongs to row `n`. */
export interface CredentialBatch {
  readonly ids: Float64Array
  readonly importedAts: Float64Array
  readonly documents: BytesColumn
  /** Encrypted. */
  readonly hashes: BytesColumn
  /** The distinct sources; row `n` has `sources[sourceIndexes[n]]`, or none if that is -1. */
  readonly sources: ReadonlyArray<string>
  readonly sourceIndexes: Int32Array
  /** NaN is null. */
  readonly knownPasswordIds: Float64Array
  readonly authDomains: BytesColumn
  /** Those beyond what an answer shows. */
  readonly furtherAuthDomains: BytesColumn
  readonly urls: BytesColumn
  /** Concatenated; the terms of row `n` end at `termEnds[n]`. */
  readonly terms: BigInt64Array
  readonly termEnds: Uint32Array
}

/** Concatenated values, texts in UTF-8; the value of row `n` ends at `ends[n]`, and an empty one is null. */
export interface BytesColumn {
  readonly bytes: Uint8Array
  readonly ends: Uint32Array
}

export const bytesAt = ({ bytes, ends }: BytesColumn, row: number): Uint8Array | null => {
  const start = ends[row - 1] ?? 0
  const end = ends[row] ?? start
  return start === end ? null : bytes.subarray(start, end)
}

/** A credential with its hash in clear, between reading and encryption: a `Redacted` for each would cost as much as decoding. */
export const PlainCredential = credentialCodec<string>({ schema: Schema.String, wrap: (hash) => hash, isLazy: false })
export interface PlainCredential extends Schema.Schema.Type<typeof PlainCredential> {}

/** A decoded credential, and its import time in microseconds since 1970. */
export interface ReadCredential {
  readonly credential: PlainCredential
  readonly importedAt: number
}

/** What an encrypted `sealed_hash` is bound to. */
export const hashContext = (id: number): string => `credentials.sealed_hash/${id}`

export const batchOf = (vault: Vault, read: ReadonlyArray<ReadCredential>): CredentialBatch => {
  const builder = new CredentialBatchBuilder(vault)
  for (const credential of read) builder.add(credential)
  return builder.build()
}

/** Takes credentials one by one, so that none of them stays in memory. */
export class CredentialBatchBuilder {
  readonly #vault: Vault
  readonly #ids: Array<number> = []
  readonly #importedAts: Array<number> = []
  readonly #documents = new BytesBuilder()
  readonly #hashes = new BytesBuilder()
  /** By their JSON. */
  readonly #sources = new Map<string, number>()
  readonly #sourceIndexes: Array<number> = []
  readonly #knownPasswordIds: Array<number> = []
  readonly #authDomains = new BytesBuilder()
  readonly #furtherAuthDomains = new BytesBuilder()
  readonly #urls = new BytesBuilder()
  readonly #terms = new TermsBuilder()
  readonly #termEnds: Array<number> = []

  constructor(vault: Vault) {
    this.#vault = vault
  }

  get count(): number {
    return this.#ids.length
  }

  add({ credential, importedAt }: ReadCredential): void {
    const { id } = credential
    const { authDomains, document, furtherAuthDomains, hash, knownPasswordId, source, urls } = partsOf(credential)
    this.#ids.push(id)
    this.#importedAts.push(importedAt)
    this.#documents.append(document)
    this.#hashes.append(hash === null ? null : this.#vault.encrypt(hash, hashContext(id)))
    this.#sourceIndexes.push(source === null ? -1 : this.#indexOf(source))
    this.#knownPasswordIds.push(knownPasswordId ?? Number.NaN)
    this.#authDomains.append(authDomains)
    this.#furtherAuthDomains.append(furtherAuthDomains)
    this.#urls.append(urls)
    this.#termEnds.push(this.#terms.append(termsOf(this.#vault, credential)))
  }

  build(): CredentialBatch {
    return {
      ids: Float64Array.from(this.#ids),
      importedAts: Float64Array.from(this.#importedAts),
      documents: this.#documents.build(),
      hashes: this.#hashes.build(),
      sources: [...this.#sources.keys()],
      sourceIndexes: Int32Array.from(this.#sourceIndexes),
      knownPasswordIds: Float64Array.from(this.#knownPasswordIds),
      authDomains: this.#authDomains.build(),
      furtherAuthDomains: this.#furtherAuthDomains.build(),
      urls: this.#urls.build(),
      terms: this.#terms.build(),
      termEnds: Uint32Array.from(this.#termEnds)
    }
  }

  #indexOf(source: string): number {
    const known = this.#sources.get(source)
    if (known !== undefined) return known
    this.#sources.set(source, this.#sources.size)
    return this.#sources.size - 1
  }
}

class BytesBuilder {
  #bytes = Buffer.alloc(0)
  #length = 0
  readonly #ends: Array<number> = []

  append(value: string | Uint8Array | null): void {
    if (value !== null) {
      // A UTF-16 code unit takes at most three bytes in UTF-8.
      this.#reserve(typeof value === "string" ? value.length * 3 : value.length)
      if (typeof value === "string") this.#length += this.#bytes.write(value, this.#length)
      else {
        this.#bytes.set(value, this.#length)
        this.#length += value.length
      }
    }
    this.#ends.push(this.#length)
  }

  build(): BytesColumn {
    return { bytes: new Uint8Array(this.#bytes.subarray(0, this.#length)), ends: Uint32Array.from(this.#ends) }
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const larger = Buffer.alloc(Math.max(this.#length + more, this.#bytes.length * 2, 65_536))
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}

class TermsBuilder {
  #terms = new BigInt64Array(4_096)
  #length = 0

  /** Returns the number of all terms. */
  append(terms: ReadonlySet<bigint>): number {
    if (this.#length + terms.size > this.#terms.length) {
      const larger = new BigInt64Array(Math.max(this.#length + terms.size, this.#terms.length * 2))
      larger.set(this.#terms)
      this.#terms = larger
    }
    for (const term of terms) this.#terms[this.#length++] = term
    return this.#length
  }

  build(): BigInt64Array {
    return this.#terms.slice(0, this.#length)
  }
}

/** See docs/api.md#limits-and-quota. */
const maximumAuthDomains = 100

const furtherThan = (maximum: number, texts: ReadonlyArray<string> | undefined): ReadonlyArray<string> | undefined =>
  texts === undefined || texts.length <= maximum ? undefined : texts.slice(maximum)

const jsonOf = (texts: ReadonlyArray<string> | undefined): string | null =>
  texts === undefined ? null : JSON.stringify(texts)

/** A credential as JSON texts; null where there is none. */
export interface CredentialParts {
  /** Every field but the following ones, without the braces. */
  readonly document: string
  readonly hash: string | null
  readonly source: string | null
  readonly knownPasswordId: number | null
  readonly authDomains: string | null
  /** Those beyond what an answer shows. */
  readonly furtherAuthDomains: string | null
  readonly urls: string | null
}

export const partsOf = (credential: PlainCredential): CredentialParts => {
  const { auth_domains, hash, known_password_id, source, urls } = credential
  return {
    document: documentOf(credential),
    hash: hash === null ? null : JSON.stringify(hash),
    source: source === null ? null : JSON.stringify(source),
    knownPasswordId: known_password_id,
    authDomains: jsonOf(auth_domains?.slice(0, maximumAuthDomains)),
    furtherAuthDomains: jsonOf(furtherThan(maximumAuthDomains, auth_domains)),
    urls: jsonOf(urls)
  }
}

/** Every field but those that have a column of their own. */
const documentOf = ({
  auth_domains: _authDomains,
  hash: _hash,
  known_password_id: _knownPasswordId,
  source: _source,
  urls: _urls,
  ...document
}: PlainCredential) =>
  JSON.stringify({ ...document, domain: document.domain ?? domainOf(document.identity_name) }).slice(1, -1)

const domainOf = (identityName: string): string | null => {
  const at = identityName.lastIndexOf("@")
  return at > 0 && at < identityName.length - 1 ? identityName.slice(at + 1) : null
}
