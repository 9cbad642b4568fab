/** A thread for large pages of credentials: parsing and decrypting them would delay the requests of all tenants. */
import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import type { ClusterOptions } from "../ClusterEngine.ts"
import type { CredentialListing, CredentialPage } from "../credentials/CredentialStore.ts"
import { keyCheckIn } from "../crypto/KeyFile.ts"
import type { ForeignRecords } from "../requests/ForeignRecords.ts"
import { StoreUnavailable } from "../requests/StoreUnavailable.ts"
import { errorOf, type WorkerFailure } from "../threads/WorkerFailure.ts"
import { parseIndexName } from "./cluster/ClusterIndices.ts"
import type { KeyedCluster } from "./cluster/ClusterStart.ts"
import type { StrictLoads } from "./cluster/StrictLoadState.ts"
import type { SearchLimit } from "./cluster/TenantSearches.ts"
import { credentialIndex } from "./CredentialIndex.ts"

/** A page in the state of the cluster that the request has read. */
export interface PageRequest {
  readonly keyCheck: string
  readonly generation: string | undefined
  readonly strictLoads: StrictLoads | undefined
  readonly listing: CredentialListing
  /** Milliseconds. */
  readonly timeLimit: number
}

/** The message to the thread. Without a request, it cancels the page of this id. */
export interface PageMessage {
  readonly id: number
  readonly request?: PageRequest
}

/** The message from the thread. `foreign` are the records that it has left out of any page. */
export interface PageAnswer {
  readonly id: number
  readonly output: CredentialPage | WorkerFailure
  readonly foreign: ReadonlyArray<string>
}

/** Reads pages like `readPage`. The thread starts with the first page, and with the next one after it has died. */
export const pageThread = Effect.fnUntraced(function* (options: ClusterOptions, foreign: ForeignRecords) {
  const pages = new Map<number, (page: Effect.Effect<CredentialPage>) => void>()
  let thread: Worker | undefined
  let lastId = 0

  const start = (): Worker => {
    const started = new Worker(threadModule, { workerData: options })
    let reason = "the thread that reads large pages stopped"
    started.on("message", ({ foreign: names, id, output }: PageAnswer) => {
      foreign.add(names)
      pages.get(id)?.("items" in output ? Effect.succeed(output) : Effect.die(errorOf(output)))
    })
    started.on("error", (error) => {
      reason += `: ${error instanceof Error ? error.message : String(error)}`
    })
    started.once("exit", () => {
      thread = undefined
      for (const answer of pages.values()) answer(Effect.die(new StoreUnavailable({ reason })))
    })
    return started
  }
  // The thread only reads, so it can be ended at any time.
  yield* Effect.addFinalizer(() => Effect.promise(async () => thread?.terminate()))

  const ask = (request: PageRequest) =>
    Effect.callback<CredentialPage>((resume) => {
      const id = ++lastId
      const send = (message: PageMessage) => thread?.postMessage(message, [])
      thread ??= start()
      pages.set(id, (page) => {
        pages.delete(id)
        resume(page)
      })
      send({ id, request })
      return Effect.sync(() => {
        pages.delete(id)
        send({ id })
      })
    })

  return (keyed: KeyedCluster["Service"], listing: CredentialListing, { milliseconds }: SearchLimit) =>
    Effect.suspend(() => {
      const { cluster, vault } = keyed.now
      return ask({
        keyCheck: keyCheckIn(vault),
        generation: parseIndexName(cluster.prefix, cluster.nameOf(credentialIndex), [credentialIndex])?.generation,
        strictLoads: cluster.strictLoads,
        listing,
        timeLimit: milliseconds
      })
    })
})

/** TypeScript in the repository, JavaScript in the published package. */
const threadModule = new URL(`clusterThread${extname(import.meta.url)}`, import.meta.url)
