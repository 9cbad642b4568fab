/** How many calls a tenant may make in a second, by tier. SPEC 8. */
import type { Tier } from "@threat-exposure/core/api/Endpoints"

/** Calls a second; a tier that is not named has no limit. */
export type Rates = { readonly [T in Tier]?: number | undefined }

/** A bucket for each tenant and tier: a second's worth of calls (at least one) may come at once. */
export class RateLimits {
  readonly #rates: Rates
  readonly #buckets = new Map<string, Bucket>()

  constructor(rates: Rates) {
    this.#rates = rates
  }

  /** Whole seconds to wait; 0 when the call may go on, and then it is counted. */
  secondsToWait(tenantId: number, tier: Tier, now: number): number {
    const rate = this.#rates[tier]
    if (rate === undefined) return 0
    const capacity = Math.max(1, rate)
    const name = `${tier} ${tenantId}`
    const bucket = this.#buckets.get(name) ?? { calls: capacity, filledAt: now }
    this.#buckets.set(name, bucket)
    bucket.calls = Math.min(capacity, bucket.calls + (Math.max(0, now - bucket.filledAt) / 1_000) * rate)
    bucket.filledAt = now
    if (bucket.calls >= 1) {
      bucket.calls -= 1
      return 0
    }
    return Math.max(1, Math.ceil((1 - bucket.calls) / rate))
  }
}

interface Bucket {
  calls: number
  filledAt: number
}
