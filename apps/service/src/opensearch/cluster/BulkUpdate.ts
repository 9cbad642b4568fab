/** Changes of several documents of a tenant: all of them, or none. */
import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { attemptAll } from "../../requests/Recovery.ts"
import type { Cluster, Stored } from "./Cluster.ts"
import { type IndexDefinition, type IndexShape, keptOnly } from "./IndexDefinition.ts"
import type { WriteOperation } from "./WriteOperation.ts"

/**
 * Changes documents in one bulk request. A document that another request has changed in the meantime is read and
 * changed again. The changes are stored first, because a bulk request can be interrupted between two documents: see
 * {@link completeBatches}. `undefined` leaves a document unchanged. Returns the changed documents by id.
 */
export const updateMany = Effect.fnUntraced(function* <Document>(
  cluster: Cluster["Service"],
  index: IndexDefinition<Document>,
  tenantId: number,
  changes: ReadonlyMap<string, (stored: Document | undefined) => Document | undefined>
) {
  const changed = new Map<string, Document>()
  const id = yield* Effect.sync(() => randomUUID())
  // Only several documents need a batch: a single write is atomic.
  const isBatch = changes.size > 1
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
      const document = { tenantId, index: nameOf(cluster, index), updates }
      yield* cluster.write([{ index: batchIndex, id, document }], { refresh: false })
    }
    const { kept } = yield* cluster.write(updates.map((update) => operationOf(index, update)))
    const again = new Set(kept.map(({ id }) => id))
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
  const begun = yield* cluster.all(batchIndex, { query: { match_all: {} }, sort: [{ _seq_no: "asc" }] })
  yield* attemptAll(
    begun,
    Effect.fnUntraced(function* ({ id }) {
      // The service that started the batch may have completed it, or written a part of it again.
      const stored = yield* cluster.get(batchIndex, id)
      if (stored === undefined) return
      const { document, revision } = stored
      // No index matches if the documents were encrypted with a former key.
      const index = indices.find((index) => nameOf(cluster, index) === document.index)
      if (index !== undefined) yield* cluster.write(document.updates.map((update) => operationOf(index, update)))
      yield* cluster.write([{ index: batchIndex, id, remove: true, revision }], { refresh: false })
    })
  )
})

/** The name without the prefix, and with the generation of the key. */
const nameOf = ({ prefix, writtenName }: Cluster["Service"], index: IndexShape): string =>
  writtenName(index).slice(prefix.length + 1)

const operationOf = (index: IndexShape, { document, id, revision }: Update): WriteOperation =>
  revision === undefined ? { index, id, document, keep: true } : { index, id, document, revision }

const Update = Schema.Struct({
  id: Schema.String,
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
export const batchIndex: IndexDefinition<typeof BatchDocument.Type> = {
  name: "batches",
  version: 1,
  properties: {
    tenantId: { type: "long" },
    index: keptOnly,
    updates: { type: "object", enabled: false }
  },
  document: BatchDocument
}
