import { randomUUID } from "node:crypto"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { NotFound } from "@threat-exposure/core/domain/Failures"
import type { IntelAnswer, IntelQuestion, IntelReport } from "@threat-exposure/core/domain/Intel"

/** Requests for intelligence, which the operator answers. */
export class Intel extends Context.Service<
  Intel,
  {
    /** Returns the id of the new request, a UUID. See docs/api.md#ask-for-intelligence. */
    ask(tenantId: number, question: IntelQuestion): Effect.Effect<string>
    get(tenantId: number, requestId: string): Effect.Effect<IntelAnswer, NotFound>
  }
>()("@threat-exposure/service/intel/Intel") {
  static readonly layer = Layer.effect(
    Intel,
    Effect.gen(function* () {
      const store = yield* IntelStore
      return Intel.of({
        ask: Effect.fn("Intel.ask")(function* (tenantId, { question, tone = null }) {
          const requestId = yield* Effect.sync(() => randomUUID())
          const createdAt = DateTime.formatIso(yield* DateTime.now)
          yield* store.insert({ tenantId, requestId, question, tone, createdAt })
          return requestId
        }),
        get: Effect.fn("Intel.get")((tenantId, requestId) =>
          Effect.map(store.find(tenantId, requestId), ({ report }) => ({
            status: report === null ? "processing" : "completed",
            report
          }))
        )
      })
    })
  )
}

/** Stores requests for intelligence, with question and report encrypted. Each engine implements it. */
export class IntelStore extends Context.Service<
  IntelStore,
  {
    insert(request: IntelRequest): Effect.Effect<void>
    /** The report is null until the request is answered. */
    find(tenantId: number, requestId: string): Effect.Effect<{ readonly report: IntelReport | null }, NotFound>
    /** The requests of all tenants, oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<IntelRequest & { readonly isAnswered: boolean }>>
    /** Stores an answer, and replaces a former one. Fails if there is no such request. */
    answer(answer: AnsweredRequest): Effect.Effect<void, NotFound>
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

export interface AnsweredRequest {
  readonly requestId: string
  readonly report: IntelReport
  /** ISO 8601. */
  readonly answeredAt: string
}

export const reportContext = (requestId: string): string => `intel_answers.report/${requestId}`

export const questionContext = (requestId: string): string => `intel_requests.question/${requestId}`
