/**
 * When events reached a tenant. An event that becomes visible later never has an earlier time.
 *
 * Each match has the number of an arrival. All matches of one event for one tenant share it, including those of later
 * versions of the event. Numbers are in the order in which events become visible: those of a load belong to its
 * generation, and those of identifiers that are created meanwhile to the published one. The time of a number is decided
 * when the first of its matches becomes visible (`arrival_times`), in the same transaction.
 */
import * as Schema from "effect/Schema"
import { column, type Connection, select } from "../database/Connection.ts"
import { generationsOf } from "../database/Generations.ts"
import { RecordForeign } from "../../requests/ForeignRecords.ts"

/** Reserves `count` numbers of new arrivals in the generation, and returns the first. */
export const reserveArrivals = (connection: Connection, generation: number, count: number): number => {
  const reserved = connection.first(reservedIn, generation)?.count ?? 0
  connection.replace("arrivals", { generation, count: reserved + count })
  const first = generation * arrivalsOfGeneration + reserved + 1
  const latest = connection.first(latestTime)
  if (latest === undefined) return first
  // An arrival cannot have a time before it has a number.
  if (latest.arrival >= first) throw new RecordForeign("arrival_times", String(latest.arrival))
  // The next time follows from both rows.
  connection.first(reservedIn, Math.floor(latest.arrival / arrivalsOfGeneration))
  return first
}

/** Stores that the identifier matches the events, some of which may already be stored as matches. */
export const storeMatches = (
  connection: Connection,
  identifier: number,
  ids: ReadonlyArray<string>,
  matchedAt: string
): void => {
  if (ids.length === 0) return
  const { begun, published } = generationsOf(connection, "events")
  const events = JSON.stringify(ids)
  const visible = reserveArrivals(connection, published, ids.length)
  connection.insert("arrival_times", { arrival: visible, materialized_at: connection.first(nextTime) ?? 0 })
  connection.run(
    `INSERT OR IGNORE INTO identifier_events (identifier_id, event_id, matched_at, tenant_id, arrival)
     SELECT i.id, e.id, ?, i.tenant_id, coalesce(
       (SELECT o.arrival FROM identifier_events o INDEXED BY events_of_tenant
        WHERE o.tenant_id = i.tenant_id AND o.event_id = e.id LIMIT 1),
       j.key + iif(e.added_in > ?, ?, ?))
     FROM identifiers i CROSS JOIN json_each(?) j CROSS JOIN events e ON e.id = CAST(j.value AS INTEGER) WHERE i.id = ?`,
    matchedAt,
    published,
    begun === published ? 0 : reserveArrivals(connection, begun, ids.length),
    visible,
    events,
    identifier
  )
  if (begun === published) return
  // The versions that a load has written share the arrivals of the versions which they will replace.
  connection.run(
    // Materialized: otherwise, SQLite would look up these versions for each match of the tenant.
    `WITH replacements AS MATERIALIZED (
       SELECT w.id, i.tenant_id, (
         SELECT o.arrival FROM identifier_events o INDEXED BY events_of_tenant
         WHERE o.tenant_id = i.tenant_id AND o.event_id = v.id LIMIT 1) AS arrival
       FROM identifiers i CROSS JOIN json_each(?) j CROSS JOIN events e ON e.id = CAST(j.value AS INTEGER)
         CROSS JOIN events v INDEXED BY events_by_uid ON v.uid = e.uid
         CROSS JOIN events w INDEXED BY events_by_uid ON w.uid = e.uid
       WHERE v.removed_in = ? AND w.added_in = ? AND i.id = ?
     )
     UPDATE identifier_events INDEXED BY events_of_tenant SET arrival = r.arrival FROM replacements r
     WHERE r.arrival IS NOT NULL AND identifier_events.tenant_id = r.tenant_id AND identifier_events.event_id = r.id`,
    events,
    begun,
    begun,
    identifier
  )
}

const arrivalsOfGeneration = 2 ** 30

/** The range of arrivals within these inclusive bounds of time. */
export const arrivalsBetween = (
  connection: Connection,
  { since, until }: { readonly since: number | undefined; readonly until: number | undefined }
): readonly [first: number, last: number] => {
  const last = (generationsOf(connection, "events").published + 1) * arrivalsOfGeneration - 1
  return [
    since === undefined ? 0 : arrivalFrom(connection, since),
    until === undefined ? last : Math.min(last, arrivalFrom(connection, until + 1) - 1)
  ]
}

/** The first arrival at this time or later. */
const arrivalFrom = (connection: Connection, time: number): number => {
  const before = connection.first(timeBefore, time)
  const next = connection.first(timeAfter, time)?.arrival ?? Number.MAX_SAFE_INTEGER
  return before === undefined ? 0 : Math.min(next, before.arrival + time - before.materialized_at)
}

/** An SQL expression for the time of an arrival, in microseconds since 1970. */
export const timeOfArrival = (arrival: string): string =>
  `(SELECT t.materialized_at + ${arrival} - t.arrival FROM arrival_times t
    WHERE t.arrival <= ${arrival} ORDER BY t.arrival DESC LIMIT 1)`

const nextTime = column(Schema.Int, "SELECT materialized_at FROM next_arrival")

/** The row of an arrival's time, which must leave room for later times. */
const ArrivalTime = Schema.Struct({
  arrival: Schema.Int,
  materialized_at: Schema.Int.check(Schema.isLessThan(2 ** 52))
})

const reservedIn = select(
  Schema.Struct({
    generation: Schema.Int,
    count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 29 }))
  }),
  "FROM arrivals WHERE generation = ?"
)

const latestTime = select(ArrivalTime, "FROM arrival_times ORDER BY arrival DESC LIMIT 1")

const timeBefore = select(
  ArrivalTime,
  "FROM arrival_times WHERE materialized_at <= ? ORDER BY materialized_at DESC LIMIT 1"
)

const timeAfter = select(ArrivalTime, "FROM arrival_times WHERE materialized_at > ? ORDER BY materialized_at LIMIT 1")
