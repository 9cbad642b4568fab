import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { RateLimited } from "@threat-exposure/core/domain/Failures"
import { Settings } from "../Settings.ts"
import { monthOf, type PaidBlocks, type QuotaLeft, quotaRenewal, type QuotaBatch, SearchQuota } from "./SearchQuota.ts"

/** The quota that searches of credentials and of events share. See docs/api.md#limits-and-quota. */
export class Quota extends Context.Service<
  Quota,
  {
    /** Runs a page of a global search and charges the tenant for it. A page that fails costs nothing. */
    charge<Page extends SearchPage, E, R>(
      search: ChargedSearch,
      page: () => Effect.Effect<Page, E, R>
    ): Effect.Effect<{ readonly page: Page; readonly left: QuotaLeft }, E | RateLimited, R>
    charged(): number
  }
>()("@threat-exposure/service/limits/Quota") {
  static readonly layer = Layer.effect(
    Quota,
    Effect.gen(function* () {
      const store = yield* QuotaStore
      const { searchesAMonth } = yield* Settings
      const clock = yield* Clock.Clock
      const quota = new SearchQuota(searchesAMonth)

      const writeDown = Effect.suspend(() => {
        const batch = quota.takeUnwritten()
        return Effect.matchCauseEffect(batch.uses.length === 0 ? Effect.void : store.add(batch), {
          onSuccess: () => Effect.sync(() => quota.confirmWritten()),
          onFailure: (cause) => Effect.logWarning("The spent quota could not be stored yet", Cause.pretty(cause))
        })
      })
      const sharePaid = Effect.suspend(() => {
        const paid = quota.takePaid()
        return Effect.matchCauseEffect(store.exchangePaid(paid), {
          onSuccess: (elsewhere) => Effect.sync(() => quota.learnPaid(elsewhere)),
          onFailure: (cause) => {
            quota.restorePaid(paid)
            return Effect.logWarning("The list of free searches could not be shared yet", Cause.pretty(cause))
          }
        })
      })
      yield* Effect.addFinalizer(() => Effect.andThen(sharePaid, writeDown))
      yield* Effect.andThen(sharePaid, writeDown).pipe(Effect.repeat(Schedule.spaced("1 second")), Effect.forkScoped)

      const learn = (tenantId: number, now: number) => {
        const month = monthOf(now)
        return quota.knows(tenantId, month)
          ? Effect.void
          : Effect.mapEager(store.used(tenantId, month), (used) => quota.learn({ tenantId, month, ...used }))
      }

      return Quota.of({
        charged: () => quota.charged,
        charge: Effect.fnUntracedEager(function* ({ position, search, tenantId }, run) {
          const now = clock.currentTimeMillisUnsafe()
          yield* learn(tenantId, now)
          const payment = quota.pay(tenantId, search, position, now)
          if (payment === undefined) return yield* Effect.fail(quotaExhausted(now))
          const page = yield* onFailure(run(), payment.refund)
          // The last known quota is valid for one second, and the page may have taken longer.
          yield* learn(tenantId, now)
          return { page, left: payment.complete(page.count, page.last !== undefined) }
        })
      })
    })
  )
}

/** Runs `undo` if the effect fails or is interrupted. */
const onFailure = <A, E, R>(effect: Effect.Effect<A, E, R>, undo: () => void): Effect.Effect<A, E, R> => {
  if (!Exit.isExit(effect)) return Effect.onError(effect, () => Effect.sync(undo))
  if (Exit.isFailure(effect)) undo()
  return effect
}

export class QuotaStore extends Context.Service<
  QuotaStore,
  {
    /** `batch` is the number of this service's last batch among the units, if the engine knows it. */
    used(
      tenantId: number,
      month: string
    ): Effect.Effect<{ readonly units: number; readonly batch?: number | undefined }>
    /** Adds a batch once, even if called repeatedly. Does nothing for a tenant without keys, because it was deleted. */
    add(batch: QuotaBatch): Effect.Effect<void>
    /**
     * Publishes the blocks that were paid here, and returns those that other services published since the last call.
     */
    exchangePaid(paid: PaidBlocks): Effect.Effect<PaidBlocks>
  }
>()("@threat-exposure/service/limits/Quota/QuotaStore") {}

export interface ChargedSearch {
  readonly tenantId: number
  /** Identifies the search without its filters. Contains no secret. */
  readonly search: string
  /** The number of results before this page. */
  readonly position: number
}

/** The properties of a page that determine its cost. */
export interface SearchPage {
  readonly count: number
  /** Undefined on the last page. */
  readonly last: unknown
}

/** The error code for a spent quota. */
export const quotaSpent = "QUOTA_EXHAUSTED"

/** Without `retryAfter`, because waiting for seconds does not help. */
const quotaExhausted = (now: number) =>
  new RateLimited({
    code: quotaSpent,
    message: `The quota of global searches is spent: it renews at ${new Date(quotaRenewal(now)).toISOString()}`
  })
