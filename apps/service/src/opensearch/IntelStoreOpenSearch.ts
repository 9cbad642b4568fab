import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { orNotFound } from "../requests/NotFound.ts"
import type { Vault } from "../crypto/Vault.ts"
import { KeyedCluster } from "./cluster/ClusterStart.ts"
import { decryptForTenant, tenantText, withTenant } from "../requests/TenantText.ts"
import { resealed, sealedIndex } from "./cluster/DocumentSeal.ts"
import { keptOnly } from "./cluster/IndexDefinition.ts"
import { transferredIntelRequests } from "../transfer/TransferredTables.ts"
import { defineTransfer } from "./cluster/ClusterTransfer.ts"
import { IntelReport } from "@threat-exposure/core/domain/Intel"
import { NotFound } from "@threat-exposure/core/domain/Failures"
import { IntelStore, questionContext, reportContext } from "../intel/Intel.ts"
import { jsonDecoder } from "../requests/JsonText.ts"

export const IntelStoreOpenSearch = Layer.effect(
  IntelStore,
  Effect.gen(function* () {
    const keyed = yield* KeyedCluster
    return IntelStore.of({
      insert: Effect.fnUntraced(function* ({ createdAt, question, requestId, tenantId, tone }) {
        const { cluster, vault } = keyed.now
        yield* cluster.put(intelIndex, requestId, {
          tenantId,
          question: encryptQuestion(vault, requestId, question),
          tone,
          createdAt
        })
      }),
      find: Effect.fnUntraced(function* (tenantId, requestId) {
        const { cluster, vault } = keyed.now
        const request = (yield* cluster.get(intelIndex, requestId))?.document
        if (request?.tenantId !== tenantId) return yield* Effect.fail(new NotFound())
        return { report: reportIn(vault, requestId, request) }
      }),
      list: Effect.gen(function* () {
        const { cluster, vault } = keyed.now
        const requests = yield* cluster.all(intelIndex, { query: { match_all: {} }, sort: [{ _seq_no: "asc" }] })
        return requests
          .map(({ document, id }) => ({
            tenantId: document.tenantId,
            requestId: id,
            question: vault.decrypt(document.question, questionContext(id)),
            tone: document.tone,
            createdAt: document.createdAt,
            isAnswered: document.report != null
          }))
          .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0))
      }),
      answer: Effect.fnUntraced(function* (requestId, report, answeredAt) {
        const { cluster, vault } = keyed.now
        const answered = cluster.update(intelIndex, requestId, (request) =>
          request === undefined
            ? undefined
            : { ...request, report: encryptReport(vault, requestId, request.tenantId, report), answeredAt }
        )
        yield* orNotFound(answered)
      })
    })
  })
)

const reportIn = (vault: Vault, requestId: string, { report, tenantId }: IntelDocument): IntelReport | null =>
  report == null ? null : decodeReport(decryptForTenant(vault, tenantId, report, reportContext(requestId)))

const encryptReport = (vault: Vault, requestId: string, tenantId: number, report: IntelReport): string =>
  vault.encryptToBase64(tenantText(tenantId, report), reportContext(requestId))

const decodeReport = jsonDecoder(IntelReport)

const encryptQuestion = (vault: Vault, requestId: string, question: string): string =>
  vault.encryptToBase64(question, questionContext(requestId))

const IntelDocument = Schema.Struct({
  tenantId: Schema.Int,
  /** Encrypted. */
  question: Schema.String,
  tone: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  /** Encrypted. Absent or null until the request is answered. */
  report: Schema.optionalKey(Schema.NullOr(Schema.String)),
  answeredAt: Schema.optionalKey(Schema.NullOr(Schema.String))
})
interface IntelDocument extends Schema.Schema.Type<typeof IntelDocument> {}

export const intelIndex = sealedIndex<IntelDocument>({
  name: "intel-requests",
  version: 2,
  properties: {
    tenantId: { type: "long" },
    question: { type: "binary" },
    tone: keptOnly,
    createdAt: keptOnly,
    report: keptOnly,
    answeredAt: keptOnly
  },
  upgrade: {
    docValues: [],
    document: (vault, { id, source }) => {
      const request = decodeRequest(source)
      const { report, tenantId } = request
      if (report == null) return request
      const text = withTenant(tenantId, vault.decrypt(report, reportContext(id)))
      return { ...request, report: vault.encryptToBase64(text, reportContext(id)) }
    }
  },
  document: IntelDocument
})

const decodeRequest = Schema.decodeUnknownSync(IntelDocument)

export const keyedIntelRequests = resealed(intelIndex, (vault, { id, source }) => {
  const request = decodeRequest(source)
  const question = vault.decrypt(request.question, questionContext(id))
  const report = reportIn(vault, id, request)
  return {
    ...request,
    question: encryptQuestion(vault, id, question),
    ...(report === null ? undefined : { report: encryptReport(vault, id, request.tenantId, report) })
  }
})

export const intelRequestsTransfer = defineTransfer({
  table: transferredIntelRequests,
  index: intelIndex,
  toDocument: ({ id, ...row }) => ({
    id,
    document: {
      ...row,
      question: Buffer.from(row.question).toString("base64"),
      report: row.report === null ? null : Buffer.from(row.report).toString("base64")
    },
    encrypted: { question: questionContext(id), ...(row.report === null ? undefined : { report: reportContext(id) }) }
  })
})
