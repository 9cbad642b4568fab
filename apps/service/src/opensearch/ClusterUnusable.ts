/** Why a cluster cannot be used. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { KeyFileUnusable } from "../crypto/KeyFile.ts"
import { StoreUnavailable } from "../requests/StoreUnavailable.ts"
import { ClusterRefusal } from "./ClusterCall.ts"

/** The cluster cannot be used as it is. Nothing was written. */
export class ClusterUnusable extends Schema.TaggedError<ClusterUnusable>()("ClusterUnusable", {
  reason: Schema.String
}) {
  override get message() {
    return `OpenSearch cannot be used: ${this.reason}`
  }
}

/** Runs work on a cluster outside of a request, whose failures a person can act on. */
export const attempt = <A>(work: () => Promise<A>) => Effect.tryPromise({ try: work, catch: unusable })

export const unusable = (cause: unknown): ClusterUnusable | KeyFileUnusable => {
  if (cause instanceof ClusterUnusable || cause instanceof KeyFileUnusable) return cause
  if (cause instanceof StoreUnavailable) return new ClusterUnusable({ reason: cause.reason })
  if (cause instanceof ClusterRefusal && (cause.status === 401 || cause.status === 403)) {
    return new ClusterUnusable({
      reason: `it refuses the user or the password (${cause.status}). See THREAT_EXPOSURE_OPENSEARCH_USER and THREAT_EXPOSURE_OPENSEARCH_PASSWORD`
    })
  }
  return new ClusterUnusable({ reason: cause instanceof Error ? cause.message : String(cause) })
}
