/** Limits the calls of a tenant per second, by tier. See docs/api.md#limits-and-quota. */
import type { Tier } from "@threat-exposure/core/api/Endpoints"
import type { Rates } from "../Settings.ts"

/** A token bucket for each tenant and tier: a second's worth of calls (at least one) may come at once. */
export class RateLimits {
  readonly #rates: Rates
  /** The time when each bucket is full again; a full bucket is dropped. */
  readonly #fullAt = new Map<string, number>()
  #sweepAt = smallestSweep

  constructor(rates: Rates) {
    this.#rates = rates
  }

  /** Whole seconds to wait, at most 60. 0 admits the call and counts it. */
  secondsToWait(tenantId: number, tier: Tier, now: number): number {
    const rate = this.#rates[tier]
    if (rate === undefined) return 0
    const perCall = 1_000 / rate
    const capacity = Math.max(1, rate)
    const name = `${tier} ${tenantId}`
    // The bounds hold when the clock is set back, too.
    const fullAt = Math.min(Math.max(now, this.#fullAt.get(name) ?? now), now + capacity * perCall)
    const wait = fullAt - now - (capacity - 1) * perCall
    if (this.#fullAt.size >= this.#sweepAt) this.#sweep(now)
    this.#fullAt.set(name, wait > 0 ? fullAt : fullAt + perCall)
    return wait > 0 ? Math.min(longestWait, Math.ceil(wait / 1_000)) : 0
  }

  #sweep(now: number): void {
    for (const [name, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(name)
    this.#sweepAt = Math.max(smallestSweep, this.#fullAt.size * 2)
  }
}

const longestWait = 60
const smallestSweep = 1_000
