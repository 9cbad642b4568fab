/** The writes of a bulk request, and how they are sent. */
import { bytesOf, isEncoded } from "./EncodedDocuments.ts"
import type { IndexShape } from "./IndexDefinition.ts"

export interface Revision {
  readonly seqNo: number
  readonly primaryTerm: number
}

export type WriteOperation = WritePlace &
  (
    | { readonly document: unknown; readonly revision?: Revision }
    /** Does nothing if a document has the id. */
    | { readonly document: unknown; readonly keep: true }
    | { readonly remove: true; readonly revision?: Revision }
  )

interface WritePlace {
  readonly index: IndexShape
  readonly id: string
  readonly routing?: string
}

/** The lines of a `_bulk` request. `indexOf` returns undefined for the index in the request's path. */
export const bulkBody = (
  operations: ReadonlyArray<WriteOperation>,
  indexOf: (operation: WriteOperation) => string | undefined
): Buffer => {
  const parts = operations.flatMap((operation): ReadonlyArray<string | Uint8Array> => {
    const action = actionOf(indexOf(operation), operation)
    if ("remove" in operation) return [action]
    const { document } = operation
    return isEncoded(document) ? [action, bytesOf(document), "\n"] : [action, `${JSON.stringify(document)}\n`]
  })
  // A UTF-16 code unit takes at maxBytes three bytes in UTF-8.
  const maxBytes = parts.reduce((sum, part) => sum + (typeof part === "string" ? part.length * 3 : part.length), 0)
  const body = Buffer.allocUnsafeSlow(maxBytes)
  let end = 0
  for (const part of parts) {
    if (typeof part === "string") end += body.write(part, end)
    else {
      body.set(part, end)
      end += part.length
    }
  }
  return body.subarray(0, end)
}

const actionOf = (index: string | undefined, operation: WriteOperation): string => {
  const { id, routing } = operation
  const revision = "revision" in operation ? operation.revision : undefined
  const meta = JSON.stringify({
    _index: index,
    _id: id,
    routing,
    if_seq_no: revision?.seqNo,
    if_primary_term: revision?.primaryTerm
  })
  return `{"${"remove" in operation ? "delete" : "keep" in operation ? "create" : "index"}":${meta}}\n`
}
