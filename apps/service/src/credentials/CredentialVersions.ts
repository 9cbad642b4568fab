/** Writes credentials to SQLite as versions of a new generation, and removes versions: see `sqlite/Generations.ts`. */
import * as Schema from "effect/Schema"
import type { Vault } from "../crypto/Vault.ts"
import type { WriteCounts, WriteOptions } from "../load/RecordLoader.ts"
import { type Connection, query } from "../sqlite/Connection.ts"
import { generationsOf } from "../sqlite/Generations.ts"
import type { OpenDatabase } from "../sqlite/Procedure.ts"
import type { Steps } from "../sqlite/Steps.ts"
import { type CredentialBatch, hashContext } from "./CredentialBatch.ts"
import { termsOfStored } from "./StoredCredential.ts"

/**
 * Adds the credentials to the generation. One whose id exists replaces the stored one, unless they are equal or the options
 * say to keep it. Of several with one id the last wins; of several to be kept the first.
 */
export function* insertCredentials(
  database: OpenDatabase,
  batches: ReadonlyArray<CredentialBatch>,
  options: WriteOptions
): Steps<WriteCounts> {
  const { connection } = database
  const sourceIdOf = sourceIds(connection)
  const counts = { added: 0, replaced: 0, unchanged: 0 }
  const latest = options.keep ? undefined : latestRows(batches)
  const written: Array<WrittenBatch> = []
  let before = 0
  for (const batch of batches) {
    const versions = new BigInt64Array(batch.documents.length)
    versions.fill(notWritten)
    for (let row = 0; row < versions.length; row += 1) {
      if (row % rowsInAStep === 0) yield
      const winner = latest?.get(batch.ids[row] ?? 0)
      if (winner !== undefined && winner !== before + row) {
        counts[isSameRow(batch, row, batches, winner) ? "unchanged" : "replaced"] += 1
        continue
      }
      const { outcome, version } = writeRow(database, batch, row, { ...options, sourceIdOf })
      counts[outcome] += 1
      if (version !== undefined) versions[row] = version
    }
    written.push({ batch, versions })
    before += versions.length
  }
  yield* insertTerms(connection, written)
  return counts
}

/** Deletes the versions that the published generation no longer has. */
export function* deleteRemovedCredentials(database: OpenDatabase): Steps<void> {
  const { published } = generationsOf(database.connection, "credentials")
  for (;;) {
    const removed = database.connection.all(removedVersions, published)
    if (removed.length === 0) return
    for (const { version } of removed) deleteVersion(database, BigInt(version))
    yield
  }
}

/** Undoes what a publication wrote that ended before it was published. */
export function* discardUnpublishedCredentials(database: OpenDatabase): Steps<void> {
  const { connection } = database
  const { published } = generationsOf(connection, "credentials")
  connection.run("UPDATE credentials SET removed_in = NULL WHERE removed_in > ?", published)
  let last = 0n - 2n ** 63n
  for (;;) {
    yield
    // A range of versions at a time: no index has the generation.
    const end = connection.first(endOfRange, last)?.version
    const unpublished = connection.all(
      unpublishedVersions,
      last,
      end === undefined ? 2n ** 63n - 1n : BigInt(end),
      published
    )
    for (const { version } of unpublished) deleteVersion(database, BigInt(version))
    if (end === undefined) return
    last = BigInt(end)
  }
}

interface WrittenBatch {
  readonly batch: CredentialBatch
  /** Of each row that was written; `notWritten` for the others. */
  readonly versions: BigInt64Array
}

const notWritten = -(2n ** 63n)

const rowsInAStep = 500

/** The last row of each id, counted over all batches. */
const latestRows = (batches: ReadonlyArray<CredentialBatch>): ReadonlyMap<number, number> => {
  const latest = new Map<number, number>()
  let row = 0
  for (const { ids } of batches) for (const id of ids) latest.set(id, row++)
  return latest
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

interface RowOptions extends WriteOptions {
  readonly sourceIdOf: (document: string) => number
}

interface WrittenRow {
  readonly outcome: keyof WriteCounts
  /** Undefined where nothing was written. */
  readonly version?: bigint
}

/** The terms of a row that was written are still missing. */
const writeRow = (database: OpenDatabase, batch: CredentialBatch, row: number, options: RowOptions): WrittenRow => {
  const { connection } = database
  const { generation, keep, sourceIdOf } = options
  const id = BigInt(batch.ids[row] ?? 0)
  const source = batch.sources[row] ?? null
  const values = [
    batch.importedAts[row] ?? 0,
    batch.documents[row] ?? "",
    hashOf(batch, row),
    source === null ? null : sourceIdOf(source),
    batch.knownPasswordIds[row] ?? null,
    batch.authDomains[row] ?? null,
    batch.furtherAuthDomains[row] ?? null,
    batch.urls[row] ?? null
  ]
  const first = id * 2n
  const { changes } = connection.prepare(insertVersion).run(first, generation, ...values, first + 1n)
  if (Number(changes) > 0) return { outcome: "added", version: first }

  const stored = connection.all(versionsOfId, first, first + 1n)
  const current =
    stored.find(({ added_in }) => added_in === generation) ?? stored.find(({ removed_in }) => removed_in === null)
  if (current === undefined) throw new Error("A removed credential was not deleted before the next publication")
  const version = BigInt(current.version)
  if (keep || isStored(database.vault, current, batch, row)) return { outcome: "unchanged" }
  if (current.added_in === generation) {
    deleteVersion(database, version)
    connection.prepare(insertReplacement).run(version, generation, ...values)
    return { outcome: "replaced", version }
  }
  connection.prepare("UPDATE credentials SET removed_in = ? WHERE version = ?").run(generation, version)
  connection.prepare(insertReplacement).run(version ^ 1n, generation, ...values)
  return { outcome: "replaced", version: version ^ 1n }
}

const columns =
  "(version, added_in, imported_at, document, sealed_hash, source, known_password_id, auth_domains, further_auth_domains, urls)"

/** Does nothing where a version of the id exists. */
const insertVersion = `INSERT INTO credentials ${columns} SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
  WHERE NOT EXISTS (SELECT 1 FROM credentials WHERE version = ?) ON CONFLICT DO NOTHING`

const insertReplacement = `INSERT INTO credentials ${columns} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const hashOf = ({ hashEnds, hashes }: CredentialBatch, row: number): Uint8Array | null => {
  const start = hashEnds[row - 1] ?? 0
  const end = hashEnds[row] ?? start
  return start === end ? null : hashes.subarray(start, end)
}

const termsIn = ({ termEnds, terms }: CredentialBatch, row: number): BigInt64Array =>
  terms.subarray(termEnds[row - 1] ?? 0, termEnds[row] ?? 0)

/** Whether a row equals one that is counted over all batches. A hash is encrypted differently each time, but is a term. */
const isSameRow = (
  a: CredentialBatch,
  row: number,
  batches: ReadonlyArray<CredentialBatch>,
  other: number
): boolean => {
  let at = other
  for (const b of batches) {
    if (at < b.documents.length) {
      return (
        a.documents[row] === b.documents[at] &&
        a.sources[row] === b.sources[at] &&
        a.knownPasswordIds[row] === b.knownPasswordIds[at] &&
        a.authDomains[row] === b.authDomains[at] &&
        a.furtherAuthDomains[row] === b.furtherAuthDomains[at] &&
        a.urls[row] === b.urls[at] &&
        isSameSet(new Set(termsIn(a, row)), termsIn(b, at))
      )
    }
    at -= b.documents.length
  }
  return false
}

const isStored = (vault: Vault, stored: StoredVersion, batch: CredentialBatch, row: number): boolean =>
  batch.documents[row] === stored.document &&
  batch.sources[row] === stored.source &&
  batch.knownPasswordIds[row] === stored.known_password_id &&
  batch.authDomains[row] === stored.auth_domains &&
  batch.furtherAuthDomains[row] === stored.further_auth_domains &&
  batch.urls[row] === stored.urls &&
  isSameSet(storedTerms(vault, stored), termsIn(batch, row))

const isSameSet = (a: ReadonlySet<bigint>, b: BigInt64Array): boolean =>
  a.size === b.length && b.every((term) => a.has(term))

/** With its terms, those that were not written yet included. */
export const deleteVersion = ({ connection, vault }: OpenDatabase, version: bigint): void => {
  for (const stored of connection.all(versionsOfId, version, version)) {
    const remove = connection.prepare("DELETE FROM credential_terms WHERE term = ? AND imported_at = ? AND version = ?")
    for (const term of storedTerms(vault, stored)) remove.run(term, stored.imported_at, version)
  }
  connection.prepare("DELETE FROM credentials WHERE version = ?").run(version)
}

const storedTerms = (vault: Vault, stored: StoredVersion): ReadonlySet<bigint> => {
  const { auth_domains, document, further_auth_domains, sealed_hash, version } = stored
  const foundBy = {
    document,
    auth_domains: decodeHosts(auth_domains),
    further_auth_domains: decodeHosts(further_auth_domains)
  }
  const context = hashContext(Number(BigInt(version) >> 1n))
  return termsOfStored(vault, foundBy, sealed_hash === null ? null : vault.decrypt(sealed_hash, context))
}

const decodeHosts = Schema.decodeSync(Schema.NullOr(Schema.fromJsonString(Schema.Array(Schema.String))))

const StoredVersion = Schema.Struct({
  version: Schema.String,
  added_in: Schema.Int,
  removed_in: Schema.NullOr(Schema.Int),
  imported_at: Schema.Int,
  document: Schema.String,
  sealed_hash: Schema.NullOr(Schema.Uint8Array),
  source: Schema.NullOr(Schema.String),
  known_password_id: Schema.NullOr(Schema.Int),
  auth_domains: Schema.NullOr(Schema.String),
  further_auth_domains: Schema.NullOr(Schema.String),
  urls: Schema.NullOr(Schema.String)
})
interface StoredVersion extends Schema.Schema.Type<typeof StoredVersion> {}

const versionsOfId = query(
  StoredVersion,
  `SELECT CAST(c.version AS TEXT) AS version, c.added_in, c.removed_in, c.imported_at, c.document, c.sealed_hash,
     s.document AS source, c.known_password_id, c.auth_domains, c.further_auth_domains, c.urls
   FROM credentials c LEFT JOIN credential_sources s ON s.id = c.source WHERE c.version IN (?, ?)`
)

const Version = Schema.Struct({ version: Schema.String })

const removedVersions = query(
  Version,
  "SELECT CAST(version AS TEXT) AS version FROM credentials WHERE removed_in <= ? LIMIT 500"
)

const endOfRange = query(
  Version,
  "SELECT CAST(version AS TEXT) AS version FROM credentials WHERE version > ? ORDER BY credentials.version LIMIT 1 OFFSET 10000"
)

const unpublishedVersions = query(
  Version,
  `SELECT CAST(version AS TEXT) AS version FROM credentials
   WHERE credentials.version > ? AND credentials.version <= ? AND added_in > ?`
)

/** In the order of the index, so that neighbours fall on the same page of the file. */
function* insertTerms(connection: Connection, written: ReadonlyArray<WrittenBatch>): Steps<void> {
  const insertMany = connection.prepare(termInsert(termsAtOnce))
  const insertOne = connection.prepare(termInsert(1))
  const { importedAts, rows, terms, versions } = termsInTimeOrder(written)
  const values: Array<bigint | number> = []
  for (const index of sortedIndexes(terms)) {
    const row = rows[index] ?? 0
    values.push(terms[index] ?? 0n, importedAts[row] ?? 0, versions[row] ?? 0n)
    if (values.length < termsAtOnce * 3) continue
    insertMany.run(...values)
    values.length = 0
    yield
  }
  for (let at = 0; at < values.length; at += 3) insertOne.run(...values.slice(at, at + 3))
}

/** The terms of what was written; `terms[n]` is of `versions[rows[n]]`. Many share a term, and are sorted by time under it. */
const termsInTimeOrder = (written: ReadonlyArray<WrittenBatch>) => {
  const sum = (count: (one: WrittenBatch) => number) => written.reduce((total, one) => total + count(one), 0)
  const importedAts = new Float64Array(sum(({ versions }) => versions.length))
  const versions = new BigInt64Array(importedAts.length)
  const starts = new Uint32Array(importedAts.length)
  const ends = new Uint32Array(importedAts.length)
  const all = new BigInt64Array(sum(({ batch }) => batch.terms.length))
  let count = 0
  let start = 0
  for (const { batch, versions: ofBatch } of written) {
    all.set(batch.terms, start)
    for (const [row, version] of ofBatch.entries()) {
      if (version === notWritten) continue
      importedAts[count] = batch.importedAts[row] ?? 0
      versions[count] = version
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
  return { importedAts, versions, rows: rows.subarray(0, end), terms: terms.subarray(0, end) }
}

/** The call of a statement costs more than the storing of a row. */
const termsAtOnce = 32

const termInsert = (rows: number): string =>
  `INSERT INTO credential_terms (term, imported_at, version) VALUES ${Array(rows).fill("(?, ?, ?)").join(", ")}`

/**
 * A stable radix sort, by the upper halves of the terms: hardly two terms share one. A sort by comparison takes ten times as
 * long.
 */
const sortedIndexes = (terms: BigInt64Array): Uint32Array => {
  const halves = new Int32Array(terms.buffer, terms.byteOffset, terms.length * 2)
  let indexes = Uint32Array.from({ length: terms.length }, (_, index) => index)
  let sorted = new Uint32Array(terms.length)
  for (let shift = 0; shift < 32; shift += digitBits) {
    // Negative halves come first.
    const digitOf = (index: number) => (((halves[index * 2 + 1] ?? 0) ^ 0x80000000) >>> shift) & (digits - 1)
    const starts = new Uint32Array(digits + 1)
    for (const index of indexes) starts[digitOf(index) + 1] = (starts[digitOf(index) + 1] ?? 0) + 1
    for (let digit = 1; digit <= digits; digit += 1) starts[digit] = (starts[digit] ?? 0) + (starts[digit - 1] ?? 0)
    for (const index of indexes) {
      const digit = digitOf(index)
      const start = starts[digit] ?? 0
      sorted[start] = index
      starts[digit] = start + 1
    }
    ;[indexes, sorted] = [sorted, indexes]
  }
  return indexes
}

const digitBits = 11
const digits = 2 ** digitBits
