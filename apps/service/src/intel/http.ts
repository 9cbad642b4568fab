import { randomUUID } from "node:crypto"
import { Caller } from "@threat-exposure/core/api/Access"
import { Api } from "@threat-exposure/core/api/Api"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Database } from "../sqlite/Database.ts"
import { createIntelRequestJob } from "./IntelRequestInserts.ts"

/** See docs/api.md#ask-for-intelligence. The question is stored; no operation retrieves an answer. */
export const IntelHandlers = HttpApiBuilder.group(
  Api,
  "intel",
  Effect.fn(function* (handlers) {
    const database = yield* Database

    return handlers.handleAll({
      ask: Effect.fnUntraced(function* ({ payload }) {
        const { tenantId } = yield* Caller
        const requestId = yield* Effect.sync(() => randomUUID())
        const now = DateTime.formatIso(yield* DateTime.now)
        yield* database.write(createIntelRequestJob, { tenantId, requestId, asked: payload, now })
        return { request_id: requestId }
      })
    })
  })
)
