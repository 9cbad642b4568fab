/**
 * Copies all data of a database file to a cluster without data.
 *
 * All rows are read in one snapshot, while services continue to use the file. The indices get their aliases only after
 * everything was checked, so no service uses a part. An interrupted transfer continues when it is run again: documents
 * have the ids of their rows, and large documents that are equal are not written again.
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import type { ClusterOptions } from "../../ClusterEngine.ts"
import { keyCheckIn } from "../../crypto/KeyFile.ts"
import type { Vault } from "../../crypto/Vault.ts"
import { type Cluster, makeCluster } from "./Cluster.ts"
import { checkReading } from "./ClusterGuard.ts"
import { seal } from "./DocumentSeal.ts"
import { addAliases, createIndices, findIndices, waitUntilUsable } from "./ClusterIndices.ts"
import { allIndices, clusterClient, stateId, stateIndex } from "./ClusterStart.ts"
import { attempt, clusterUnusable } from "./ClusterUnusable.ts"
import { type IndexDefinition, indexNameOf, type IndexShape } from "./IndexDefinition.ts"
import { TransferFailed, type TransferredTable, type TransferSource } from "../../transfer/TransferredTables.ts"

/** How the rows of a table become documents of an index. */
export interface TransferredDocuments {
  readonly index: IndexShape
  /** Whether documents with an equal `digest` are equal, and need not be written again. */
  readonly hasDigests: boolean
  count(source: TransferSource): number
  documents(source: TransferSource): Iterable<TransferredDocument>
}

export interface TransferredDocument {
  readonly id: string
  readonly document: object
  /** The encrypted fields, in base64, by name, with the associated data of each. */
  readonly encrypted: Readonly<Record<string, string>>
}

export const defineTransfer = <Row, Document extends object>({
  hasDigests = false,
  index,
  table,
  toDocument
}: {
  readonly table: TransferredTable<Row>
  readonly index: IndexDefinition<Document>
  readonly hasDigests?: boolean
  readonly toDocument: (
    row: Row,
    vault: Vault
  ) => {
    readonly id: string
    readonly document: Document
    readonly encrypted?: Readonly<Record<string, string>>
  }
}): TransferredDocuments => ({
  index,
  hasDigests,
  count: (source) => source.count(table),
  *documents(source) {
    for (const row of source.rows(table)) {
      const transferred = toDocument(row, source.vault)
      const { document, id } = transferred
      const sealed = index.isSealed === true ? { document: seal(source.vault, index, id, document) } : {}
      yield { encrypted: {}, ...transferred, ...sealed }
    }
  }
})

export interface TransferRequest {
  readonly options: ClusterOptions
  readonly source: TransferSource
  /** The indices of every store. */
  readonly indices: ReadonlyArray<IndexShape>
  readonly transfers: ReadonlyArray<TransferredDocuments>
  /** Counts rows. */
  readonly progress: (progress: { readonly done: number; readonly total: number }) => Effect.Effect<void>
}

/** Returns the number of copied rows by index name. */
export const transfer = Effect.fn("transfer")(function* (request: TransferRequest) {
  const { options, progress, source, transfers } = request
  const { prefix } = options
  const shapes = allIndices(request.indices, options)
  const client = yield* clusterClient(options)
  const there = yield* attempt(() => findIndices(client, prefix, shapes))
  if (there.some(({ aliases }) => aliases.length > 0)) {
    return yield* clusterUnusable(
      `it holds data under the prefix ${prefix}, and nothing is added to that. Name another --index-prefix, or delete the indices ${prefix}-* first`
    )
  }
  yield* attempt(() => createIndices(client, prefix, shapes, { withAliases: false }))
  yield* attempt(() => waitUntilUsable(client, prefix))
  const cluster = makeCluster(client, prefix, { concrete: true })

  const counts = transfers.map((each) => each.count(source))
  const total = counts.reduce((sum, count) => sum + count, 0)
  const { vault } = source
  let done = 0
  for (const [at, table] of transfers.entries()) {
    const name = `${prefix}-${table.index.name}`
    for (const group of groupsOf(batchesOf(table.documents(source)))) {
      yield* progress({ done, total })
      yield* Effect.forEach(group, (documents) => write(cluster, table, documents), {
        concurrency: writesAtOnce,
        discard: true
      })
      const documents = group.flat()
      done += documents.length
      const samples = (yield* Random.shuffle(documents)).slice(0, samplesOfGroup)
      const stored = yield* readTransferred(cluster, table.index, samples)
      const other = samples.find((sample) => !isSame(vault, sample, stored.get(sample.id)))
      if (other !== undefined) {
        return yield* new TransferFailed({
          reason: `the document ${other.id} of ${name} is not what was written. Delete the indices ${prefix}-* and run it again`
        })
      }
    }
    yield* cluster.refresh(table.index)
    const found = yield* cluster.count(table.index, { match_all: {} })
    if (found !== counts[at]) {
      return yield* new TransferFailed({
        reason: `${name} has ${found} documents, and the database ${counts[at]} rows. If rows were deleted since an earlier attempt, delete the indices ${prefix}-* and run it again`
      })
    }
  }

  const names = shapes.map((shape) => indexNameOf(prefix, shape))
  yield* attempt(() =>
    checkReading(
      client,
      names.map((index) => ({ alias: index, index }))
    )
  )

  // The counters are copied, too, so that ids of deleted rows are not used again.
  for (const [counter, last] of source.lastNumbers) yield* cluster.passNumber(counter, last)
  const state = { key_check: keyCheckIn(vault), next_check: null, revision: 0 }
  yield* cluster.put(stateIndex, stateId, state)
  yield* addAliases(cluster, shapes)
  return transfers.map(({ index: { name } }, at) => [name, counts[at] ?? 0] as const)
}, Effect.scoped)

const writesAtOnce = 3

/** The number of documents per index that are read again and compared. */
const samplesOfGroup = 5

/** Splits the documents into batches of one call each, limited in number and in size. */
export function* batchesOf(documents: Iterable<TransferredDocument>): Generator<ReadonlyArray<TransferredDocument>> {
  let batch: Array<TransferredDocument> = []
  let length = 0
  for (const document of documents) {
    batch.push(document)
    length += lengthOf(document)
    if (batch.length < maxDocuments && length < maxCharacters) continue
    yield batch
    batch = []
    length = 0
  }
  if (batch.length > 0) yield batch
}

const maxDocuments = 500
const maxCharacters = 2_000_000

/** The total length of the document's strings, in characters; its other values are short. */
const lengthOf = ({ document }: TransferredDocument): number =>
  Object.values(document).reduce(
    (sum: number, value: unknown) => sum + (typeof value === "string" ? value.length : 0),
    0
  )

function* groupsOf<A>(items: Iterable<A>): Generator<ReadonlyArray<A>> {
  let group: Array<A> = []
  for (const item of items) {
    group.push(item)
    if (group.length < writesAtOnce) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

const write = Effect.fnUntraced(function* (
  cluster: Cluster["Service"],
  { hasDigests, index }: TransferredDocuments,
  documents: ReadonlyArray<TransferredDocument>
) {
  const stored = hasDigests
    ? yield* readTransferred(cluster, index, documents, "digest")
    : new Map<string, StoredFields>()
  const operations = documents
    .filter(({ document, id }) => {
      const digest = stored.get(id)?.["digest"]
      return digest === undefined || digest !== fieldsOf(document)["digest"]
    })
    .map(({ document, id }) => ({ index, id, document }))
  if (operations.length > 0) yield* cluster.write(operations, { refresh: false })
})

/** The documents that are already in the index, by id. */
const readTransferred = (
  cluster: Cluster["Service"],
  index: IndexShape,
  documents: ReadonlyArray<TransferredDocument>,
  field = "*"
) =>
  cluster.fields(
    index,
    documents.map(({ id }) => id),
    [field],
    decodeFields
  )

const StoredFields = Schema.Record(Schema.String, Schema.Unknown)
type StoredFields = typeof StoredFields.Type

const decodeFields = Schema.decodeUnknownOption(StoredFields)

const fieldsOf = (document: object): StoredFields => Object.fromEntries(Object.entries(document))

/** Whether each stored field has the value that was written, or decrypts to the same text. */
const isSame = (vault: Vault, { document, encrypted }: TransferredDocument, stored: StoredFields | undefined) => {
  const written = fieldsOf(document)
  const open = (value: unknown, context: string) => vault.decrypt(String(value), context)
  const holds = (value: unknown, text: string, context: string) => {
    try {
      return open(value, context) === text
    } catch {
      // The stored document is damaged.
      return false
    }
  }
  return (
    stored !== undefined &&
    Object.entries(stored).every(([field, value]) => {
      const context = encrypted[field]
      return context === undefined
        ? JSON.stringify(value) === JSON.stringify(written[field])
        : holds(value, open(written[field], context), context)
    })
  )
}
