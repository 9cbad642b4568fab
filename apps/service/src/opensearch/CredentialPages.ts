/** Pages of credentials, as JSON. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { HitJson } from "./cluster/SearchAnswer.ts"
import type { KeyedCluster } from "./cluster/ClusterStart.ts"
import type { SearchLimit } from "./cluster/TenantSearches.ts"
import {
  credentialIndex,
  itemsOf,
  joinItems,
  keyOf,
  linesOf,
  type Range,
  rangesOf,
  termText
} from "./CredentialIndex.ts"
import { requireKey } from "../requests/StoreUnavailable.ts"
import type { CredentialListing, CredentialPage, CredentialSortKey } from "../credentials/CredentialStore.ts"

/** Reads a page. Records that are left out are noted, but not logged. */
export const readPage = Effect.fnUntraced(function* (
  keyed: KeyedCluster["Service"],
  listing: CredentialListing,
  { timeout }: SearchLimit
): Effect.fn.Return<CredentialPage> {
  const { now } = keyed
  const { cluster, vault } = now
  const { include, keyId, order, size, terms } = listing
  requireKey(now, keyId)
  const termFilters = terms.map((term) => ({ term: { terms: termText(term) } }))
  const rowsOf = ({ after, range, size }: Part) =>
    cluster[isQuick(listing) && size <= maxQuickSize ? "quickHits" : "hits"](credentialIndex, {
      size,
      timeout,
      query: {
        bool: {
          filter: [...termFilters, { range: { imported_at: { gte: range.low, lte: range.high } } }],
          must_not: cluster.unpublished
        }
      },
      sort: [{ imported_at: order }, { id: order }],
      ...(after === undefined ? {} : { search_after: [after.importedAt, after.id] })
    })
  const lines = linesOf(include)
  const parts = pageParts(listing)
  const items: Array<Uint8Array> = []
  let count = 0
  /** Rows that were read, including those that are left out. */
  let read = 0
  let last: CredentialPage["last"]
  let { value: part } = parts.next([])
  let rows: ReadonlyArray<HitJson> = part === undefined ? [] : yield* rowsOf(part)
  while (part !== undefined) {
    part = parts.next(rows).value
    // OpenSearch searches for the next part while this one is decrypted.
    const next = part === undefined ? undefined : yield* Effect.forkChild(rowsOf(part), { startImmediately: true })
    // Lets the request be sent before the decryption blocks the event loop.
    if (next !== undefined) yield* Effect.yieldNow
    const shown = rows.slice(0, size - read)
    for (let from = 0; from < shown.length; from += decryptedAtOnce) {
      if (from > 0) yield* Effect.yieldNow
      const some = shown.slice(from, from + decryptedAtOnce)
      const { bytes, foreign } = itemsOf(vault, lines, some)
      cluster.foreign.note(cluster.nameOf(credentialIndex), foreign)
      items.push(bytes)
      count += some.length - foreign.length
    }
    read += shown.length
    last = keyOf(shown) ?? last
    if (shown.length < rows.length) return { items: joinItems(items), count, last }
    rows = next === undefined ? [] : yield* Fiber.join(next)
  }
  return { items: joinItems(items), count, last: undefined }
})

/** A search for one term in the order of the index reads only the documents that it returns. */
export const isQuick = ({ order, size, terms }: CredentialListing): boolean =>
  size < maxQuickSize && terms.length === 1 && order === "desc"

/** Maximum size of a page that may be searched for together with others. */
const maxQuickSize = 101

/** Credentials decrypted before the thread receives more of the next part. */
const decryptedAtOnce = 250

/** One search for a part of a page. */
interface Part {
  readonly range: Range
  readonly after: CredentialSortKey | undefined
  readonly size: number
}

/**
 * The parts of a page, plus one more item that shows whether there is a next page. `next` takes the rows of the
 * previous part.
 */
function* pageParts(listing: CredentialListing): Generator<Part, undefined, ReadonlyArray<HitJson>> {
  let { after } = listing
  let missing = listing.size + 1
  for (const { high, low } of rangesOf(listing)) {
    for (let isWhole = false; !isWhole;) {
      const size = missing < 2 * minPart ? missing : Math.ceil(missing / 2)
      const range =
        after === undefined
          ? { low, high }
          : listing.order === "desc"
            ? { low, high: Math.min(high, after.importedAt) }
            : { low: Math.max(low, after.importedAt), high }
      const rows = yield { range, after, size }
      missing -= rows.length
      if (missing === 0) return
      after = keyOf(rows) ?? after
      isWhole = rows.length < size
    }
  }
}

/**
 * Minimum size of a part, because each search has a fixed cost.
 *
 * Each part is half of what is missing, so that the last one is small: while the last one is decrypted, OpenSearch has
 * nothing to do for the page.
 */
const minPart = 1_500
