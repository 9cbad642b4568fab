/** Failures of a store that the API answers with 503, on either engine. They are defects: see `Http.ts`. */
import * as Schema from "effect/Schema"

/**
 * The store cannot do the work at present: another process holds a lock, the disk is full, a thread died. A write that fails
 * with it was applied whole or not at all.
 */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `The database is unavailable: ${this.reason}`
  }
}

/** The store refuses the work, or must not be used, and a repetition would not help. Contains no value of a request. */
export class StoreRefusal extends Error {
  /** As the end of a sentence about the store. */
  readonly reason: string

  constructor(store: string, reason: string) {
    super(`${store} cannot be used: ${reason}`)
    this.reason = reason
  }
}

/** The search was stopped at its time limit. Repeating it cannot help, narrowing it can. */
export class SearchTimedOut extends Schema.TaggedError<SearchTimedOut>()("SearchTimedOut", {
  /** Milliseconds; undefined if the cluster applied a limit of its own. */
  limit: Schema.UndefinedOr(Schema.Finite)
}) {
  override get message() {
    const when = this.limit === undefined ? "at its time limit" : `after ${this.limit / 1_000} seconds`
    return `The search was stopped ${when}: narrow it, by a longer phrase, a rarer word or a time filter`
  }
}

/** The key of the data in the present transaction. */
interface Keyed {
  readonly vault: { readonly keyId: number }
}

/**
 * Throws {@link StoreUnavailable} unless the key still has this id. What was prepared under a replaced key would never be
 * found, or find nothing: check in the transaction that uses it.
 */
export const requireKey = ({ vault }: Keyed, keyId: number): void => {
  if (vault.keyId !== keyId) throw new StoreUnavailable({ reason: "its key was rotated a moment ago" })
}
