/** Why a cluster cannot be used. */
import * as Effect from "effect/Effect"
import { KeyFileUnusable } from "../../crypto/KeyFile.ts"
import { StoreRefusal, StoreUnavailable } from "../../requests/StoreUnavailable.ts"
import { StoreUnusable } from "../../StoreUnusable.ts"

export const clusterUnusable = (reason: string) => new StoreUnusable({ store: "OpenSearch", reason })

/** Runs work on a cluster outside a request. A person can act on its failures. */
export const attempt = <A>(work: () => Promise<A>) => Effect.tryPromise({ try: work, catch: unusable })

export const unusable = (cause: unknown): StoreUnusable | KeyFileUnusable => {
  if (cause instanceof StoreUnusable || cause instanceof KeyFileUnusable) return cause
  if (cause instanceof StoreUnavailable || cause instanceof StoreRefusal) return clusterUnusable(cause.reason)
  return clusterUnusable(cause instanceof Error ? cause.message : String(cause))
}
