/** The index of credentials: its documents, and how loads, copies and pages write and read them. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CredentialInclude } from "@threat-exposure/core/domain/Credential"
import type { Vault } from "../crypto/Vault.ts"
import { readCredentials, credentialColumns } from "../credentials/CredentialReader.ts"
import { type CredentialParts, hashContext, partsOf, type ReadCredential } from "../credentials/CredentialBatch.ts"
import { termsOf } from "../credentials/CredentialTerm.ts"
import type { RecordIndexer } from "./LoadTargetOpenSearch.ts"
import type { Cluster } from "./cluster/Cluster.ts"
import type { HitJson } from "./cluster/SearchAnswer.ts"
import type { KeyedCluster, KeyedIndices } from "./cluster/ClusterStart.ts"
import { DocumentEncoder, type EncodedDocument } from "./cluster/EncodedDocuments.ts"
import {
  type IndexDefinition,
  type KeyedIndex,
  keptOnly,
  largeIndex,
  type Rewriting,
  strictLoadFields
} from "./cluster/IndexDefinition.ts"
import type { WriteOperation } from "./cluster/WriteOperation.ts"
import { requireKey } from "../requests/StoreUnavailable.ts"
import { transferredCredentials } from "../transfer/TransferredTables.ts"
import { defineTransfer } from "./cluster/ClusterTransfer.ts"
import type { CredentialListing, CredentialSortKey } from "../credentials/CredentialStore.ts"
import { foundByColumns, termsOfStored } from "../credentials/StoredCredential.ts"
import { jsonDecoder } from "../requests/JsonText.ts"

interface LoadedCredential {
  readonly id: string
  readonly digest: string
  readonly document: EncodedDocument
}

/** Writes the credentials of a load. */
export const credentialIndexer = (keyed: KeyedCluster["Service"]): RecordIndexer<LoadedCredential> => {
  /** Whether maxBytes credentials of the latest chunk were new, as in every load that is not a repetition. */
  let areNew = true
  return {
    csvColumns: credentialColumns,
    publishedTogether: 100_000,
    prepare: (vault, chunk) => {
      const batch: Array<LoadedCredential> = []
      const documents = new DocumentEncoder()
      const refused = readCredentials(vault, chunk, (read) => {
        const document = documentOfRead(vault, read)
        batch.push({ id: String(document.id), digest: document.digest, document: documents.encode(document) })
      })
      return { batch, count: batch.length, keyId: vault.keyId, refused }
    },
    idOf: ({ id }) => id,
    equal: (one, other) => one.digest === other.digest,
    write: Effect.fnUntraced(function* (items, { keep, keyId }) {
      const { now } = keyed
      const { cluster } = now
      requireKey(now, keyId)
      const write = (some: typeof items, keep: boolean) =>
        cluster.write(
          some.map(({ document, id }): WriteOperation => {
            const operation = { index: credentialIndex, id, document }
            return keep ? { ...operation, keep } : operation
          }),
          { refresh: false }
        )
      let added = 0
      let existing = items
      if (keep || areNew) {
        // OpenSearch looks up each id anyway when it creates a document: reading the digests first would cost a second
        // lookup.
        const { created, kept } = yield* write(items, true)
        const ids = new Set(kept.map(({ id }) => id))
        added = created
        existing = items.filter(({ id }) => ids.has(id))
      }
      if (keep || existing.length === 0) return { added, replaced: 0, unchanged: existing.length }
      const digests = yield* digestsOf(cluster, existing)
      const changed = existing.filter(({ digest, id }) => digests.get(id)?.digest !== digest)
      const { created, updated } = yield* write(changed, false)
      areNew = added + created > items.length / 2
      return { added: added + created, replaced: updated, unchanged: existing.length - changed.length }
    }),
    publish: Effect.suspend(() => keyed.now.cluster.refresh(credentialIndex))
  }
}

const documentOfRead = (vault: Vault, { credential, importedAt }: ReadCredential): CredentialDocument =>
  documentOfParts(vault, credential.id, importedAt, partsOf(credential), termsOf(vault, credential))

const documentOfParts = (
  vault: Vault,
  id: number,
  importedAt: number,
  parts: CredentialParts,
  terms: Iterable<bigint>
): CredentialDocument => {
  const text = encodeParts(parts)
  const found = {
    imported_at: importedAt,
    id,
    terms: Array.from(terms, termText),
    digest: termText(vault.blindIndex64("credential/content", `${importedAt} ${text}`))
  }
  return { ...found, document: vault.encryptToBase64(text, credentialContext(found)) }
}

/** The stored digests by id. Credentials with an equal digest are not written again. */
const digestsOf = (cluster: Cluster["Service"], items: ReadonlyArray<LoadedCredential>) =>
  cluster.fields(
    credentialIndex,
    items.map(({ id }) => id),
    ["digest"],
    decodeDigest
  )

const decodeDigest = Schema.decodeUnknownOption(Schema.Struct({ digest: Schema.String }))

/** The `identity_name` of each stored credential, by id. */
export const readIdentities = ({ cluster, vault }: KeyedIndices, ids: ReadonlyArray<number>) =>
  Effect.map(
    cluster.fields(credentialIndex, ids.map(String), Object.keys(CredentialDocument.fields), credentialIn),
    (found) =>
      new Map(
        [...found.values()].flatMap((credential) => {
          const [document] = openCredential(vault, credential)?.toString().split("\n", 1) ?? []
          return document === undefined ? [] : [[credential.id, decodeName(`{${document}}`).identity_name] as const]
        })
      )
  )

const decodeName = jsonDecoder(Schema.Struct({ identity_name: Schema.String }))

const decodeFormer = Schema.decodeUnknownSync(
  Schema.Struct({
    source: Schema.Struct({ document: Schema.String }),
    docValues: Schema.Struct({
      imported_at: Schema.Tuple([Schema.Int]),
      id: Schema.Tuple([Schema.Int])
    })
  })
)

/** Upgrades documents whose encryption was bound to their id only. */
const upgrade: Rewriting = {
  docValues: ["imported_at", "id"],
  document: (vault, former) => {
    const { docValues, source } = decodeFormer(former)
    const [[importedAt], [id]] = [docValues.imported_at, docValues.id]
    const parts = decodeParts(vault.decrypt(source.document, `credentials.document/${id}`))
    return documentOfParts(vault, id, importedAt, parts, termsOfParts(vault, parts))
  }
}

const rewriting: Rewriting = {
  docValues: [],
  document: (vault, { id, source }) => {
    const credential = decodeCredential(source)
    if (!isOfId(id, credential)) throw new Error("The credential has the id of another one")
    const parts = decodeParts(vault.decrypt(credential.document, credentialContext(credential)))
    return documentOfParts(vault, credential.id, credential.imported_at, parts, termsOfParts(vault, parts))
  }
}

const CredentialDocument = Schema.Struct({
  /** Microseconds since 1970. */
  imported_at: Schema.Int,
  id: Schema.Int,
  /** See `termText`. */
  terms: Schema.Array(Schema.String),
  /** A keyed digest of the content, to detect changes. */
  digest: Schema.String,
  /** The credential as {@link encodeParts} writes it, encrypted, in base64. */
  document: Schema.String
})
interface CredentialDocument extends Schema.Schema.Type<typeof CredentialDocument> {}

const decodeCredential = Schema.decodeUnknownSync(CredentialDocument)

const credentialIn = Schema.decodeUnknownOption(CredentialDocument)

export const credentialIndex: IndexDefinition<CredentialDocument> = {
  name: "credentials",
  // In version 2, the encryption of a document was bound to its id, but not to its terms and time.
  version: 3,
  settings: {
    ...largeIndex,
    // The maximum page of 10,000, and one item that shows whether there is a next page.
    max_result_window: 10_001,
    // Writers refresh the index themselves. A scheduled refresh each second creates small segments that have to be
    // merged again and again.
    refresh_interval: "-1",
    // The order of listings, so that the newest of a million matches are found without looking at the others.
    "sort.field": ["imported_at", "id"],
    "sort.order": ["desc", "desc"]
  },
  properties: {
    imported_at: { type: "long" },
    // Listings are sorted by `id`, but no search filters by it.
    id: { type: "long", index: false },
    terms: { type: "keyword", doc_values: false },
    digest: keptOnly,
    document: keptOnly,
    ...strictLoadFields
  },
  upgrade,
  isKeyed: true,
  document: CredentialDocument
}

export const keyedCredentials: KeyedIndex = { index: credentialIndex, rewriting }

const termsOfParts = (vault: Vault, { authDomains, document, furtherAuthDomains, hash }: CredentialParts) =>
  termsOfStored(
    vault,
    decodeFoundBy({ document, auth_domains: authDomains, further_auth_domains: furtherAuthDomains }),
    hash
  )

export const credentialsTransfer = defineTransfer({
  table: transferredCredentials,
  index: credentialIndex,
  hasDigests: true,
  toDocument: ({ hash: sealed, id, importedAt, ...row }, vault) => {
    const parts = { ...row, hash: sealed === null ? null : vault.decrypt(sealed, hashContext(id)) }
    const document = documentOfParts(vault, id, importedAt, parts, termsOfParts(vault, parts))
    return { id: String(id), document, encrypted: { document: credentialContext(document) } }
  }
})

const decodeFoundBy = Schema.decodeSync(Schema.Struct(foundByColumns))

/** A keyed digest of `CredentialTerm.ts` as a term of the index, in base 36. */
export const termText = (term: bigint): string => BigInt.asUintN(64, term).toString(36)

/** The associated data of the encryption: binds a credential to its id, time, digest and terms. */
const credentialContext = ({ digest, id, imported_at, terms }: Omit<CredentialDocument, "document">): string =>
  `credentials.document/${id}/${imported_at}/${digest}/${terms.join(" ")}`

/** The plaintext of a stored credential: one line per part. JSON texts contain no line break. */
const encodeParts = (parts: CredentialParts): string => {
  const { authDomains, document, furtherAuthDomains, hash, knownPasswordId, source, urls } = parts
  return [
    document,
    hash ?? "null",
    source ?? "null",
    String(knownPasswordId),
    authDomains ?? "[]",
    urls ?? "[]",
    furtherAuthDomains ?? "[]"
  ].join("\n")
}

/** The inverse of {@link encodeParts}. */
const decodeParts = (text: string): CredentialParts => {
  const [document = "", hash, source, knownPasswordId, authDomains = "", urls = "", furtherAuthDomains = ""] =
    text.split("\n")
  return {
    document,
    hash: hash === "null" || hash === undefined ? null : hash,
    source: source === "null" || source === undefined ? null : source,
    knownPasswordId: knownPasswordId === "null" ? null : Number(knownPasswordId),
    authDomains,
    furtherAuthDomains,
    urls
  }
}

/** How a line of {@link encodeParts} appears in an item of a page. */
interface ShownLine {
  /** The JSON text in front of the line. */
  readonly before: Uint8Array
  readonly isShown: boolean
}

export const linesOf = (include: ReadonlyArray<CredentialInclude>): ReadonlyArray<ShownLine> => {
  const line = (before: string, isShown: boolean): ShownLine => ({ before: Buffer.from(before), isShown })
  const optional = (field: CredentialInclude, otherwise: string) =>
    include.includes(field) ? line(`,"${field}":`, true) : line(otherwise, false)
  return [
    line(",{", true),
    line(',"hash":', true),
    line(',"source":', true),
    optional("known_password_id", ',"known_password_id":null'),
    optional("auth_domains", ""),
    optional("urls", ""),
    line("}", false)
  ]
}

/**
 * Builds the JSON of the items, each with a leading comma, and the ids of documents that this program did not write.
 * Copies bytes, because strings would have to be joined and then encoded again.
 */
export const itemsOf = (vault: Vault, lines: ReadonlyArray<ShownLine>, rows: ReadonlyArray<HitJson>) => {
  const foreign: Array<string> = []
  const credentials = rows.flatMap(({ _id, _source: credential }) => {
    const isOwn = isCredential(credential) && isOfId(_id, credential)
    if (!isOwn) foreign.push(_id)
    return isOwn ? [{ _id, credential }] : []
  })
  // The base64 text of a credential is longer than its plaintext, so this is an upper bound.
  const maxBytes = credentials.reduce((sum, { credential }) => sum + credential.document.length + maxLineBytes, 0)
  const items = Buffer.allocUnsafeSlow(maxBytes)
  let end = 0
  for (const { _id, credential } of credentials) {
    const text = openCredential(vault, credential)
    if (text === undefined) {
      foreign.push(_id)
      continue
    }
    let start = 0
    for (const { before, isShown } of lines) {
      items.set(before, end)
      end += before.length
      const lineEnd = text.indexOf(lineBreak, start)
      if (isShown) end += text.copy(items, end, start, lineEnd)
      start = lineEnd + 1
    }
  }
  return { bytes: items.subarray(0, end), foreign }
}

/**
 * The plaintext of a credential, in a buffer that the next call of the vault overwrites. Undefined if the credential is
 * not authentic.
 */
const openCredential = (vault: Vault, credential: CredentialDocument): Buffer | undefined => {
  try {
    return vault.decryptToBytes(credential.document, credentialContext(credential))
  } catch {
    return undefined
  }
}

/** Also true for the copies that a strict load keeps under another id: see `copyId`. */
const isOfId = (stored: string, { id }: Pick<CredentialDocument, "id">): boolean =>
  stored === String(id) || stored.endsWith(`/${id}`)

/** Written by hand: for a page of 10,000, a schema would take longer than the decryption. */
const isCredential = (source: unknown): source is CredentialDocument =>
  typeof source === "object" &&
  source !== null &&
  "id" in source &&
  typeof source.id === "number" &&
  "imported_at" in source &&
  typeof source.imported_at === "number" &&
  "digest" in source &&
  typeof source.digest === "string" &&
  "document" in source &&
  typeof source.document === "string" &&
  "terms" in source &&
  Array.isArray(source.terms)

const lineBreak = 0x0a

/** Maximum bytes that `linesOf` adds to the lines of an item. */
const maxLineBytes = 100

/** The items as one JSON text, without the first comma. */
export const joinItems = (items: ReadonlyArray<Uint8Array>): Uint8Array => Buffer.concat(items).subarray(1)

/** The sort key of the last row; undefined without rows. */
export const keyOf = (rows: ReadonlyArray<HitJson>): CredentialSortKey | undefined => {
  const [importedAt, id] = rows.at(-1)?.sort?.map(Number) ?? []
  return importedAt === undefined || id === undefined ? undefined : { importedAt, id }
}

export interface Range {
  /** Inclusive, in microseconds since 1970. */
  readonly low: number
  readonly high: number
}

/**
 * The time ranges in which to search for the rest of a listing. The index is sorted newest first, so an ascending
 * search reads its whole range: it searches ranges that grow until the page is full.
 */
export function* rangesOf({
  after,
  order,
  since,
  until
}: Pick<CredentialListing, "after" | "order" | "since" | "until">): Generator<Range> {
  if (after === undefined || order === "desc") return yield { low: since, high: until }
  let low = Math.max(since, after.importedAt)
  for (let width = firstWindow; low <= until; width *= 8) {
    const high = Math.min(until, low + width - 1)
    yield { low, high }
    low = high + 1
  }
}

/** One day, in microseconds. */
const firstWindow = 86_400_000_000
