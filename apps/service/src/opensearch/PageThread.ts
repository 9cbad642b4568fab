/** A thread for large pages of credentials: parsing and decrypting them would delay the requests of all tenants. */
import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import type { ClusterOptions } from "../ClusterEngine.ts"
import type { CredentialListing, CredentialPage } from "../credentials/CredentialStore.ts"
import { keyCheckIn } from "../crypto/KeyFile.ts"
import type { Vault } from "../crypto/Vault.ts"
import type { ForeignRecords } from "../requests/ForeignRecords.ts"
import type { ThreadJob } from "../threads/ThreadJob.ts"
import { WorkerPool } from "../threads/WorkerPool.ts"
import { makeCluster } from "./cluster/Cluster.ts"
import type { ClusterClient } from "./cluster/ClusterClient.ts"
import { parseIndexName } from "./cluster/ClusterIndices.ts"
import type { KeyedCluster } from "./cluster/ClusterStart.ts"
import { type IndexShape, ofGeneration } from "./cluster/IndexDefinition.ts"
import type { StrictLoads } from "./cluster/StrictLoadState.ts"
import { SearchLimit } from "./cluster/TenantSearches.ts"
import { credentialIndex } from "./CredentialIndex.ts"
import { readPage } from "./CredentialPages.ts"

/** A page in the state of the cluster that the request has read. */
interface PageRequest {
  readonly keyCheck: string
  readonly generation: string | undefined
  readonly strictLoads: StrictLoads | undefined
  readonly listing: CredentialListing
  /** Milliseconds. */
  readonly timeLimit: number
}

/** The thread's own connections and keys. */
export interface PageContext {
  readonly client: ClusterClient
  readonly prefix: string
  readonly foreign: ForeignRecords
  vaultOf(keyCheck: string): Vault
  run<A>(effect: Effect.Effect<A>): Promise<A>
}

export const pageJob: ThreadJob<PageContext, PageRequest, CredentialPage> = {
  name: "CredentialStore.page",
  run: ({ client, foreign, prefix, run, vaultOf }, { generation, keyCheck, listing, strictLoads, timeLimit }) => {
    const named = (index: IndexShape) => ofGeneration(index, generation)
    const now = { cluster: makeCluster(client, prefix, { foreign, named, strictLoads }), vault: vaultOf(keyCheck) }
    const limit = new SearchLimit(timeLimit)
    return run(limit.applyTo(readPage({ now }, listing, limit)))
  }
}

/** Reads pages like `readPage`, in a thread that starts with the first one. */
export const pageThread = (options: ClusterOptions, foreign: ForeignRecords) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(
        () =>
          new WorkerPool({
            size: 1,
            attempts: 2,
            onForeign: (names) => foreign.add(names),
            start: () => new Worker(threadModule, { workerData: options })
          })
      ),
      (pool) => Effect.promise(() => pool.close())
    ),
    (pool) => (keyed: KeyedCluster["Service"], listing: CredentialListing, limit: SearchLimit) =>
      Effect.promise((signal) => {
        const { cluster, vault } = keyed.now
        const request: PageRequest = {
          keyCheck: keyCheckIn(vault),
          generation: parseIndexName(cluster.prefix, cluster.nameOf(credentialIndex), [credentialIndex])?.generation,
          strictLoads: cluster.strictLoads,
          listing,
          timeLimit: limit.milliseconds
        }
        return pool.run(pageJob, request, { owner: listing.tenantId, signal })
      })
  )

/** TypeScript in the repository, JavaScript in the published package. */
const threadModule = new URL(`clusterThread${extname(import.meta.url)}`, import.meta.url)
