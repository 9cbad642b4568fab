/**
 * When findings reached their tenant. A listing by that time must never show a later finding with an earlier time,
 * whichever service stored it.
 *
 * A finding is stored without a time. The service that stored it, or any other if that one was killed, reads the
 * visible findings without a time, reserves times for them, and writes each finding unless it was changed since; if
 * several services do so, one succeeds. Once no finding lacks a time, all times that were reserved before are in the
 * index, and `visible` rises to the last of them. A listing by this time shows findings up to `visible`.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Cluster, SortValues } from "../cluster/Cluster.ts"
import { sealedIndex } from "../cluster/DocumentSeal.ts"
import { findingIndex } from "./EventIndex.ts"

/**
 * Gives a time to every visible finding that has none, and makes these times visible. Runs one at a time: simultaneous
 * requests would write the same findings, and all but one would fail. Which findings are visible depends on the state
 * of the cluster.
 */
export const materialize = (cluster: Cluster["Service"]) => cluster.materializing.join(cluster, assignTimes(cluster))

const assignTimes = Effect.fnUntraced(function* (cluster: Cluster["Service"]) {
  for (;;) {
    const { reserved } = yield* timesOf(cluster)
    yield* cluster.refresh(findingIndex)
    let found = yield* readUntimed(cluster)
    if (found.length === 0) {
      yield* cluster.update(materializationIndex, documentId, (times = none) =>
        times.visible < reserved ? { ...times, visible: reserved } : undefined
      )
      return
    }
    // Pages follow each other without a refresh: a search does not see the times of the page before.
    let given: ReadonlyMap<string, number> = new Map()
    do {
      given = yield* assignTimesTo(cluster, found, given)
      found = found.length < findingsAtOnce ? [] : yield* readUntimed(cluster, findingsAtOnce, found.at(-1)?.sort)
    } while (found.length > 0)
  }
})

/** Returns the times of the events. The findings of an event follow each other, so `before` are those of the page before. */
const assignTimesTo = Effect.fnUntraced(function* (
  cluster: Cluster["Service"],
  found: ReadonlyArray<Finding>,
  before: ReadonlyMap<string, number>
) {
  const known = new Map([...before, ...(yield* timesOfEvents(cluster, found))])
  const fresh = [...new Set(found.map(keyOf).filter((key) => !known.has(key)))]
  const first = fresh.length === 0 ? 0 : yield* reserve(cluster, fresh.length)
  for (const [at, key] of fresh.entries()) known.set(key, first + at)
  yield* cluster.write(
    found.map((finding) => ({
      index: findingIndex,
      id: finding.id,
      document: { ...finding.source, materialized_at: known.get(keyOf(finding)) },
      revision: finding.revision
    })),
    { refresh: false }
  )
  return new Map(found.map((finding) => [keyOf(finding), known.get(keyOf(finding)) ?? 0]))
})

/** Completes findings that a killed service left without a time. */
export const completeMaterialization = Effect.fnUntraced(function* (cluster: Cluster["Service"]) {
  const { reserved, visible } = yield* timesOf(cluster)
  if (visible < reserved || (yield* readUntimed(cluster, 1)).length > 0) yield* materialize(cluster)
})

/** The latest time that listings show. */
export const lastVisibleTime = (cluster: Cluster["Service"]) => Effect.map(timesOf(cluster), ({ visible }) => visible)

const Times = Schema.Struct({ reserved: Schema.Int, visible: Schema.Int })
type Times = typeof Times.Type

const none: Times = { reserved: 0, visible: 0 }

/**
 * A single document with two times in microseconds since 1970: the last one reserved, and the last one that listings
 * show.
 */
export const materializationIndex = sealedIndex<Times>({
  name: "materialization",
  version: 2,
  properties: { reserved: { type: "long" }, visible: { type: "long" } },
  document: Times
})

const documentId = "times"

/**
 * Without a stored document, continues after the latest finding: findings that were copied from a database have times
 * that were not reserved here.
 */
const timesOf = Effect.fnUntraced(function* (cluster: Cluster["Service"]) {
  const stored = (yield* cluster.get(materializationIndex, documentId))?.document
  if (stored !== undefined) return stored
  const [latest] = yield* cluster.search(findingIndex, {
    query: { exists: { field: "materialized_at" } },
    sort: [{ materialized_at: "desc" }],
    size: 1
  })
  const last = latest?.document.materialized_at ?? 0
  yield* cluster.put(materializationIndex, documentId, { reserved: last, visible: last }, "absent")
  return (yield* cluster.get(materializationIndex, documentId))?.document ?? none
})

/** Reserves `count` points in time, a microsecond apart, and returns the first. */
const reserve = Effect.fnUntraced(function* (cluster: Cluster["Service"], count: number) {
  const now = (yield* Clock.currentTimeMillis) * 1_000
  const times = yield* cluster.update(materializationIndex, documentId, (times = none) => ({
    ...times,
    reserved: Math.max(now - 1, times.reserved) + count
  }))
  return (times ?? none).reserved - count + 1
})

interface Finding {
  readonly id: string
  readonly source: typeof Source.Type
  readonly revision: { readonly seqNo: number; readonly primaryTerm: number }
  readonly sort: SortValues
}

const keyOf = ({ source: { event, tenantId } }: Pick<Finding, "source">): string => `${tenantId}:${event}`

const readUntimed = Effect.fnUntraced(function* (
  cluster: Cluster["Service"],
  size = findingsAtOnce,
  after?: SortValues
) {
  const hits = yield* cluster.hits(findingIndex, {
    size,
    ...(after === undefined ? {} : { search_after: after }),
    seq_no_primary_term: true,
    query: {
      bool: {
        // This program always writes these fields.
        filter: [{ exists: { field: "tenantId" } }, { exists: { field: "event" } }],
        must_not: [{ exists: { field: "materialized_at" } }, ...cluster.unpublished]
      }
    },
    sort: [{ created_at: "asc" }, { uid_order: "asc" }, { identifier: "asc" }]
  })
  return hits.flatMap(({ _id, _primary_term = 0, _seq_no = 0, _source, sort = [] }): ReadonlyArray<Finding> => {
    const source = decodeSource(_source)
    if (Option.isNone(source)) return []
    return [{ id: _id, source: source.value, revision: { seqNo: _seq_no, primaryTerm: _primary_term }, sort }]
  })
})

/** Findings per bulk request. Each is written again as a whole. */
const findingsAtOnce = 500

/**
 * The times that events already have: the findings of all identifiers of a tenant share the time of the event's first
 * match.
 */
const timesOfEvents = Effect.fnUntraced(function* (cluster: Cluster["Service"], found: ReadonlyArray<Finding>) {
  const ofTenants = yield* Effect.forEach(
    Map.groupBy(found, ({ source }) => source.tenantId),
    ([tenantId, findings]) => {
      const events = [...new Set(findings.map(({ source }) => source.event))]
      const hits = cluster.hits(findingIndex, {
        size: events.length,
        query: {
          bool: {
            filter: [{ terms: { event: events } }, { term: { tenantId } }, { exists: { field: "materialized_at" } }]
          }
        },
        // One finding per event, however many identifiers it matches.
        collapse: { field: "event" },
        sort: [{ materialized_at: "asc" }],
        _source: ["tenantId", "event", "materialized_at"]
      })
      return Effect.map(hits, (hits) =>
        hits.flatMap(({ _source }) =>
          Option.match(decodeTimed(_source), {
            onNone: () => [],
            onSome: ({ materialized_at, ...source }) => [[keyOf({ source }), materialized_at] as const]
          })
        )
      )
    },
    { concurrency: 8 }
  )
  return new Map(ofTenants.flat())
})

const Source = Schema.Struct({ tenantId: Schema.Int, event: Schema.String })

const decodeTimed = Schema.decodeUnknownOption(Schema.Struct({ ...Source.fields, materialized_at: Schema.Int }))

const decodeSource = Schema.decodeUnknownOption(
  Schema.StructWithRest(Source, [Schema.Record(Schema.String, Schema.Unknown)])
)
