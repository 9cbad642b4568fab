import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Vault } from "../crypto/Vault.ts"
import { KeyedCluster } from "./cluster/ClusterStart.ts"
import { type IndexDefinition, type KeyedIndex, keptOnly, smallIndex } from "./cluster/IndexDefinition.ts"
import { transferredIntelRequests } from "../transfer/TransferredTables.ts"
import { transferredDocuments } from "./cluster/ClusterTransfer.ts"
import { IntelStore, questionContext } from "../intel/Intel.ts"

export const IntelStoreOpenSearch = Layer.effect(
  IntelStore,
  Effect.gen(function* () {
    const keyed = yield* KeyedCluster
    return IntelStore.of({
      insert: Effect.fnUntraced(function* ({ createdAt, question, requestId, tenantId, tone }) {
        const { cluster, vault } = keyed.now
        yield* cluster.put(intelIndex, requestId, {
          tenantId,
          question: encryptedQuestion(vault, requestId, question),
          tone,
          createdAt
        })
      })
    })
  })
)

const encryptedQuestion = (vault: Vault, requestId: string, question: string): string =>
  vault.encryptToBase64(question, questionContext(requestId))

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
  isKeyed: true,
  document: IntelDocument
}

const decodeRequest = Schema.decodeUnknownSync(IntelDocument)

export const keyedIntelRequests: KeyedIndex = {
  index: intelIndex,
  rewriting: {
    docValues: [],
    document: (vault, { id, source }) => {
      const request = decodeRequest(source)
      const question = vault.decrypt(request.question, questionContext(id))
      return { ...request, question: encryptedQuestion(vault, id, question) }
    }
  }
}

export const intelRequestsTransfer = transferredDocuments({
  table: transferredIntelRequests,
  index: intelIndex,
  toDocument: ({ id, ...row }) => ({
    id,
    document: { ...row, question: Buffer.from(row.question).toString("base64") },
    encrypted: { question: questionContext(id) }
  })
})
