/** Limits on the number of documents of a tenant that hold for simultaneous requests, also of several services. */
import { randomUUID } from "node:crypto"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { requestsOverUntil } from "../requests/Recovery.ts"
import type { Cluster, Query } from "./cluster/Cluster.ts"
import { sealedIndex } from "./cluster/DocumentSeal.ts"
import { TenantQueue } from "./cluster/TenantQueue.ts"
import { idOfTenant, type IndexShape } from "./cluster/IndexDefinition.ts"

/** The documents that a request is about to add. */
export interface Addition {
  readonly tenantId: number
  readonly index: IndexShape
  /** Ids may be those of present documents. */
  readonly ids: ReadonlyArray<string>
  /** Selects the present documents of the tenant. */
  readonly query: Query
  readonly max: number
}

/**
 * Returns undefined, and adds nothing, if the tenant would have more than `max` documents. Otherwise the ids are
 * reserved until the documents are visible, so that other requests count them. If `add` fails, some may be stored: the
 * reservation ends by itself when the request is over.
 */
export const addWithin = Effect.fnUntraced(function* <A, E>(
  cluster: Cluster["Service"],
  { ids, index, max, query, tenantId }: Addition,
  add: Effect.Effect<A, E>
) {
  const key = idOfTenant(tenantId, index.name)
  const name = yield* Effect.sync(() => randomUUID())
  const own = { name, ids, at: DateTime.formatIso(yield* DateTime.now) }
  const overUntil = yield* requestsOverUntil
  const change = reservationsOf(cluster, tenantId, key)
  const reserve = Effect.gen(function* () {
    for (;;) {
      const { others, replace } = yield* change
      // The answer to a write can be lost.
      if (others.some((other) => other.name === name)) return true
      const running = others.filter(({ at }) => at >= overUntil)
      const present = yield* cluster.hits(index, { size: max, _source: false, query })
      const all = [...present.map(({ _id }) => _id), ...running.flatMap((reservation) => reservation.ids), ...ids]
      if (new Set(all).size > max) return false
      if (yield* replace([...running, own])) return true
    }
  })
  const release = Effect.gen(function* () {
    for (;;) {
      const { others, replace } = yield* change
      const reserved = others.filter((other) => other.name !== name)
      if (reserved.length === others.length || (yield* replace(reserved))) return
    }
  })
  if (!(yield* turns.run(tenantId, reserve))) return undefined
  return yield* Effect.tap(add, turns.run(tenantId, release))
})

/** Without turns, simultaneous requests of a tenant would make each other repeat their changes. */
const turns = new TenantQueue({ maxRunning: 1_000, maxRunningOfTenant: 1 })

/** The reservations of a tenant, and how they are replaced, which fails if another request has changed them. */
const reservationsOf = (cluster: Cluster["Service"], tenantId: number, id: string) =>
  Effect.map(cluster.get(reservationIndex, id), (stored) => ({
    others: stored?.document.reserved ?? [],
    replace: (reserved: Reservations) => {
      const revision = stored === undefined ? { keep: true as const } : { revision: stored.revision }
      const change = reserved.length === 0 ? { remove: true as const } : { document: { tenantId, reserved } }
      const operation = { index: reservationIndex, id, ...change, ...revision }
      return Effect.map(cluster.write([operation], { refresh: false }), ({ kept }) => kept.length === 0)
    }
  }))

const Reservations = Schema.Array(
  Schema.Struct({
    name: Schema.String,
    ids: Schema.Array(Schema.String),
    /** ISO 8601. */
    at: Schema.String
  })
)
type Reservations = typeof Reservations.Type

const ReservationDocument = Schema.Struct({ tenantId: Schema.Int, reserved: Reservations })

export const reservationIndex = sealedIndex<typeof ReservationDocument.Type>({
  name: "reservations",
  version: 1,
  properties: { tenantId: { type: "long" }, reserved: { type: "object", enabled: false } },
  document: ReservationDocument
})
