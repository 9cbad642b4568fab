/** Failures as plain data: an error loses its class and its own properties when it is sent between threads. */
import { KeyFileUnusable } from "../crypto/KeyFile.ts"
import { SearchTimedOut, StoreRefusal, StoreUnavailable } from "../requests/StoreUnavailable.ts"

export interface WorkerFailure {
  readonly message: string
  readonly code: unknown
  readonly errcode: unknown
  /** Undefined if the API does not answer the failure with 503. */
  readonly store: StoreFailure | undefined
}

type StoreFailure =
  | { readonly kind: "unavailable"; readonly reason: string }
  | { readonly kind: "refusal"; readonly store: string; readonly reason: string }
  | { readonly kind: "timedOut"; readonly limit: number | undefined }

export const failureOf = (cause: unknown): WorkerFailure => ({
  message: cause instanceof Error ? cause.message : String(cause),
  code: cause instanceof Error && "code" in cause ? cause.code : undefined,
  errcode: cause instanceof Error && "errcode" in cause ? cause.errcode : undefined,
  store: storeFailureOf(cause)
})

const storeFailureOf = (cause: unknown): StoreFailure | undefined => {
  if (cause instanceof StoreUnavailable) return { kind: "unavailable", reason: cause.reason }
  if (cause instanceof KeyFileUnusable) return { kind: "unavailable", reason: cause.message }
  if (cause instanceof StoreRefusal) return { kind: "refusal", store: cause.store, reason: cause.reason }
  return cause instanceof SearchTimedOut ? { kind: "timedOut", limit: cause.limit } : undefined
}

export const errorOf = ({ store, ...failure }: WorkerFailure): Error => {
  switch (store?.kind) {
    case "unavailable":
      return new StoreUnavailable({ reason: store.reason })
    case "refusal":
      return new StoreRefusal(store.store, store.reason)
    case "timedOut":
      return new SearchTimedOut({ limit: store.limit })
    case undefined:
      return Object.assign(new Error(failure.message), failure)
  }
}
