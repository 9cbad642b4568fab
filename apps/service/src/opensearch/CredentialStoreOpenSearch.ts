/** Credentials in OpenSearch: searchable by keyed digests, with everything else in one encrypted text. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ClusterOptions } from "../ClusterEngine.ts"
import { type CredentialListing, CredentialStore } from "../credentials/CredentialStore.ts"
import { requireKey } from "../requests/StoreUnavailable.ts"
import { KeyedCluster } from "./cluster/ClusterStart.ts"
import { tenantSearches } from "./cluster/TenantSearches.ts"
import { isQuick, readPage } from "./CredentialPages.ts"
import { pageThread } from "./PageThread.ts"
import { actOnCredentials, pageOfTenant } from "./TenantCredentialsOpenSearch.ts"

export const CredentialStoreOpenSearch = (options: ClusterOptions) =>
  Layer.effect(
    CredentialStore,
    Effect.gen(function* () {
      const keyed = yield* KeyedCluster
      const searches = yield* tenantSearches
      const readInThread = yield* pageThread(options, keyed.now.cluster.foreign)
      const page = Effect.fnUntraced(function* (listing: CredentialListing) {
        const { size, tenantId } = listing
        const { limit } = searches
        const found = yield* size > maxPageHere
          ? // The limit begins when the thread does: on a busy machine, its start takes seconds.
            searches.limited(tenantId, readInThread(keyed, listing, limit))
          : searches[isQuick(listing) ? "quick" : "long"](tenantId, readPage(keyed, listing, limit))
        yield* keyed.now.cluster.foreign.log
        return found
      })
      return CredentialStore.of({
        page,
        segments: () => undefined,
        pageOfTenant: (listing) =>
          Effect.suspend(() => {
            requireKey(keyed.now, listing.keyId)
            return searches.long(listing.tenantId, pageOfTenant(keyed.now, listing, searches.limit.timeout))
          }),
        act: (change) => Effect.suspend(() => actOnCredentials(keyed.now, change))
      })
    })
  )

/** Maximum size of a page that is decrypted on the thread that answers all tenants, which takes some milliseconds. */
const maxPageHere = 500
