import * as Schema from "effect/Schema"
import {
  bufferOf,
  bytesAt,
  type CredentialBatch,
  CredentialBatchBuilder,
  hashContext
} from "../../credentials/CredentialBatch.ts"
import { credentialColumns, readCredentials } from "../../credentials/CredentialReader.ts"
import { termsOfStored } from "../../credentials/StoredCredential.ts"
import type { Vault } from "../../crypto/Vault.ts"
import type { Prepared, WriteCounts } from "../../load/LoadTarget.ts"
import { freeBuffer, type RecordChunk } from "../../load/RecordChunks.ts"
import { jsonColumn } from "../../requests/JsonText.ts"
import { type Connection, query } from "../database/Connection.ts"
import { type OpenDatabase, procedure } from "../database/Procedure.ts"
import { publishedLoader } from "../Publication.ts"
import type { RecordWriter, WriteOptions } from "../RecordLoader.ts"
import { versionRemoval } from "../VersionRemoval.ts"
import { PendingTerms } from "./PendingTerms.ts"
import { mergeRuns, writtenTables } from "./TermRuns.ts"

export const prepareCredentials = procedure(
  "credentials.prepare",
  ({ vault }, chunk: RecordChunk): Prepared<CredentialBatch> => {
    const batch = new CredentialBatchBuilder(vault)
    const refused = readCredentials(vault, chunk, (credential) => batch.add(credential))
    return { batch: batch.build(), count: batch.count, keyId: vault.keyId, refused }
  },
  ({ batch }) => [bufferOf(batch)]
)

export const credentialLoader = publishedLoader<CredentialBatch>(
  {
    dataSet: "credentials",
    writer: credentialWriter,
    ...versionRemoval("credentials", { key: "version", atOnce: 500, remove: deleteVersion }),
    compact: ({ connection }) => mergeRuns(connection)
  },
  { csvColumns: credentialColumns, prepare: prepareCredentials, publishedTogether: 180_000 }
)

/** Does one step of the merges that are due. Returns whether more is left. */
export const mergeNext = procedure(
  "credentials.mergeNext",
  ({ connection }, _input: undefined): boolean => mergeRuns(connection).next().done !== true
)

/**
 * If several credentials have one id, the last is stored; with `keep`, the first. Terms are deferred until `flush`,
 * which writes them in the order of their index.
 */
function credentialWriter(database: OpenDatabase, options: WriteOptions): RecordWriter<CredentialBatch> {
  const sourceIdOf = sourceIds(database.connection)
  const rowOptions = { ...options, sourceIdOf }
  const counts: WriteCounts = { added: 0, replaced: 0, unchanged: 0 }
  const pending = new PendingTerms()
  return {
    counts,
    *write(batch) {
      for (let row = 0; row < batch.ids.length; row += 1) {
        if (row % rowsInAStep === 0) yield
        const { outcome, repeats, version } = writeRow(database, batch, row, rowOptions)
        counts[outcome] += 1
        if (version !== undefined) pending.add(batch, row, version)
        if (repeats === true) pending.repeats()
      }
      freeBuffer(bufferOf(batch))
    },
    flush: () => pending.insert(database.connection)
  }
}

const rowsInAStep = 500

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
  /** Undefined if no row was written. */
  readonly version?: bigint
  /** Whether the row replaced one of the same generation. */
  readonly repeats?: true
}

const writeRow = (database: OpenDatabase, batch: CredentialBatch, row: number, options: RowOptions): WrittenRow => {
  const { connection } = database
  const { generation, keep, sourceIdOf } = options
  const id = BigInt(batch.ids[row] ?? 0)
  const source = sourceIn(batch, row)
  const values = [
    batch.importedAts[row] ?? 0,
    bytesAt(batch.documents, row),
    bytesAt(batch.hashes, row),
    source === null ? null : sourceIdOf(source),
    knownPasswordIdIn(batch, row),
    bytesAt(batch.authDomains, row),
    bytesAt(batch.furtherAuthDomains, row),
    bytesAt(batch.urls, row)
  ]
  const first = id * 2n
  const { changes } = connection.prepareWrite(insertVersion).run(first, first + 1n, generation, ...values)
  if (Number(changes) > 0) return { outcome: "added", version: first }

  const stored = connection.all(versionsOfId, first, first + 1n)
  const current =
    stored.find(({ added_in }) => added_in === generation) ?? stored.find(({ removed_in }) => removed_in === null)
  if (current === undefined) throw new Error("A removed credential was not deleted before the next publication")
  const version = BigInt(current.version)
  if (keep || isStored(database.vault, current, batch, row)) return { outcome: "unchanged" }
  if (current.added_in === generation) {
    deleteVersion(database, version)
    connection.prepareWrite(insertReplacement).run(version, generation, ...values)
    return { outcome: "replaced", version, repeats: true }
  }
  connection.prepareWrite("UPDATE credentials SET removed_in = ? WHERE version = ?").run(generation, version)
  connection.prepareWrite(insertReplacement).run(version ^ 1n, generation, ...values)
  return { outcome: "replaced", version: version ^ 1n }
}

const columns =
  "(version, added_in, imported_at, document, sealed_hash, source, known_password_id, auth_domains, further_auth_domains, urls)"

/** The parameters after the generation. Strings are bound as bytes. */
const values = "?, CAST(? AS TEXT), ?, ?, ?, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT)"

/**
 * Does nothing if a version of the id exists: a row without a generation violates a constraint and is ignored.
 * `INSERT … SELECT … WHERE` would be clearer, but takes half as long again.
 */
const insertVersion = `INSERT OR IGNORE INTO credentials ${columns}
  VALUES (?, iif(EXISTS (SELECT 1 FROM credentials WHERE version = ?), NULL, ?), ${values})`

const insertReplacement = `INSERT INTO credentials ${columns} VALUES (?, ?, ${values})`

const sourceIn = ({ sourceIndexes, sources }: CredentialBatch, row: number): string | null =>
  sources[sourceIndexes[row] ?? -1] ?? null

const knownPasswordIdIn = ({ knownPasswordIds }: CredentialBatch, row: number): number | null => {
  const id = knownPasswordIds[row] ?? Number.NaN
  return Number.isNaN(id) ? null : id
}

const termsIn = ({ termEnds, terms }: CredentialBatch, row: number): BigInt64Array =>
  terms.subarray(termEnds[row - 1] ?? 0, termEnds[row] ?? 0)

/** The ciphertext of the hash differs each time, but the hash is one of the terms. */
const isStored = (vault: Vault, stored: StoredVersion, batch: CredentialBatch, row: number): boolean =>
  isSameText(bytesAt(batch.documents, row), stored.document) &&
  sourceIn(batch, row) === stored.source &&
  knownPasswordIdIn(batch, row) === stored.known_password_id &&
  isSameText(bytesAt(batch.authDomains, row), stored.auth_domains) &&
  isSameText(bytesAt(batch.furtherAuthDomains, row), stored.further_auth_domains) &&
  isSameText(bytesAt(batch.urls, row), stored.urls) &&
  isSameSet(readTerms(vault, stored), termsIn(batch, row))

const isSameText = (bytes: Uint8Array | null, text: string | null): boolean =>
  bytes === null || text === null ? bytes === text : Buffer.from(text).equals(bytes)

const isSameSet = (a: ReadonlySet<bigint>, b: BigInt64Array): boolean =>
  a.size === b.length && b.every((term) => a.has(term))

/** Deletes a version with its terms. Terms that are not written yet do no harm. */
export function deleteVersion({ connection, vault }: OpenDatabase, version: bigint): void {
  for (const stored of connection.all(versionsOfId, version, version)) {
    const terms = readTerms(vault, stored)
    for (const table of writtenTables(connection)) {
      const remove = connection.prepareWrite(`DELETE FROM ${table} WHERE term = ? AND imported_at = ? AND version = ?`)
      for (const term of terms) remove.run(term, stored.imported_at, version)
    }
  }
  connection.prepareWrite("DELETE FROM credentials WHERE version = ?").run(version)
}

const readTerms = (vault: Vault, stored: StoredVersion): ReadonlySet<bigint> => {
  const { auth_domains, document, further_auth_domains, sealed_hash, version } = stored
  const foundBy = {
    document,
    auth_domains: decodeHosts(auth_domains),
    further_auth_domains: decodeHosts(further_auth_domains)
  }
  const context = hashContext(Number(BigInt(version) >> 1n))
  return termsOfStored(vault, foundBy, sealed_hash === null ? null : vault.decrypt(sealed_hash, context))
}

const decodeHosts = Schema.decodeSync(Schema.NullOr(jsonColumn(Schema.Array(Schema.String))))

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
