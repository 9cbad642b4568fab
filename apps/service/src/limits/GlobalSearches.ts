/** The quota of global searches, shared by both of them, and written down as it is spent. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { RateLimited } from "@threat-exposure/core/domain/Failures"
import { Database } from "../sqlite/Database.ts"
import { Settings } from "../Settings.ts"
import { type QuotaLeft, type SearchName, SearchQuota, quotaRenewal, writeQuotaUse } from "./SearchQuota.ts"

export class GlobalSearches extends Context.Service<
  GlobalSearches,
  {
    /** For the page that starts `position` results into its search, before it is looked for. */
    pay(tenantId: number, search: SearchName, position: number, now: number): PaidSearch | RateLimited
  }
>()("@threat-exposure/service/limits/GlobalSearches") {
  static readonly layer = Layer.effect(
    GlobalSearches,
    Effect.gen(function* () {
      const database = yield* Database
      const { searchesAMonth } = yield* Settings
      const quota = new SearchQuota(database.connection, searchesAMonth)
      const writeDown = Effect.suspend(() => {
        const uses = quota.takeUnwritten()
        return Effect.matchCauseEffect(uses.length === 0 ? Effect.void : database.write(writeQuotaUse, uses), {
          onSuccess: () => Effect.sync(() => quota.learn()),
          onFailure: (cause) => {
            quota.giveBack()
            return Effect.logWarning("What was spent of the quota could not be written down yet", Cause.pretty(cause))
          }
        })
      })
      yield* Effect.addFinalizer(() => writeDown)
      yield* writeDown.pipe(Effect.repeat(Schedule.spaced("1 second")), Effect.forkScoped)
      return GlobalSearches.of({
        pay: (tenantId, search, position, now) => {
          const payment = quota.pay(tenantId, search, position, now)
          if (payment === undefined) return quotaExhausted(now)
          return {
            served: (count, hasNext) => quotaHeaders(payment.served(count, hasNext)),
            refund: payment.refund
          }
        }
      })
    })
  )
}

/** A page that is paid for: end it with one of these. */
export interface PaidSearch {
  /** The headers of an answer of `count` results. */
  readonly served: (count: number, hasNext: boolean) => Record<string, string>
  /** Takes back what the page cost, for it was never served. */
  readonly refund: () => void
}

export const remainingHeader = "X-Global-Searches-Remaining"

/** The code of a refusal when nothing of the quota is left. */
export const quotaSpent = "QUOTA_EXHAUSTED"

const quotaHeaders = ({ batchReached, remaining }: QuotaLeft): Record<string, string> => ({
  [remainingHeader]: String(remaining),
  "X-Global-Searches-Batch-Reached": String(batchReached)
})

/** Without `retryAfter`: a client that waits some seconds for it waits in vain. */
const quotaExhausted = (now: number) =>
  new RateLimited({
    code: quotaSpent,
    message: `The quota of global searches is spent: it renews at ${new Date(quotaRenewal(now)).toISOString()}`
  })
