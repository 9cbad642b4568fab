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
  /** In the order of the index, so that neighbours fall on the same page of the file; `termRows[n]` has `terms[n]`. */
  readonly terms: BigInt64Array
  readonly termRows: Uint32Array
}

/** A credential that was read, and its import time in microseconds. */
export interface ReadCredential {
  readonly credential: Credential
  readonly importedAt: number
}

export const batchOf = (vault: Vault, read: ReadonlyArray<ReadCredential>): CredentialBatch => {
  const sealed: Array<Uint8Array> = []
  const sealedEnds = new Uint32Array(read.length)
  const sources = new Map<unknown, string>()
  const terms: Array<bigint> = []
  const termRows: Array<number> = []
  let sealedEnd = 0
  for (const [row, { credential }] of read.entries()) {
    if (credential.hash !== null) {
      const bytes = vault.seal(JSON.stringify(Redacted.value(credential.hash)))
      sealed.push(bytes)
      sealedEnd += bytes.length
    }
    sealedEnds[row] = sealedEnd
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
    sealedHashes: Buffer.concat(sealed),
    sealedEnds,
    sources: read.map(({ credential }) => sources.get(credential.source) ?? null),
    knownPasswordIds: read.map(({ credential }) => credential.known_password_id),
    authDomains: read.map(({ credential }) => jsonOf(credential.auth_domains?.slice(0, maximumAuthDomains))),
    urls: read.map(({ credential }) => jsonOf(credential.urls)),
    ...sorted(terms, termRows)
  }
}

/** How many were new: one whose id is there already is left as it is, so a load that stopped half way is just run again. */
export const insertCredentials = (connection: Connection, batch: CredentialBatch): number => {
  const sourceIds = new Map<string, number>()
  const sourceIdOf = (document: string): number => {
    const known = sourceIds.get(document)
    if (known !== undefined) return known
    connection.run("INSERT INTO credential_sources (document) VALUES (?) ON CONFLICT DO NOTHING", document)
    const id = Number(connection.prepare("SELECT id FROM credential_sources WHERE document = ?").get(document)?.["id"])
    sourceIds.set(document, id)
    return id
  }
  const { authDomains, documents, ids, importedAts, knownPasswordIds, sealedEnds, sealedHashes, sources, urls } = batch
  const insert = connection.prepare(
    `INSERT INTO credentials (id, imported_at, document, sealed_hash, source, known_password_id, auth_domains, urls)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
  )
  const known = new Set<number>()
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
    if (changes === 0) known.add(row)
    sealedStart = sealedEnd
  }
  insertTerms(connection, batch, known)
  return documents.length - known.size
}

/** SPEC 8. */
const maximumAuthDomains = 100

const insertTerms = (
  connection: Connection,
  { ids, importedAts, termRows, terms }: CredentialBatch,
  known: ReadonlySet<number>
): void => {
  const insert = connection.prepare("INSERT INTO credential_terms (term, imported_at, id) VALUES (?, ?, ?)")
  for (const [at, term] of terms.entries()) {
    const row = termRows[at] ?? 0
    if (!known.has(row)) insert.run(term, importedAts[row] ?? 0, ids[row] ?? 0)
  }
}

/** By the upper half of the term, with the place in the lower bits: numbers sort many times faster than objects. */
const sorted = (terms: ReadonlyArray<bigint>, termRows: ReadonlyArray<number>) => {
  const unsorted = BigInt64Array.from(terms)
  const halves = new Int32Array(unsorted.buffer)
  const keys = new Float64Array(terms.length)
  for (let at = 0; at < keys.length; at += 1) keys[at] = (halves[at * 2 + 1] ?? 0) * places + at
  keys.sort()
  const places_ = Uint32Array.from(keys, (key) => key - Math.floor(key / places) * places)
  return {
    terms: BigInt64Array.from(places_, (place) => unsorted[place] ?? 0n),
    termRows: Uint32Array.from(places_, (place) => termRows[place] ?? 0)
  }
}

/** More terms than a batch can have. */
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
