import { randomUUID } from "node:crypto"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { NotFound } from "@threat-exposure/core/domain/Failures"
import type { IntelReport } from "@threat-exposure/core/domain/Intel"
import type { OperationHandlers } from "../requests/OperationHandlers.ts"

/** Requests for intelligence, which the operator answers. */
export const intelHandlers = Effect.gen(function* () {
  const store = yield* IntelStore
  return {
    ask: Effect.fn("Intel.ask")(function* ({ payload: { question, tone = null } }, { tenantId }) {
      const requestId = yield* Effect.sync(() => randomUUID())
      const createdAt = DateTime.formatIso(yield* DateTime.now)
      yield* store.insert({ tenantId, requestId, question, tone, createdAt })
      return { request_id: requestId }
    }),

    get: Effect.fn("Intel.get")(({ params }, { tenantId }) =>
      Effect.map(store.find(tenantId, params.request_id), ({ report }) => ({
        status: report === null ? "processing" : "completed",
        report
      }))
    )
  } satisfies OperationHandlers["intel"]
})

/** Stores requests for intelligence, with question and report encrypted. Each engine implements it. */
export class IntelStore extends Context.Service<
  IntelStore,
  {
    insert(request: IntelRequest): Effect.Effect<void>
    /** The report is null until the request is answered. */
    find(tenantId: number, requestId: string): Effect.Effect<{ readonly report: IntelReport | null }, NotFound>
    /** The requests of all tenants, oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<IntelRequest & { readonly isAnswered: boolean }>>
    /** Stores an answer, and replaces a former one. `answeredAt` is ISO 8601. Fails if there is no such request. */
    answer(requestId: string, report: IntelReport, answeredAt: string): Effect.Effect<void, NotFound>
  }
>()("@threat-exposure/service/intel/Intel/IntelStore") {}

export interface IntelRequest {
  readonly tenantId: number
  readonly requestId: string
  readonly question: string
  readonly tone: string | null
  /** ISO 8601. */
  readonly createdAt: string
}

export const reportContext = (requestId: string): string => `intel_answers.report/${requestId}`

export const questionContext = (requestId: string): string => `intel_requests.question/${requestId}`
