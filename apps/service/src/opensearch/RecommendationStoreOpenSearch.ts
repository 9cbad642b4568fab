import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Recommendation, RecommendationStatus } from "@threat-exposure/core/domain/Recommendation"
import { assetOfRecommendation } from "../identifiers/Asset.ts"
import { changeEnd, prepareMissing } from "./IdentifierStoreOpenSearch.ts"
import type { RecordIndexer } from "./LoadTargetOpenSearch.ts"
import { type AddedDocument, updateMany } from "./cluster/BulkUpdate.ts"
import { KeyedCluster } from "./cluster/ClusterStart.ts"
import { textFor } from "../requests/ForeignRecords.ts"
import { sealedIndex } from "./cluster/DocumentSeal.ts"
import { idOfTenant, keptOnly, strictLoadFields } from "./cluster/IndexDefinition.ts"
import { transferredRecommendations } from "../transfer/TransferredTables.ts"
import { defineTransfer } from "./cluster/ClusterTransfer.ts"
import { prepareRecommendationsOf, recommendationColumns } from "../recommendations/RecommendationReader.ts"
import { type DecidedRecommendations, RecommendationStore } from "../recommendations/Recommendations.ts"
import { jsonDecoder } from "../requests/JsonText.ts"
import { requireNoneMissing } from "../requests/NotFound.ts"

export const RecommendationStoreOpenSearch = Layer.effect(
  RecommendationStore,
  Effect.gen(function* () {
    const keyed = yield* KeyedCluster
    const end = yield* changeEnd
    /** The documents of the recommendations. Fails with the ids that do not exist. */
    const requireDocuments = Effect.fnUntraced(function* ({ ids, tenantId }: DecidedRecommendations) {
      const { cluster } = keyed.now
      const stored = yield* Effect.forEach(
        ids,
        (id) => Effect.map(cluster.get(recommendationIndex, idOfTenant(tenantId, id)), (found) => found?.document),
        { concurrency: 8 }
      )
      yield* requireNoneMissing(ids.filter((_, at) => stored[at] === undefined))
      return stored.flatMap((document) => document ?? [])
    })
    const setStatus = (
      { decidedAt, ids, tenantId }: DecidedRecommendations,
      status: RecommendationStatus,
      identifiers: ReadonlyArray<AddedDocument> = []
    ) => {
      const change = (document: RecommendationDocument | undefined) =>
        document === undefined || document.status === status ? undefined : { ...document, status, updatedAt: decidedAt }
      const changes = new Map(ids.map((id) => [idOfTenant(tenantId, id), change]))
      return updateMany(keyed.now.cluster, recommendationIndex, tenantId, changes, identifiers)
    }
    return RecommendationStore.of({
      reject: Effect.fnUntraced(function* (decided) {
        yield* requireDocuments(decided)
        yield* setStatus(decided, "rejected")
      }),
      accept: Effect.fnUntraced(function* (decided) {
        const { decidedAt, tenantId, uuids } = decided
        const documents = yield* requireDocuments(decided)
        const assets = documents.flatMap(
          ({ data }, at) => assetOfRecommendation(decodeData(data), uuids[at] ?? "", decidedAt) ?? []
        )
        const { identifiers, matched } = yield* prepareMissing(keyed.now, tenantId, assets, end)
        yield* setStatus(decided, "accepted", identifiers)
        yield* matched
      }),
      page: ({ after, size, status, tenantId, types }) => {
        const filter = [
          { term: { tenantId } },
          ...(after === undefined ? [] : [{ range: { id: { gt: after } } }]),
          ...(status === undefined ? [] : [{ term: { status } }]),
          ...(types === undefined ? [] : [{ terms: { type: types } }])
        ]
        const search = { query: { bool: { filter } }, sort: [{ id: "asc" }], size }
        return Effect.map(keyed.now.cluster.search(recommendationIndex, search), (hits) =>
          hits.map(({ document }) => ({
            id: document.id,
            data: decodeData(document.data),
            status: document.status,
            updated_at: document.updatedAt,
            relevancy: document.relevancy
          }))
        )
      }
    })
  })
)

/** Writes the recommendations of a load. They replace the tenant's recommendations with the same ids. */
export const recommendationIndexer = (
  keyed: KeyedCluster["Service"],
  tenantId: number
): RecordIndexer<Recommendation> => ({
  csvColumns: recommendationColumns,
  prepare: prepareRecommendationsOf,
  publishedTogether: 10_000,
  idOf: ({ id }) => String(id),
  equal: () => false,
  write: (items) =>
    Effect.as(
      keyed.now.cluster.write(
        items.map(({ data, id, relevancy, status, updated_at }) => ({
          index: recommendationIndex,
          id: idOfTenant(tenantId, id),
          document: {
            tenantId,
            id,
            type: typeof data.type === "string" ? data.type : null,
            data: JSON.stringify(data),
            status,
            updatedAt: updated_at,
            relevancy
          }
        })),
        { refresh: false }
      ),
      { added: items.length, replaced: 0, unchanged: 0 }
    ),
  publish: Effect.suspend(() => keyed.now.cluster.refresh(recommendationIndex))
})

const decodeData = jsonDecoder(Schema.Record(Schema.String, Schema.Unknown))

const RecommendationDocument = Schema.Struct({
  tenantId: Schema.Int,
  id: Schema.Int,
  type: Schema.NullOr(Schema.String),
  /** JSON. */
  data: textFor(decodeData),
  status: Schema.String,
  updatedAt: Schema.NullOr(Schema.String),
  relevancy: Schema.NullOr(Schema.String)
})

type RecommendationDocument = typeof RecommendationDocument.Type

export const recommendationIndex = sealedIndex<RecommendationDocument>({
  name: "recommendations",
  version: 2,
  properties: {
    tenantId: { type: "long" },
    id: { type: "long" },
    type: { type: "keyword" },
    data: keptOnly,
    status: { type: "keyword" },
    updatedAt: keptOnly,
    relevancy: keptOnly,
    ...strictLoadFields
  },
  document: RecommendationDocument
})

export const recommendationsTransfer = defineTransfer({
  table: transferredRecommendations,
  index: recommendationIndex,
  toDocument: (document) => ({ id: idOfTenant(document.tenantId, document.id), document })
})
