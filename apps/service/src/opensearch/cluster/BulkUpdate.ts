/** Changes of several documents of a tenant: all of them, or none. */
import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { attemptAll } from "../../requests/Recovery.ts"
import type { Cluster, Stored } from "./Cluster.ts"
import { sealedIndex } from "./DocumentSeal.ts"
import { type IndexDefinition, type IndexShape, keptOnly } from "./IndexDefinition.ts"
import type { WriteOperation } from "./WriteOperation.ts"

/**
 * Changes documents in one bulk request. A document that another request has changed in the meantime is read and
 * changed again. The changes are stored first, because a bulk request can be interrupted between two documents: see
 * {@link completeBatches}. `undefined` leaves a document unchanged. `added` are new documents of any index. Returns the
 * changed documents by id.
 */
export const updateMany = Effect.fnUntraced(function* <Document>(
  cluster: Cluster["Service"],
  index: IndexDefinition<Document>,
  tenantId: number,
  changes: ReadonlyMap<string, (stored: Document | undefined) => Document | undefined>,
  added: ReadonlyArray<AddedDocument> = []
) {
  const changed = new Map<string, Document>()
  const id = yield* Effect.sync(() => randomUUID())
  // Only several documents need a batch: a single write is atomic.
  const isBatch = changes.size + added.length > 1
  const additions = added.map(({ index, ...document }) => ({ ...document, index: nameOf(cluster, index) }))
  let left = [...changes]
  while (left.length > 0) {
    const updates = (yield* Effect.forEach(
      left,
      ([id, change]) =>
        Effect.map(cluster.get(index, id), (stored: Stored<Document> | undefined): ReadonlyArray<Update> => {
          const document = change(stored?.document)
          if (document === undefined) return []
          changed.set(id, document)
          return [{ id, document, revision: stored?.revision }]
        }),
      { concurrency: 8 }
    )).flat()
    if (isBatch) {
      const document = { tenantId, index: nameOf(cluster, index), updates: [...additions, ...updates] }
      yield* cluster.write([{ index: batchIndex, id, document }], { refresh: false })
    }
    const { kept } = yield* cluster.write([
      ...added.map((document) => operationOf(document.index, document)),
      ...updates.map((update) => operationOf(index, update))
    ])
    const again = new Set(kept.flatMap((operation) => (operation.index === index ? [operation.id] : [])))
    left = left.filter(([id]) => again.has(id))
  }
  if (isBatch) yield* cluster.write([{ index: batchIndex, id, remove: true }], { refresh: false })
  return changed
})

/**
 * Completes interrupted batches of changes. Documents that were changed since then stay unchanged: they have this
 * change or a later one.
 */
export const completeBatches = Effect.fnUntraced(function* (
  cluster: Cluster["Service"],
  indices: ReadonlyArray<IndexShape>
) {
  const named = new Map(indices.map((index) => [nameOf(cluster, index), index]))
  yield* attemptAll(
    yield* findBatches(cluster),
    Effect.fnUntraced(function* ({ id }) {
      // The service that started the batch may have completed it, or written a part of it again.
      const stored = yield* cluster.get(batchIndex, id)
      if (stored === undefined) return
      const { document, revision } = stored
      const operations = document.updates.flatMap((update) => {
        const index = named.get(update.index ?? document.index)
        return index === undefined ? [] : [operationOf(index, update)]
      })
      // An index does not match if its documents were encrypted with a former key.
      if (operations.length === document.updates.length) yield* cluster.write(operations)
      yield* cluster.write([{ index: batchIndex, id, remove: true, revision }], { refresh: false })
    })
  )
})

/** The batches that are running or were interrupted, in the order in which they began. */
export const findBatches = (cluster: Cluster["Service"]) =>
  Effect.andThen(
    cluster.refresh(batchIndex),
    cluster.all(batchIndex, { query: { match_all: {} }, sort: [{ _seq_no: "asc" }] })
  )

/** The name without the prefix, and with the generation of the key. */
const nameOf = ({ prefix, writtenName }: Cluster["Service"], index: IndexShape): string =>
  writtenName(index).slice(prefix.length + 1)

export interface AddedDocument {
  readonly index: IndexShape
  readonly id: string
  readonly document: unknown
}

const operationOf = (
  index: IndexShape,
  { document, id, revision }: Pick<Update, "document" | "id" | "revision">
): WriteOperation => (revision === undefined ? { index, id, document, keep: true } : { index, id, document, revision })

const Update = Schema.Struct({
  id: Schema.String,
  /** The name of the document's index, if it differs from that of the batch. See {@link nameOf}. */
  index: Schema.optionalKey(Schema.String),
  /** The whole document after the change. */
  document: Schema.Unknown,
  /** Undefined if there was no document. */
  revision: Schema.optional(Schema.Struct({ seqNo: Schema.Int, primaryTerm: Schema.Int }))
})
type Update = typeof Update.Type

const BatchDocument = Schema.Struct({
  tenantId: Schema.Int,
  /** See {@link nameOf}. */
  index: Schema.String,
  updates: Schema.Array(Update)
})

/** Changes of several documents that may not be complete. */
export const batchIndex = sealedIndex<typeof BatchDocument.Type>({
  name: "batches",
  version: 2,
  properties: {
    tenantId: { type: "long" },
    index: keptOnly,
    updates: { type: "object", enabled: false }
  },
  document: BatchDocument
})
