import * as Effect from "effect/Effect"
import type { Cluster, Stored } from "./Cluster.ts"
import type { IndexDefinition } from "./IndexDefinition.ts"
import type { WriteOperation } from "./WriteOperation.ts"

/**
 * Changes documents in one bulk request, each unless another request has changed it meanwhile: those are read and changed again.
 * Returns the documents by id.
 */
export const updateMany = Effect.fnUntraced(function* <Document>(
  cluster: Cluster["Service"],
  index: IndexDefinition<Document>,
  changes: ReadonlyMap<string, (stored: Document | undefined) => Document>
) {
  const changed = new Map<string, Document>()
  let left = [...changes]
  while (left.length > 0) {
    const operations = yield* Effect.forEach(
      left,
      ([id, change]) =>
        Effect.map(cluster.get(index, id), (stored: Stored<Document> | undefined): WriteOperation => {
          const document = change(stored?.document)
          changed.set(id, document)
          const operation = { index, id, document }
          return stored === undefined ? { ...operation, keep: true } : { ...operation, revision: stored.revision }
        }),
      { concurrency: 8 }
    )
    const { kept } = yield* cluster.write(operations)
    const again = new Set(kept.map(({ id }) => id))
    left = left.filter(([id]) => again.has(id))
  }
  return changed
})
