import { Caller } from "@threat-exposure/core/api/Access"
import { Api } from "@threat-exposure/core/api/Api"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Database } from "../sqlite/Database.ts"
import { createReportJob } from "./ReportInserts.ts"

/** See docs/api.md#create-a-report. */
export const ReportHandlers = HttpApiBuilder.group(
  Api,
  "reports",
  Effect.fn(function* (handlers) {
    const database = yield* Database

    return handlers.handleAll({
      create: Effect.fnUntraced(function* ({ payload }) {
        const { tenantId } = yield* Caller
        const now = DateTime.formatIso(yield* DateTime.now)
        yield* database.write(createReportJob, { tenantId, report: payload, now })
      })
    })
  })
)
