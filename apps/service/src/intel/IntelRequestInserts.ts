import type { IntelQuestion } from "@threat-exposure/core/domain/Intel"
import { procedure } from "../sqlite/Procedure.ts"

export interface IntelRequestToCreate {
  readonly tenantId: number
  readonly requestId: string
  readonly asked: IntelQuestion
  /** ISO 8601. */
  readonly now: string
}

/** The question is sealed: nobody knows what somebody puts into one. */
export const createIntelRequestJob = procedure(
  "intel.ask",
  ({ connection, vault }, { asked, now, requestId, tenantId }: IntelRequestToCreate): void => {
    connection.run(
      "INSERT INTO intel_requests (request_id, tenant_id, question, tone, created_at) VALUES (?, ?, ?, ?, ?)",
      requestId,
      tenantId,
      vault.seal(asked.question),
      asked.tone ?? null,
      now
    )
  }
)
