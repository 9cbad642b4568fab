/**
 * Storing credentials, in batches of columns: what costs time is done before the write lock is taken, and in another thread
 * where there is one, and columns cross between threads at the price of a copy.
 */
import * as Redacted from "effect/Redacted"
import type { Credential } from "@threat-exposure/core/domain/Credential"
import type { Vault } from "../crypto/Vault.ts"
import type { Connection } from "../sqlite/Connection.ts"
import { termsOf } from "./CredentialTerm.ts"

/** Column `n` of each belongs to row `n`. */
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
  /** One row's after the other's; those of row `n` end at `termEnds[n]`. */
  readonly terms: BigInt64Array
  readonly termEnds: Uint32Array
}

/** A credential that was read, and its import time in microseconds. */
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

/** How many were new: one whose id is there already is left as it is, so a load that stopped half way is just run again. */
export const insertCredentials = (connection: Connection, batches: ReadonlyArray<CredentialBatch>): number => {
  const sourceIdOf = sourceIds(connection)
  const added = batches.map((batch) => insertRows(connection, batch, sourceIdOf))
  insertTerms(connection, added)
  return added.reduce((count, { isNew }) => count + isNew.reduce((sum, one) => sum + one, 0), 0)
}

/** See docs/api.md#limits-and-quota. */
const maximumAuthDomains = 100

/** A batch whose rows are stored; `isNew[n]` is 1 where row `n` was not there already, else 0. */
interface Added {
  readonly batch: CredentialBatch
  readonly isNew: Uint8Array
}

const sourceIds = (connection: Connection) => {
  const known = new Map<string, number>()
  return (document: string): number => {
    const found = known.get(document)
    if (found !== undefined) return found
    connection.run("INSERT INTO credential_sources (document) VALUES (?) ON CONFLICT DO NOTHING", document)
    const id = Number(connection.prepare("SELECT id FROM credential_sources WHERE document = ?").get(document)?.["id"])
    known.set(document, id)
    return id
  }
}

const insertRows = (
  connection: Connection,
  batch: CredentialBatch,
  sourceIdOf: (document: string) => number
): Added => {
  const { authDomains, documents, furtherAuthDomains, hashEnds, hashes, ids, importedAts, knownPasswordIds } = batch
  const { sources, urls } = batch
  const insert = connection.prepare(
    `INSERT INTO credentials (id, imported_at, document, sealed_hash, source, known_password_id, auth_domains, further_auth_domains, urls)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
  )
  const isNew = new Uint8Array(documents.length)
  let hashStart = 0
  for (const [row, document] of documents.entries()) {
    const hashEnd = hashEnds[row] ?? hashStart
    const source = sources[row] ?? null
    const { changes } = insert.run(
      ids[row] ?? 0,
      importedAts[row] ?? 0,
      document,
      hashEnd === hashStart ? null : hashes.subarray(hashStart, hashEnd),
      source === null ? null : sourceIdOf(source),
      knownPasswordIds[row] ?? null,
      authDomains[row] ?? null,
      furtherAuthDomains[row] ?? null,
      urls[row] ?? null
    )
    isNew[row] = Number(changes)
    hashStart = hashEnd
  }
  return { batch, isNew }
}

/** In the order of the index, so that neighbours fall on the same page of the file. */
const insertTerms = (connection: Connection, added: ReadonlyArray<Added>): void => {
  const insertMany = connection.prepare(termInsert(termsAtOnce))
  const insertOne = connection.prepare(termInsert(1))
  const { ids, importedAts, rows, terms } = termsInTimeOrder(added)
  const values: Array<bigint | number> = []
  for (const place of sortedPlaces(terms)) {
    const row = rows[place] ?? 0
    values.push(terms[place] ?? 0n, importedAts[row] ?? 0, ids[row] ?? 0)
    if (values.length < termsAtOnce * 3) continue
    insertMany.run(...values)
    values.length = 0
  }
  for (let at = 0; at < values.length; at += 3) insertOne.run(...values.slice(at, at + 3))
}

/** The terms of what is new; `terms[n]` is of the credential `rows[n]`. Many share a term, and stand by time under it. */
const termsInTimeOrder = (added: ReadonlyArray<Added>) => {
  const sum = (count: (one: Added) => number) => added.reduce((total, one) => total + count(one), 0)
  const ids = new Float64Array(sum(({ isNew }) => isNew.length))
  const importedAts = new Float64Array(ids.length)
  const starts = new Uint32Array(ids.length)
  const ends = new Uint32Array(ids.length)
  const all = new BigInt64Array(sum(({ batch }) => batch.terms.length))
  let count = 0
  let start = 0
  for (const { batch, isNew } of added) {
    all.set(batch.terms, start)
    for (const [row, one] of isNew.entries()) {
      if (one === 0) continue
      ids[count] = batch.ids[row] ?? 0
      importedAts[count] = batch.importedAts[row] ?? 0
      starts[count] = start + (batch.termEnds[row - 1] ?? 0)
      ends[count] = start + (batch.termEnds[row] ?? 0)
      count += 1
    }
    start += batch.terms.length
  }
  const inTimeOrder = Uint32Array.from({ length: count }, (_, row) => row)
  inTimeOrder.sort((a, b) => (importedAts[a] ?? 0) - (importedAts[b] ?? 0))
  const terms = new BigInt64Array(all.length)
  const rows = new Uint32Array(all.length)
  let end = 0
  for (const row of inTimeOrder) {
    for (let at = starts[row] ?? 0; at < (ends[row] ?? 0); at += 1) {
      terms[end] = all[at] ?? 0n
      rows[end] = row
      end += 1
    }
  }
  return { ids, importedAts, rows: rows.subarray(0, end), terms: terms.subarray(0, end) }
}

/** The call of a statement costs more than the storing of a row. */
const termsAtOnce = 32

const termInsert = (rows: number): string =>
  `INSERT INTO credential_terms (term, imported_at, id) VALUES ${Array(rows).fill("(?, ?, ?)").join(", ")}`

/**
 * The places of the terms in the order of the terms' upper halves, by which hardly two of them are the same; what is equal
 * stays in the order in which it is. Digit after digit, from the lowest: a comparison for each pair would take ten times as long.
 */
const sortedPlaces = (terms: BigInt64Array): Uint32Array => {
  const halves = new Int32Array(terms.buffer, terms.byteOffset, terms.length * 2)
  let places = Uint32Array.from({ length: terms.length }, (_, place) => place)
  let sorted = new Uint32Array(terms.length)
  for (let shift = 0; shift < 32; shift += digitBits) {
    // Negative halves come first.
    const digitOf = (place: number) => (((halves[place * 2 + 1] ?? 0) ^ 0x80000000) >>> shift) & (digits - 1)
    const starts = new Uint32Array(digits + 1)
    for (const place of places) starts[digitOf(place) + 1] = (starts[digitOf(place) + 1] ?? 0) + 1
    for (let digit = 1; digit <= digits; digit += 1) starts[digit] = (starts[digit] ?? 0) + (starts[digit - 1] ?? 0)
    for (const place of places) {
      const digit = digitOf(place)
      const start = starts[digit] ?? 0
      sorted[start] = place
      starts[digit] = start + 1
    }
    ;[places, sorted] = [sorted, places]
  }
  return places
}

const digitBits = 11
const digits = 2 ** digitBits

const furtherThan = (maximum: number, texts: ReadonlyArray<string> | undefined): ReadonlyArray<string> | undefined =>
  texts === undefined || texts.length <= maximum ? undefined : texts.slice(maximum)

const jsonOf = (texts: ReadonlyArray<string> | undefined): string | null =>
  texts === undefined ? null : JSON.stringify(texts)

const documentOf = ({
  credential_hash,
  domain,
  event_uid,
  hash_type,
  id,
  identity_name,
  imported_at,
  source_id
}: Credential) =>
  JSON.stringify({
    id,
    identity_name,
    domain: domain ?? domainOf(identity_name),
    source_id,
    imported_at,
    hash_type,
    credential_hash,
    event_uid
  }).slice(1, -1)

const domainOf = (identityName: string): string | null => {
  const at = identityName.lastIndexOf("@")
  return at > 0 && at < identityName.length - 1 ? identityName.slice(at + 1) : null
}
