/**
 * Storing credentials, in batches of columns: what costs time is done before the write lock is taken, and in another thread
 * where there is one, and columns cross between threads at the price of a copy.
 */
import * as Redacted from "effect/Redacted"
import type { Credential } from "@threat-exposure/core/domain/Credential"
import type { Vault } from "../crypto/Vault.ts"
import type { Connection } from "../sql/Connection.ts"
import { termsOf } from "./CredentialTerm.ts"

/** Column `n` of each belongs to row `n`. */
export interface CredentialBatch {
  readonly ids: Float64Array
  readonly importedAts: Float64Array
  readonly documents: ReadonlyArray<string>
  /** One after the other; row `n` ends at `sealedEnds[n]`, and an empty one is null. */
  readonly sealedHashes: Uint8Array
  readonly sealedEnds: Uint32Array
  readonly sources: ReadonlyArray<string | null>
  readonly knownPasswordIds: ReadonlyArray<number | null>
  readonly authDomains: ReadonlyArray<string | null>
  readonly urls: ReadonlyArray<string | null>
  /** Row `termRows[n]` has `terms[n]`. */
  readonly terms: BigInt64Array
  readonly termRows: Uint32Array
}

/** A credential that was read, and its import time in microseconds. */
export interface ReadCredential {
  readonly credential: Credential
  readonly importedAt: number
}

export const batchOf = (vault: Vault, read: ReadonlyArray<ReadCredential>): CredentialBatch => {
  const hashes = read.flatMap(({ credential: { hash } }) =>
    hash === null ? [] : [JSON.stringify(Redacted.value(hash))]
  )
  const sealed = vault.sealAll(hashes)
  const sealedEnds = new Uint32Array(read.length)
  const sources = new Map<unknown, string>()
  const terms: Array<bigint> = []
  const termRows: Array<number> = []
  let sealedBefore = 0
  for (const [row, { credential }] of read.entries()) {
    if (credential.hash !== null) sealedBefore += 1
    sealedEnds[row] = sealed.ends[sealedBefore - 1] ?? 0
    for (const term of termsOf(vault, credential)) {
      terms.push(term)
      termRows.push(row)
    }
    if (credential.source !== null) sources.set(credential.source, JSON.stringify(credential.source))
  }
  return {
    ids: Float64Array.from(read, ({ credential }) => credential.id),
    importedAts: Float64Array.from(read, ({ importedAt }) => importedAt),
    documents: read.map(({ credential }) => documentOf(credential)),
    sealedHashes: sealed.bytes,
    sealedEnds,
    sources: read.map(({ credential }) => sources.get(credential.source) ?? null),
    knownPasswordIds: read.map(({ credential }) => credential.known_password_id),
    authDomains: read.map(({ credential }) => jsonOf(credential.auth_domains?.slice(0, maximumAuthDomains))),
    urls: read.map(({ credential }) => jsonOf(credential.urls)),
    terms: BigInt64Array.from(terms),
    termRows: Uint32Array.from(termRows)
  }
}

/** How many were new: one whose id is there already is left as it is, so a load that stopped half way is just run again. */
export const insertCredentials = (connection: Connection, batches: ReadonlyArray<CredentialBatch>): number => {
  const sourceIdOf = sourceIds(connection)
  const added = batches.map((batch) => insertRows(connection, batch, sourceIdOf))
  for (const group of sortable(added)) insertTerms(connection, group)
  return added.reduce((count, { isNew }) => count + isNew.reduce((sum, one) => sum + one, 0), 0)
}

/** SPEC 8. */
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
  const { authDomains, documents, ids, importedAts, knownPasswordIds, sealedEnds, sealedHashes, sources, urls } = batch
  const insert = connection.prepare(
    `INSERT INTO credentials (id, imported_at, document, sealed_hash, source, known_password_id, auth_domains, urls)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
  )
  const isNew = new Uint8Array(documents.length)
  let sealedStart = 0
  for (const [row, document] of documents.entries()) {
    const sealedEnd = sealedEnds[row] ?? sealedStart
    const source = sources[row] ?? null
    const { changes } = insert.run(
      ids[row] ?? 0,
      importedAts[row] ?? 0,
      document,
      sealedEnd === sealedStart ? null : sealedHashes.subarray(sealedStart, sealedEnd),
      source === null ? null : sourceIdOf(source),
      knownPasswordIds[row] ?? null,
      authDomains[row] ?? null,
      urls[row] ?? null
    )
    isNew[row] = Number(changes)
    sealedStart = sealedEnd
  }
  return { batch, isNew }
}

/** In the order of the index, so that neighbours fall on the same page of the file. */
const insertTerms = (connection: Connection, added: ReadonlyArray<Added>): void => {
  const insertMany = connection.prepare(termInsert(termsAtOnce))
  const insertOne = connection.prepare(termInsert(1))
  const values: Array<bigint | number> = []
  const ends: Array<number> = []
  const terms = new BigInt64Array(added.reduce((count, { batch }) => count + batch.terms.length, 0))
  let end = 0
  for (const { batch } of added) {
    terms.set(batch.terms, end)
    end += batch.terms.length
    ends.push(end)
  }
  const owners = new Uint16Array(terms.length)
  for (const [owner, to] of ends.entries()) owners.fill(owner, ends[owner - 1] ?? 0, to)
  for (const place of sortedPlaces(terms)) {
    const owner = owners[place] ?? 0
    const one = added[owner]
    if (one === undefined) continue
    const { batch, isNew } = one
    const row = batch.termRows[place - (ends[owner - 1] ?? 0)] ?? 0
    if (isNew[row] === 0) continue
    values.push(terms[place] ?? 0n, batch.importedAts[row] ?? 0, batch.ids[row] ?? 0)
    if (values.length < termsAtOnce * 3) continue
    insertMany.run(...values)
    values.length = 0
  }
  for (let at = 0; at < values.length; at += 3) insertOne.run(...values.slice(at, at + 3))
}

/** The call of a statement costs more than the storing of a row. */
const termsAtOnce = 32

const termInsert = (rows: number): string =>
  `INSERT INTO credential_terms (term, imported_at, id) VALUES ${Array(rows).fill("(?, ?, ?)").join(", ")}`

/** Groups of batches that have few enough terms to be sorted together. */
const sortable = (added: ReadonlyArray<Added>): ReadonlyArray<ReadonlyArray<Added>> => {
  const groups: Array<Array<Added>> = []
  let terms = places
  for (const one of added) {
    terms += one.batch.terms.length
    if (terms > places) {
      groups.push([])
      terms = one.batch.terms.length
    }
    groups.at(-1)?.push(one)
  }
  return groups
}

/** Places of the terms by their upper halves, the place in the lower bits: numbers sort many times faster than objects. */
const sortedPlaces = (terms: BigInt64Array): Uint32Array => {
  const halves = new Int32Array(terms.buffer)
  const keys = new Float64Array(terms.length)
  for (let at = 0; at < keys.length; at += 1) keys[at] = (halves[at * 2 + 1] ?? 0) * places + at
  keys.sort()
  return Uint32Array.from(keys, (key) => key - Math.floor(key / places) * places)
}

/** A key has 53 bits: 32 of a half, and 21 for a place. */
const places = 2 ** 21

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
