import * as Effect from "effect/Effect"
import { flow } from "effect/Function"
import * as Schema from "effect/Schema"
import { IntelReport } from "@threat-exposure/core/domain/Intel"
import { decryptForTenant, tenantText } from "../requests/TenantText.ts"
import { IntelStore, questionContext, reportContext } from "../intel/Intel.ts"
import { column, query } from "./database/Connection.ts"
import { columnOfTenant, encryptedColumn } from "./database/KeyedTable.ts"
import { storeLayer } from "./database/StoreMethods.ts"
import { jsonDecoder } from "../requests/JsonText.ts"
import { orNotFound, requireFound } from "../requests/NotFound.ts"

export const IntelStoreSqlite = storeLayer(IntelStore)(({ read, write }) => ({
  insert: write("insert", ({ connection, vault }, { createdAt, question, requestId, tenantId, tone }) => {
    connection.insert("intel_requests", {
      request_id: requestId,
      tenant_id: tenantId,
      question: vault.encrypt(question, questionContext(requestId)),
      tone,
      created_at: createdAt
    })
  }),
  find: flow(
    read("find", ({ connection, vault }, tenantId, requestId) => {
      const report = connection.first(answerOf, requestId, tenantId)
      if (report === undefined) return undefined
      return {
        report:
          report === null ? null : decodeReport(decryptForTenant(vault, tenantId, report, reportContext(requestId)))
      }
    }),
    orNotFound
  ),
  list: Effect.suspend(
    read("list", ({ connection, vault }) =>
      connection.own(requests, [], (row) => ({
        ...row,
        question: vault.decrypt(row.question, questionContext(row.requestId))
      }))
    )
  ),
  answer: flow(
    write("answer", ({ connection, vault }, requestId, report, answeredAt) => {
      const tenantId = connection.first(tenantOf, requestId)
      if (tenantId === undefined) return false
      connection.replace("intel_answers", {
        request_id: requestId,
        tenant_id: tenantId,
        report: vault.encrypt(tenantText(tenantId, report), reportContext(requestId)),
        answered_at: answeredAt
      })
      return true
    }),
    requireFound
  )
}))

export const keyedIntelRequests = encryptedColumn({
  name: "intel_requests",
  key: { column: "request_id", type: "TEXT" },
  column: "question",
  context: questionContext
})

export const keyedIntelAnswers = columnOfTenant({
  name: "intel_answers",
  key: { column: "request_id", type: "TEXT" },
  column: "report",
  context: reportContext
})

const decodeReport = jsonDecoder(IntelReport)

const tenantOf = column(Schema.Int, "SELECT tenant_id FROM intel_requests WHERE request_id = ?")

const answerOf = column(
  Schema.NullOr(Schema.Uint8Array),
  `SELECT a.report FROM intel_requests r LEFT JOIN intel_answers a ON a.request_id = r.request_id
   WHERE r.request_id = ? AND r.tenant_id = ?`
)

const requests = query(
  Schema.Struct({
    requestId: Schema.String,
    tenantId: Schema.Int,
    question: Schema.Uint8Array,
    tone: Schema.NullOr(Schema.String),
    createdAt: Schema.String,
    isAnswered: Schema.BooleanFromBit
  }),
  `SELECT r.request_id AS requestId, r.tenant_id AS tenantId, r.question, r.tone, r.created_at AS createdAt,
     a.request_id IS NOT NULL AS isAnswered
   FROM intel_requests r LEFT JOIN intel_answers a ON a.request_id = r.request_id ORDER BY r.created_at, r.request_id`
)
