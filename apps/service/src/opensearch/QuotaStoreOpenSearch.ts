import { randomUUID } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { keyIndex } from "./KeyStoreOpenSearch.ts"
import { Cluster } from "./cluster/Cluster.ts"
import { idOfTenant, type IndexDefinition } from "./cluster/IndexDefinition.ts"
import { transferredQuota } from "../transfer/TransferredTables.ts"
import { defineTransfer } from "./cluster/ClusterTransfer.ts"
import { QuotaStore } from "../limits/Quota.ts"
import { freeAgainWithin } from "../limits/SearchQuota.ts"

export const QuotaStoreOpenSearch = Layer.effect(
  QuotaStore,
  Effect.gen(function* () {
    const cluster = yield* Cluster
    const service = yield* Effect.sync(() => randomUUID())
    let number = 0
    let readUntil = 0
    return QuotaStore.of({
      used: (tenantId, month) =>
        Effect.map(cluster.get(quotaIndex, idOfTenant(tenantId, month)), (stored) => ({
          units: stored?.document.units ?? 0,
          batch: stored?.document.batches?.[service]
        })),
      add: ({ number: batch, uses }) =>
        Effect.forEach(
          uses,
          Effect.fnUntraced(function* ({ month, tenantId, units }) {
            const id = idOfTenant(tenantId, month)
            yield* cluster.update(quotaIndex, id, (use) => {
              const { [service]: last = 0, ...others } = use?.batches ?? {}
              if (last >= batch) return undefined
              const latest = Object.entries(others).slice(-maxServices)
              const batches = { ...Object.fromEntries(latest), [service]: batch }
              return { tenantId, month, units: (use?.units ?? 0) + units, batches }
            })
            // The deletion of a tenant begins with its keys: if they are gone, it may have missed this document.
            if ((yield* cluster.count(keyIndex, { term: { tenantId } })) === 0) yield* cluster.remove(quotaIndex, id)
          }),
          { discard: true, concurrency: 8 }
        ),
      exchangePaid: Effect.fnUntraced(function* (paid) {
        const now = yield* Clock.currentTimeMillis
        if (paid.size > 0) {
          number += 1
          yield* cluster.put(paidIndex, `${service}:${number}`, { service, number, writtenAt: now, paid: [...paid] })
        }
        const oldest = now - freeAgainWithin
        // After the clock was set back, `readUntil` is in the future, and newer documents of others are unread.
        const since = readUntil > now ? oldest : Math.max(oldest, readUntil - readAgain)
        const hits = yield* cluster.all(paidIndex, {
          query: {
            bool: {
              filter: [{ range: { writtenAt: { gte: since } } }],
              must_not: [{ term: { service } }]
            }
          },
          sort: [{ service: "asc" }, { number: "asc" }]
        })
        if (Math.floor(now / freeAgainWithin) > Math.floor(readUntil / freeAgainWithin)) {
          yield* cluster.removeAll(paidIndex, { range: { writtenAt: { lt: oldest - readAgain } } })
        }
        readUntil = now
        return new Map(hits.flatMap(({ document }) => document.paid))
      })
    })
  })
)

/** Milliseconds to read again. A document of another service may become visible after its time, and clocks differ. */
const readAgain = 10_000

/** The payments that one service published in one exchange. */
const PaidDocument = Schema.Struct({
  service: Schema.String,
  number: Schema.Int,
  /** Milliseconds since 1970. */
  writtenAt: Schema.Int,
  paid: Schema.Array(Schema.Tuple([Schema.String, Schema.Int]))
})

export const paidIndex: IndexDefinition<typeof PaidDocument.Type> = {
  name: "paid-searches",
  version: 1,
  properties: {
    service: { type: "keyword" },
    number: { type: "long" },
    writtenAt: { type: "long" },
    paid: { type: "object", enabled: false }
  },
  document: PaidDocument
}

const QuotaDocument = Schema.Struct({
  tenantId: Schema.Int,
  month: Schema.String,
  units: Schema.Int,
  /** The number of the last batch of each service, for the last services that wrote this document. */
  batches: Schema.optionalKey(Schema.Record(Schema.String, Schema.Int))
})

/** A service that repeats a batch does so within seconds; far fewer services write in that time. */
const maxServices = 32

export const quotaIndex: IndexDefinition<typeof QuotaDocument.Type> = {
  name: "quota-use",
  version: 1,
  properties: {
    tenantId: { type: "long" },
    month: { type: "keyword" },
    units: { type: "long" },
    batches: { type: "object", enabled: false }
  },
  document: QuotaDocument
}

export const quotaTransfer = defineTransfer({
  table: transferredQuota,
  index: quotaIndex,
  toDocument: (document) => ({ id: idOfTenant(document.tenantId, document.month), document })
})
