/** Credentials in OpenSearch: searchable by keyed digests, with everything else in one encrypted text. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type { Cluster } from "./cluster/Cluster.ts"
import type { HitJson } from "./cluster/SearchAnswer.ts"
import { KeyedCluster } from "./cluster/ClusterStart.ts"
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
import { tenantSearches } from "./cluster/TenantSearches.ts"
import { actOnCredentials, pageOfTenant } from "./TenantCredentialsOpenSearch.ts"
import { requireKey } from "../requests/StoreUnavailable.ts"
import {
  type CredentialListing,
  type CredentialPage,
  type CredentialSortKey,
  CredentialStore
} from "../credentials/CredentialStore.ts"

export const CredentialStoreOpenSearch = Layer.effect(
  CredentialStore,
  Effect.gen(function* () {
    const keyed = yield* KeyedCluster
    const searches = yield* tenantSearches

    const rowsOf = (cluster: Cluster["Service"], listing: CredentialListing, { after, range, size }: Part) => {
      const { order, terms } = listing
      const filter = [
        ...terms.map((term) => ({ term: { terms: termText(term) } })),
        { range: { imported_at: { gte: range.low, lte: range.high } } }
      ]
      const body = {
        size,
        timeout: searches.timeout,
        query: { bool: { filter, must_not: cluster.unpublished } },
        sort: [{ imported_at: order }, { id: order }],
        ...(after === undefined ? {} : { search_after: [after.importedAt, after.id] })
      }
      const isTogether = isQuick(listing) && size <= maxQuickSize
      return cluster[isTogether ? "quickHits" : "hits"](credentialIndex, body)
    }

    const page = Effect.fnUntraced(function* (listing: CredentialListing) {
      const { include, keyId, size } = listing
      const { now } = keyed
      requireKey(now, keyId)
      const lines = linesOf(include)
      const parts = pageParts(listing)
      const items: Array<Uint8Array> = []
      let count = 0
      /** Rows that were read, including those that are left out. */
      let read = 0
      let last: CredentialPage["last"]
      let { value: part } = parts.next([])
      let rows: ReadonlyArray<HitJson> = part === undefined ? [] : yield* rowsOf(now.cluster, listing, part)
      while (part !== undefined) {
        part = parts.next(rows).value
        // OpenSearch searches for the next part while this one is decrypted.
        const next =
          part === undefined
            ? undefined
            : yield* Effect.forkChild(rowsOf(now.cluster, listing, part), { startImmediately: true })
        // Lets the request be sent before the decryption blocks the event loop.
        if (next !== undefined) yield* Effect.yieldNow
        const shown = rows.slice(0, size - read)
        for (let from = 0; from < shown.length; from += decryptedAtOnce) {
          if (from > 0) yield* Effect.yieldNow
          const some = shown.slice(from, from + decryptedAtOnce)
          const { bytes, foreign } = itemsOf(now.vault, lines, some)
          if (foreign.length > 0) {
            yield* now.cluster.foreign.leaveOut(now.cluster.nameOf(credentialIndex), foreign)
          }
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

    return CredentialStore.of({
      page: (listing) => searches[isQuick(listing) ? "quick" : "long"](listing.tenantId, page(listing)),
      segments: () => undefined,
      pageOfTenant: (listing) =>
        Effect.suspend(() => {
          requireKey(keyed.now, listing.keyId)
          return searches.long(listing.tenantId, pageOfTenant(keyed.now, listing, searches.timeout))
        }),
      act: (change) => Effect.suspend(() => actOnCredentials(keyed.now, change))
    })
  })
)

/** A search for one term in the order of the index reads only the documents that it returns. */
const isQuick = ({ order, size, terms }: CredentialListing): boolean =>
  size < maxQuickSize && terms.length === 1 && order === "desc"

/** Maximum size of a page that may be searched for together with others. */
const maxQuickSize = 101

/** Credentials decrypted before other requests get a turn: a few milliseconds of the thread that serves all tenants. */
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
