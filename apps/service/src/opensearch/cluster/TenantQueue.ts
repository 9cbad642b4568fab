/** Queues the searches of each tenant, so that a tenant with many searches leaves capacity for the others. */
import * as Effect from "effect/Effect"
import { StoreUnavailable } from "../../requests/StoreUnavailable.ts"

export interface TenantQueueLimits {
  /** Maximum number of concurrent searches of one tenant. */
  readonly maxRunningOfTenant: number
  /** Maximum number of concurrent searches of all tenants. */
  readonly maxRunning: number
}

export class TenantQueue {
  readonly #limits: TenantQueueLimits
  /** The waiting searches by tenant, in the order in which the tenants get a turn. */
  readonly #waiting = new Map<number, Array<() => void>>()
  readonly #runningOf = new Map<number, number>()
  #running = 0

  constructor(limits: TenantQueueLimits) {
    this.#limits = limits
  }

  /**
   * Runs the work when it is the tenant's turn. Dies with `StoreUnavailable` if too many searches of the tenant are
   * already waiting.
   */
  run<A, E, R>(tenantId: number, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.andThen(
        restore(this.#admit(tenantId)),
        Effect.ensuring(
          restore(work),
          Effect.sync(() => this.#release(tenantId))
        )
      )
    )
  }

  #admit(tenantId: number): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const start = () => {
        this.#running += 1
        this.#runningOf.set(tenantId, this.#runningFor(tenantId) + 1)
        resume(Effect.void)
      }
      const waiting = this.#waiting.get(tenantId) ?? []
      if (waiting.length === 0 && this.#hasRoom(tenantId)) return start()
      if (waiting.length >= maxWaitingOfTenant) {
        return resume(Effect.die(new StoreUnavailable({ reason: "too many searches of the same tenant wait" })))
      }
      this.#waiting.set(tenantId, [...waiting, start])
      return Effect.sync(() => this.#forget(tenantId, start))
    })
  }

  #release(tenantId: number): void {
    this.#running -= 1
    const left = this.#runningFor(tenantId) - 1
    if (left === 0) this.#runningOf.delete(tenantId)
    else this.#runningOf.set(tenantId, left)
    this.#startNext()
  }

  #startNext(): void {
    for (const [tenantId, [start, ...others]] of this.#waiting) {
      if (start === undefined || !this.#hasRoom(tenantId)) continue
      // Moves the tenant behind the others.
      this.#waiting.delete(tenantId)
      if (others.length > 0) this.#waiting.set(tenantId, others)
      return start()
    }
  }

  #forget(tenantId: number, start: () => void): void {
    const left = (this.#waiting.get(tenantId) ?? []).filter((other) => other !== start)
    if (left.length === 0) this.#waiting.delete(tenantId)
    else this.#waiting.set(tenantId, left)
  }

  #hasRoom(tenantId: number): boolean {
    const { maxRunning, maxRunningOfTenant } = this.#limits
    return this.#running < maxRunning && this.#runningFor(tenantId) < maxRunningOfTenant
  }

  #runningFor(tenantId: number): number {
    return this.#runningOf.get(tenantId) ?? 0
  }
}

const maxWaitingOfTenant = 1_000
