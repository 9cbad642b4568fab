import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type IntelRequest, IntelStore, questionContext } from "../intel/Intel.ts"
import { Database } from "./database/Database.ts"
import { encryptedColumn } from "./database/KeyedTable.ts"
import { procedure } from "./database/Procedure.ts"

export const IntelStoreSqlite = Layer.effect(
  IntelStore,
  Effect.map(Database, ({ write }) => IntelStore.of({ insert: (request) => write(insert, request) }))
)

export const keyedIntelRequests = encryptedColumn({
  name: "intel_requests",
  key: { column: "request_id", type: "TEXT" },
  column: "question",
  context: questionContext
})

const insert = procedure(
  "IntelStore.insert",
  ({ connection, vault }, { createdAt, question, requestId, tenantId, tone }: IntelRequest): void => {
    connection.run(
      "INSERT INTO intel_requests (request_id, tenant_id, question, tone, created_at) VALUES (?, ?, ?, ?, ?)",
      requestId,
      tenantId,
      vault.encrypt(question, questionContext(requestId)),
      tone,
      createdAt
    )
  }
)

export const intelProcedures = [insert]
