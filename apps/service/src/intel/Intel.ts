import { randomUUID } from "node:crypto"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { IntelQuestion } from "@threat-exposure/core/domain/Intel"

/** Questions for intelligence. They are stored; no operation retrieves an answer. */
export class Intel extends Context.Service<
  Intel,
  {
    /** Gives the id of the request, a UUID. See docs/api.md#ask-for-intelligence. */
    ask(tenantId: number, question: IntelQuestion): Effect.Effect<string>
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
        })
      })
    })
  )
}

/** Where requests for intelligence are stored, the question encrypted. Each engine implements it. */
export class IntelStore extends Context.Service<
  IntelStore,
  {
    insert(request: IntelRequest): Effect.Effect<void>
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

/** Binds an encrypted `question` to the id of its request. */
export const questionContext = (requestId: string): string => `intel_requests.question/${requestId}`
