/** Assembles the distributed engine: the one module that knows both the cluster and the stores. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { credentialIndex, CredentialStoreOpenSearch } from "./credentials/CredentialStoreOpenSearch.ts"
import { intelIndex, IntelStoreOpenSearch } from "./intel/IntelStoreOpenSearch.ts"
import { keyIndex, KeyStoreOpenSearch } from "./keys/KeyStoreOpenSearch.ts"
import { quotaIndex, QuotaStoreOpenSearch } from "./limits/QuotaStoreOpenSearch.ts"
import { StoreHealth } from "./observability/StoreHealth.ts"
import { type ClusterOptions, clusterLayer, ClusterState } from "./opensearch/ClusterStart.ts"
import { StoreUnavailable } from "./requests/StoreUnavailable.ts"
import { memberIndex, TenantStoreOpenSearch } from "./tenants/TenantStoreOpenSearch.ts"

/** Every index of the stores. */
const indices = [credentialIndex, intelIndex, keyIndex, memberIndex, quotaIndex]

const health = Layer.effect(
  StoreHealth,
  Effect.gen(function* () {
    const state = yield* ClusterState
    const check = state.advance.pipe(
      Effect.catchDefect((defect) =>
        Effect.fail(
          defect instanceof StoreUnavailable ? defect : new StoreUnavailable({ reason: "OpenSearch refuses to write" })
        )
      )
    )
    return StoreHealth.of({ ready: yield* Effect.cachedWithTTL(check, "1 second"), gauges: [] })
  })
)

const stores = Layer.mergeAll(
  health,
  CredentialStoreOpenSearch,
  IntelStoreOpenSearch,
  KeyStoreOpenSearch,
  QuotaStoreOpenSearch,
  TenantStoreOpenSearch
)

export const openSearch = (options: ClusterOptions) => Layer.provideMerge(stores, clusterLayer(options, indices))
