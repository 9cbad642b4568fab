import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Tier } from "@threat-exposure/core/api/Endpoints"
import type { Rates } from "../Settings.ts"

/**
 * A token bucket per tenant and tier. Its capacity is the calls of one second, at least one. Times are in milliseconds of
 * `monotonicNow`.
 */
export class RateLimits {
  readonly #rates: Rates
  /** The time at which each bucket is full again; full buckets are dropped. */
  readonly #fullAt = new Map<BucketName, number>()
  /** The number of admitted calls of each bucket that is not full. */
  readonly #admitted = new Map<BucketName, number>()
  #elsewhere: AdmittedCalls = new Map()
  #sweepAt = minSweep

  constructor(rates: Rates) {
    this.#rates = rates
  }

  /** The whole seconds to wait, at most 60. For 0, the call is admitted and counted. */
  secondsToWait(tenantId: number, tier: Tier, now: number): number {
    const rate = this.#rates[tier]
    if (rate === undefined) return 0
    const perCall = 1_000 / rate
    const capacity = Math.max(1, rate)
    const name: BucketName = `${tier} ${tenantId}`
    const fullAt = this.#timeWhenFull(name, perCall, now)
    const wait = fullAt - now - (capacity - 1) * perCall
    if (this.#fullAt.size >= this.#sweepAt) this.#sweep(now)
    this.#fullAt.set(name, wait > 0 ? fullAt : fullAt + perCall)
    if (wait > 0) return Math.min(maxWait, Math.ceil(wait / 1_000))
    this.#admitted.set(name, (this.#admitted.get(name) ?? 0) + 1)
    return 0
  }

  /** Counts additional calls for an admitted one that was expensive. */
  charge(tenantId: number, tier: Tier, calls: number, now: number): void {
    const name: BucketName = `${tier} ${tenantId}`
    this.#take(name, calls, now)
    if (this.#fullAt.has(name)) this.#admitted.set(name, (this.#admitted.get(name) ?? 0) + calls)
  }

  /** The admitted calls per bucket, to be shared. A bucket that was full in between starts at 0 again. */
  countAdmitted(now: number): BucketCounts {
    this.#sweep(now)
    return this.#admitted
  }

  /** Counts the calls that other services have admitted since the last time against the same limits. */
  learn(elsewhere: AdmittedCalls, now: number): void {
    for (const [service, calls] of elsewhere) {
      const earlier = this.#elsewhere.get(service)
      for (const [name, count] of calls) {
        const known = earlier?.get(name) ?? 0
        this.#take(name, count < known ? count : count - known, now)
      }
    }
    this.#elsewhere = elsewhere
  }

  #take(name: BucketName, calls: number, now: number): void {
    const rate = this.#rates[name.startsWith("search ") ? "search" : "basic"]
    if (rate === undefined || calls === 0) return
    this.#fullAt.set(name, this.#timeWhenFull(name, 1_000 / rate, now) + calls * (1_000 / rate))
  }

  /** Limited in case other services admitted many calls. */
  #timeWhenFull(name: BucketName, perCall: number, now: number): number {
    return Math.min(Math.max(now, this.#fullAt.get(name) ?? now), now + Math.max(perCall, maxWait * 1_000))
  }

  #sweep(now: number): void {
    for (const [name, fullAt] of this.#fullAt) {
      if (fullAt > now) continue
      this.#fullAt.delete(name)
      this.#admitted.delete(name)
    }
    this.#sweepAt = Math.max(minSweep, this.#fullAt.size * 2)
  }
}

/** Shares the numbers of admitted calls between services over the same data. Each engine has a layer of it. */
export class RateStore extends Context.Service<
  RateStore,
  {
    /** Publishes the calls that this service admitted, and returns those of the others. */
    exchange(admitted: BucketCounts): Effect.Effect<AdmittedCalls>
  }
>()("@threat-exposure/service/limits/RateLimits/RateStore") {
  /** For an engine that only one service uses at a time. */
  static readonly layerAlone = Layer.succeed(RateStore, RateStore.of({ exchange: () => Effect.succeed(new Map()) }))
}

/** The error code of deployed services for a call over the rate limit. The answer has the same shape on all paths. */
export const rateLimitReached = "RATELIMIT_REACHED"

export type BucketName = `${Tier} ${number}`

export type BucketCounts = ReadonlyMap<BucketName, number>

export type AdmittedCalls = ReadonlyMap<string, BucketCounts>

/** The maximum wait in seconds. */
const maxWait = 60
const minSweep = 1_000
