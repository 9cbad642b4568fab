/**
 * Copies everything of a database file to a cluster without data.
 *
 * All rows are read as of one moment, while services continue to use the file. The indices have no aliases until everything was
 * checked, so no service uses a part. An interrupted transfer continues when it is run again: documents have the ids of their
 * rows, and large ones that are equal are not written again.
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import { keyCheckIn } from "../crypto/KeyFile.ts"
import type { Vault } from "../crypto/Vault.ts"
import { type Cluster, counters, makeCluster } from "../opensearch/cluster/Cluster.ts"
import { addAliases, createIndices, existingIndices, waitUntilUsable } from "../opensearch/cluster/ClusterIndices.ts"
import {
  allIndices,
  clusterClient,
  type ClusterOptions,
  stateId,
  stateIndex
} from "../opensearch/cluster/ClusterStart.ts"
import { attempt, clusterUnusable } from "../opensearch/cluster/ClusterUnusable.ts"
import type { IndexShape } from "../opensearch/cluster/IndexDefinition.ts"
import { Database } from "../sqlite/database/Database.ts"
import { isRotating } from "../sqlite/database/DatabaseKey.ts"
import type { TransferredDocument, TransferredTable } from "./TransferredTable.ts"

/** The copy differs from the database; no service uses it. */
export class TransferFailed extends Schema.TaggedError<TransferFailed>()("TransferFailed", { reason: Schema.String }) {
  override get message() {
    return `The data was not moved: ${this.reason}`
  }
}

export interface TransferRequest {
  readonly options: ClusterOptions
  /** Those of every store. */
  readonly indices: ReadonlyArray<IndexShape>
  readonly tables: ReadonlyArray<TransferredTable>
  /** By the name of a counter, a statement that gives the last number of the database as `last`. */
  readonly counters: Readonly<Record<string, string>>
  /** In rows. */
  readonly progress: (progress: { readonly done: number; readonly total: number }) => Effect.Effect<void>
}

/** Gives the number of rows by the name of their index. The database must be under one key. */
export const transfer = Effect.fn("transfer")(function* (request: TransferRequest) {
  const { options, progress, tables } = request
  const { prefix } = options
  const shapes = allIndices(request.indices, options)
  const client = yield* clusterClient(options)
  const there = yield* attempt(() => existingIndices(client, prefix, shapes))
  if (there.some(({ aliases }) => aliases.length > 0)) {
    return yield* clusterUnusable(
      `it holds data under the prefix ${prefix}, and nothing is added to that. Name another --index-prefix, or delete the indices ${prefix}-* first`
    )
  }
  yield* attempt(() => createIndices(client, prefix, shapes, { withAliases: false }))
  yield* attempt(() => waitUntilUsable(client, prefix))
  const cluster = makeCluster(client, prefix, { concrete: true })

  const database = yield* Database
  const { connection } = database
  yield* Effect.acquireRelease(
    Effect.sync(() => connection.exec("BEGIN")),
    () => Effect.sync(() => connection.exec("ROLLBACK"))
  )
  if (isRotating(connection)) {
    return yield* new TransferFailed({ reason: "a rotation of its key is not finished. Run rotate-key first" })
  }
  const counts = tables.map((table) => table.count(connection))
  const total = counts.reduce((sum, count) => sum + count, 0)
  const { vault } = database
  let done = 0
  for (const [at, table] of tables.entries()) {
    const name = `${prefix}-${table.index.name}`
    for (const group of groupsOf(batchesOf(table.documents(connection, vault)))) {
      yield* progress({ done, total })
      yield* Effect.forEach(group, (documents) => write(cluster, table, documents), {
        concurrency: writesAtOnce,
        discard: true
      })
      const documents = group.flat()
      done += documents.length
      const samples = (yield* Random.shuffle(documents)).slice(0, samplesOfGroup)
      const stored = yield* storedIn(cluster, table.index, samples)
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

  for (const [counter, sql] of Object.entries(request.counters)) {
    const last = Number(connection.prepare(sql).get()?.["last"] ?? 0)
    if (last === 0) continue
    yield* cluster.call({
      method: "PUT",
      path: `/${cluster.alias(counters)}/_doc/${counter}?version=${last}&version_type=external_gte`,
      body: "{}"
    })
  }
  const state = { key_check: keyCheckIn(vault), next_check: null, revision: 0 }
  yield* cluster.put(stateIndex, stateId, state)
  yield* addAliases(cluster, shapes)
  return tables.map(({ index: { name } }, at) => [name, counts[at] ?? 0] as const)
}, Effect.scoped)

const writesAtOnce = 3

/** Documents of each group that are read again and compared. */
const samplesOfGroup = 5

/** Each batch is for one call: bounded by the number and by the size of its documents. */
export function* batchesOf(documents: Iterable<TransferredDocument>): Generator<ReadonlyArray<TransferredDocument>> {
  let batch: Array<TransferredDocument> = []
  let length = 0
  for (const document of documents) {
    batch.push(document)
    length += lengthOf(document)
    if (batch.length < mostDocuments && length < mostCharacters) continue
    yield batch
    batch = []
    length = 0
  }
  if (batch.length > 0) yield batch
}

const mostDocuments = 500
const mostCharacters = 2_000_000

/** The length of the document's texts, in characters: everything else in it is short. */
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
  { hasDigests, index }: TransferredTable,
  documents: ReadonlyArray<TransferredDocument>
) {
  const stored = hasDigests ? yield* storedIn(cluster, index, documents, "digest") : new Map<string, StoredFields>()
  const operations = documents
    .filter(({ document, id }) => {
      const digest = stored.get(id)?.["digest"]
      return digest === undefined || digest !== fieldsOf(document)["digest"]
    })
    .map(({ document, id }) => ({ index, id, document }))
  if (operations.length > 0) yield* cluster.write(operations, { refresh: false })
})

/** The documents that are there, by id. */
const storedIn = (
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

const decodeFields = Schema.decodeUnknownSync(StoredFields)

const fieldsOf = (document: object): StoredFields => Object.fromEntries(Object.entries(document))

/** Whether each field that is kept has the value that was written, or decrypts to the same. */
const isSame = (vault: Vault, { document, encrypted }: TransferredDocument, stored: StoredFields | undefined) => {
  const written = fieldsOf(document)
  const opened = (value: unknown, context: string) => vault.decrypt(String(value), context)
  const holds = (value: unknown, text: string, context: string) => {
    try {
      return opened(value, context) === text
    } catch {
      // It is damaged.
      return false
    }
  }
  return (
    stored !== undefined &&
    Object.entries(stored).every(([field, value]) => {
      const context = encrypted[field]
      return context === undefined
        ? JSON.stringify(value) === JSON.stringify(written[field])
        : holds(value, opened(written[field], context), context)
    })
  )
}
