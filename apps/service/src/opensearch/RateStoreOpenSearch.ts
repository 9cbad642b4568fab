import { randomUUID } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Cluster } from "./cluster/Cluster.ts"
import type { IndexDefinition } from "./cluster/IndexDefinition.ts"
import { RateStore } from "../limits/RateLimits.ts"

/** Each service has its own document, so that services never write the same one. */
export const RateStoreOpenSearch = Layer.effect(
  RateStore,
  Effect.gen(function* () {
    const cluster = yield* Cluster
    const service = yield* Effect.sync(() => randomUUID())
    let isPublished = false
    yield* Effect.addFinalizer(() => (isPublished ? cluster.remove(rateIndex, service) : Effect.void))
    return RateStore.of({
      exchange: Effect.fnUntraced(function* (admitted) {
        const now = yield* Clock.currentTimeMillis
        if (admitted.size > 0 || isPublished) {
          isPublished = admitted.size > 0
          if (isPublished) yield* cluster.put(rateIndex, service, { service, writtenAt: now, calls: [...admitted] })
          else yield* cluster.remove(rateIndex, service)
        }
        const hits = yield* cluster.all(rateIndex, { query: { match_all: {} }, sort: [{ service: "asc" }] })
        const others = hits.filter(({ id }) => id !== service)
        // A killed service leaves its document behind.
        for (const { document, id } of others) {
          if (document.writtenAt < now - abandonedAfter) yield* cluster.remove(rateIndex, id)
        }
        return new Map(others.map(({ document, id }) => [id, new Map(document.calls)]))
      })
    })
  })
)

/** Milliseconds: long enough to tolerate a difference between the clocks of two machines. */
const abandonedAfter = 600_000

const RateDocument = Schema.Struct({
  service: Schema.String,
  /** Milliseconds since 1970. */
  writtenAt: Schema.Int,
  calls: Schema.Array(
    Schema.Tuple([Schema.TemplateLiteral([Schema.Literals(["search", "basic"]), " ", Schema.Int]), Schema.Int])
  )
})

export const rateIndex: IndexDefinition<typeof RateDocument.Type> = {
  name: "rates",
  version: 1,
  properties: {
    service: { type: "keyword" },
    writtenAt: { type: "long", index: false },
    calls: { type: "object", enabled: false }
  },
  document: RateDocument
}
