/** Failures of a store that the API answers with 503, for both engines. They are defects: see `Http.ts`. */
import * as Schema from "effect/Schema"

/** A later attempt may succeed. A write that fails with this was applied completely or not at all. */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `The database is unavailable: ${this.reason}`
  }
}

/** A retry would not help. The message contains no value of a request. */
export class StoreRefusal extends Error {
  readonly store: string
  /** The end of a sentence about the store. */
  readonly reason: string

  constructor(store: string, reason: string) {
    super(`${store} cannot be used: ${reason}`)
    this.store = store
    this.reason = reason
  }
}

/** The search exceeded its time limit. Repeating it does not help; a narrower search may. */
export class SearchTimedOut extends Schema.TaggedError<SearchTimedOut>()("SearchTimedOut", {
  /** Milliseconds; undefined if the cluster applied its own limit. */
  limit: Schema.UndefinedOr(Schema.Finite)
}) {
  override get message() {
    const when = this.limit === undefined ? "at its time limit" : `after ${this.limit / 1_000} seconds`
    return `The search was stopped ${when}: narrow it, by a longer phrase, a rarer word or a time filter`
  }
}

interface Keyed {
  readonly vault: { readonly keyId: number }
}

/** Records and digests of a replaced key would never match: check in the transaction that uses them. */
export const requireKey = ({ vault }: Keyed, keyId: number): void => {
  if (vault.keyId !== keyId) throw new StoreUnavailable({ reason: "its key was rotated a moment ago" })
}
