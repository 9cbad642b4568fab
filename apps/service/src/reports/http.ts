import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Caller } from "@threat-exposure/core/api/Access"
import { Api } from "@threat-exposure/core/api/Api"
import { Reports } from "./Reports.ts"

export const ReportHandlers = HttpApiBuilder.group(
  Api,
  "reports",
  Effect.fnUntraced(function* (handlers) {
    const reports = yield* Reports
    return handlers.handleAll({
      create: Effect.fnUntraced(function* ({ payload }) {
        const { tenantId } = yield* Caller
        yield* reports.create(tenantId, payload)
      })
    })
  })
)
