import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import { Cluster } from "../opensearch/Cluster.ts"
import { type IndexDefinition, keptOnly, smallIndex } from "../opensearch/IndexDefinition.ts"
import { transferredTable } from "../transfer/TransferredTable.ts"
import { IntelStore, questionContext } from "./Intel.ts"

export const IntelStoreOpenSearch = Layer.effect(
  IntelStore,
  Effect.gen(function* () {
    const cluster = yield* Cluster
    const current = yield* CurrentVault
    return IntelStore.of({
      insert: ({ createdAt, question, requestId, tenantId, tone }) =>
        Effect.asVoid(
          cluster.put(intelIndex, requestId, {
            tenantId,
            question: Buffer.from(current.vault.encrypt(question, questionContext(requestId))).toString("base64"),
            tone,
            createdAt
          })
        )
    })
  })
)

const IntelDocument = Schema.Struct({
  tenantId: Schema.Int,
  /** Encrypted. */
  question: Schema.String,
  tone: Schema.NullOr(Schema.String),
  createdAt: Schema.String
})

export const intelIndex: IndexDefinition<typeof IntelDocument.Type> = {
  name: "intel-requests",
  version: 1,
  settings: smallIndex,
  properties: {
    tenantId: { type: "long" },
    question: { type: "binary" },
    tone: keptOnly,
    createdAt: keptOnly
  },
  document: IntelDocument
}

export const transferredIntelRequests = transferredTable({
  index: intelIndex,
  columns: "request_id AS id, tenant_id AS tenantId, question, tone, created_at AS createdAt",
  from: "intel_requests",
  row: Schema.Struct({ id: Schema.String, ...IntelDocument.fields, question: Schema.Uint8Array }),
  toDocument: ({ id, ...row }) => ({
    id,
    document: { ...row, question: Buffer.from(row.question).toString("base64") },
    encrypted: { question: questionContext(id) }
  })
})
