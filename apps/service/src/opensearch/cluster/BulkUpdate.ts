/** Changes of several documents of a tenant: all of them, or none. */
import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { attemptAll } from "../../requests/Recovery.ts"
import type { Cluster, Stored } from "./Cluster.ts"
import { type IndexDefinition, type IndexShape, keptOnly } from "./IndexDefinition.ts"
import type { WriteOperation } from "./WriteOperation.ts"

/**
 * Changes documents in one bulk request, each unless another request has changed it meanwhile: those are read and changed again.
 * The changes are stored before the first of them is made, because a bulk request can be cut off between two documents: see
 * {@link completeBatches}. Undefined leaves a document unchanged. Returns the changed documents by id.
 */
export const updateMany = Effect.fnUntraced(function* <Document>(
  cluster: Cluster["Service"],
  index: IndexDefinition<Document>,
  tenantId: number,
  changes: ReadonlyMap<string, (stored: Document | undefined) => Document | undefined>
) {
  const changed = new Map<string, Document>()
  const id = yield* Effect.sync(() => randomUUID())
  // A single document is written or not.
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
 * Makes the rest of the changes that a service began and did not end. A document that was changed since then stays as it is:
 * either this change was made, or a later one.
 */
export const completeBatches = Effect.fnUntraced(function* (
  cluster: Cluster["Service"],
  indices: ReadonlyArray<IndexShape>
) {
  const begun = yield* cluster.all(batchIndex, { query: { match_all: {} }, sort: [{ _seq_no: "asc" }] })
  yield* attemptAll(
    begun,
    Effect.fnUntraced(function* ({ id }) {
      // Its service may have completed it, or made a part of it again.
      const stored = yield* cluster.get(batchIndex, id)
      if (stored === undefined) return
      const { document, revision } = stored
      // Not of a former key, in which the documents are encrypted.
      const index = indices.find((index) => nameOf(cluster, index) === document.index)
      if (index !== undefined) yield* cluster.write(document.updates.map((update) => operationOf(index, update)))
      yield* cluster.write([{ index: batchIndex, id, remove: true, revision }], { refresh: false })
    })
  )
})

/** Without the prefix, and with the generation of the key. */
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
