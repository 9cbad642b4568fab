/**
 * Preparing credentials takes most of a load and needs no database, so it runs in other threads. All columns are views
 * of one buffer outside the heap, which is transferred and costs the garbage collector nothing.
 */
import type { PlainCredential } from "@threat-exposure/core/domain/Credential"
import type { Vault } from "../crypto/Vault.ts"
import { termsOf } from "./CredentialTerm.ts"

/** Element `n` of each column belongs to row `n`. */
export interface CredentialBatch {
  readonly ids: Float64Array<ArrayBuffer>
  readonly importedAts: Float64Array
  readonly documents: BytesColumn
  readonly hashes: BytesColumn
  /** The distinct sources; row `n` has `sources[sourceIndexes[n]]`, or none if that is -1. */
  readonly sources: ReadonlyArray<string>
  readonly sourceIndexes: Int32Array
  /** NaN stands for null. */
  readonly knownPasswordIds: Float64Array
  readonly authDomains: BytesColumn
  /** The hosts beyond the maximum that an answer contains. */
  readonly furtherAuthDomains: BytesColumn
  readonly urls: BytesColumn
  /** The terms of all rows, concatenated; those of row `n` end at `termEnds[n]`. */
  readonly terms: BigInt64Array
  readonly termEnds: Uint32Array
}

export const bufferOf = ({ ids }: CredentialBatch): ArrayBuffer => ids.buffer

/** Concatenated values, strings in UTF-8. The value of row `n` ends at `ends[n]`; an empty value is null. */
export interface BytesColumn {
  readonly bytes: Uint8Array
  readonly ends: Uint32Array
}

export const bytesAt = ({ bytes, ends }: BytesColumn, row: number): Uint8Array | null => {
  const start = ends[row - 1] ?? 0
  const end = ends[row] ?? start
  return start === end ? null : bytes.subarray(start, end)
}

export interface ReadCredential {
  readonly credential: PlainCredential
  readonly importedAt: number
}

export const hashContext = (id: number): string => `credentials.sealed_hash/${id}`

export class CredentialBatchBuilder {
  readonly #vault: Vault
  readonly #ids: Array<number> = []
  readonly #importedAts: Array<number> = []
  readonly #documents = new BytesBuilder()
  readonly #hashes = new BytesBuilder()
  /** The index of each source, by the JSON of the source. */
  readonly #sources = new Map<string, number>()
  readonly #sourceIndexes: Array<number> = []
  readonly #knownPasswordIds: Array<number> = []
  readonly #authDomains = new BytesBuilder()
  readonly #furtherAuthDomains = new BytesBuilder()
  readonly #urls = new BytesBuilder()
  #terms = new BigInt64Array(4_096)
  #termCount = 0
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
    for (const term of termsOf(this.#vault, credential)) this.#addTerm(term)
    this.#termEnds.push(this.#termCount)
  }

  build(): CredentialBatch {
    const texts = [this.#documents, this.#hashes, this.#authDomains, this.#furtherAuthDomains, this.#urls]
    const bytesOfTexts = texts.reduce((sum, { length }) => sum + length, 0)
    const buffer = new ArrayBuffer(this.#termCount * 8 + this.count * (3 * 8 + (2 + texts.length) * 4) + bytesOfTexts)
    let end = 0
    // Columns of wide numbers come first, so that each column begins at a multiple of the size of its numbers.
    const next = (bytes: number): number => (end += bytes) - bytes
    const doubles = (values: ReadonlyArray<number>) => {
      const column = new Float64Array(buffer, next(values.length * 8), values.length)
      column.set(values)
      return column
    }
    const toUnsigned = (values: ReadonlyArray<number>) => {
      const column = new Uint32Array(buffer, next(values.length * 4), values.length)
      column.set(values)
      return column
    }
    const terms = new BigInt64Array(buffer, next(this.#termCount * 8), this.#termCount)
    terms.set(this.#terms.subarray(0, this.#termCount))
    const ids = doubles(this.#ids)
    const importedAts = doubles(this.#importedAts)
    const knownPasswordIds = doubles(this.#knownPasswordIds)
    const termEnds = toUnsigned(this.#termEnds)
    const sourceIndexes = new Int32Array(buffer, next(this.count * 4), this.count)
    sourceIndexes.set(this.#sourceIndexes)
    const ends = new Map(texts.map((text) => [text, toUnsigned(text.ends)]))
    const column = (text: BytesBuilder): BytesColumn => {
      const bytes = new Uint8Array(buffer, next(text.length), text.length)
      bytes.set(text.bytes)
      return { bytes, ends: ends.get(text) ?? new Uint32Array() }
    }
    const batch = {
      ids,
      importedAts,
      documents: column(this.#documents),
      hashes: column(this.#hashes),
      sources: [...this.#sources.keys()],
      sourceIndexes,
      knownPasswordIds,
      authDomains: column(this.#authDomains),
      furtherAuthDomains: column(this.#furtherAuthDomains),
      urls: column(this.#urls),
      terms,
      termEnds
    }
    for (const text of texts) text.release()
    return batch
  }

  #indexOf(source: string): number {
    const known = this.#sources.get(source)
    if (known !== undefined) return known
    this.#sources.set(source, this.#sources.size)
    return this.#sources.size - 1
  }

  #addTerm(term: bigint): void {
    if (this.#termCount === this.#terms.length) {
      const larger = new BigInt64Array(this.#terms.length * 2)
      larger.set(this.#terms)
      this.#terms = larger
    }
    this.#terms[this.#termCount++] = term
  }
}

class BytesBuilder {
  readonly ends: Array<number> = []
  #bytes: Buffer = spareBuffers.pop() ?? Buffer.alloc(0)
  #length = 0

  get length(): number {
    return this.#length
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

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
    this.ends.push(this.#length)
  }

  /** Makes the buffer available to the next builder. */
  release(): void {
    spareBuffers.push(this.#bytes)
    this.#bytes = Buffer.alloc(0)
    this.#length = 0
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#length + more, this.#bytes.length * 2, 65_536))
    larger.set(this.bytes)
    this.#bytes = larger
  }
}

/** Reused, because allocating large buffers for every batch would keep the garbage collector busy. */
const spareBuffers: Array<Buffer> = []

/** See docs/api.md#limits-and-quota. */
const maximumAuthDomains = 100

const jsonOf = (texts: ReadonlyArray<string> | undefined): string | null =>
  texts === undefined ? null : JSON.stringify(texts)

/** The parts of a credential as JSON; null for a missing part. */
export interface CredentialParts {
  /** All other fields, without the braces. */
  readonly document: string
  readonly hash: string | null
  readonly source: string | null
  readonly knownPasswordId: number | null
  readonly authDomains: string | null
  readonly furtherAuthDomains: string | null
  readonly urls: string | null
}

export const partsOf = (credential: PlainCredential): CredentialParts => {
  const { auth_domains, hash, known_password_id, source, urls } = credential
  const hasFurther = (auth_domains?.length ?? 0) > maximumAuthDomains
  return {
    document: documentOf(credential),
    hash: hash === null ? null : JSON.stringify(hash),
    source: source === null ? null : JSON.stringify(source),
    knownPasswordId: known_password_id,
    authDomains: jsonOf(auth_domains?.slice(0, maximumAuthDomains)),
    furtherAuthDomains: hasFurther ? jsonOf(auth_domains?.slice(maximumAuthDomains)) : null,
    urls: jsonOf(urls)
  }
}

const documentOf = ({
  auth_domains: _authDomains,
  hash: _hash,
  known_password_id: _knownPasswordId,
  source: _source,
  urls: _urls,
  ...document
}: PlainCredential): string => {
  const whole = document.domain === null ? { ...document, domain: domainOf(document.identity_name) } : document
  return JSON.stringify(whole).slice(1, -1)
}

const domainOf = (identityName: string): string | null => {
  const at = identityName.lastIndexOf("@")
  return at > 0 && at < identityName.length - 1 ? identityName.slice(at + 1) : null
}
