/** Selects the events of a listing, in its order. */
import type { EventQuery, EventSearch, IdentifierEventSearch } from "@threat-exposure/core/domain/Event"
import { severities, type Severity } from "@threat-exposure/core/domain/Severity"
import * as Schema from "effect/Schema"
import { typesExpression } from "../matching/EventQueries.ts"
import { typesFoundAs } from "../matching/EventTypes.ts"
import { and, type Expression, matchAll, or, termExpression } from "../search/Expression.ts"
import { type Parameter, query } from "../sqlite/Connection.ts"
import { fullTextQuery } from "../sqlite/FullTextQuery.ts"
import { microsecondsOf } from "../requests/Microseconds.ts"
import type { OpenDatabase } from "../sqlite/Procedure.ts"
import type { Slice, SliceInput } from "../sqlite/SlicedSearch.ts"
import { compareEvents, type EventSortKey, firstIdOf, firstMicrosecondOf, orderedUid, slotOf } from "./EventOrder.ts"

/** A search with its secrets in clear, because it crosses to another thread. Never log it. */
export interface EventListing {
  readonly tenantId: number
  /** Undefined for the whole data set. */
  readonly identifierId: number | undefined
  readonly query: typeof EventQuery.Encoded | undefined
  /** The expression of the query; undefined without a query. */
  readonly sought: Expression | undefined
  readonly filters: IdentifierEventSearch["filters"] | EventSearch["filters"]
  readonly order: "asc" | "desc"
  readonly size: number
  readonly after: ListingPosition | undefined
}

export interface ListingPosition {
  /** The sort key of the last item of the previous page. */
  readonly key: EventSortKey
  /** The number of items before it; decides the quota that later pages cost. */
  readonly position: number
}

export interface SelectedEvent extends EventSortKey {
  readonly id: string
}

/** The progress of a search. */
export interface SelectionProgress {
  readonly selected: ReadonlyArray<SelectedEvent>
  /** The start of the rest of the data set; undefined for all of it. */
  readonly from: bigint | undefined
  /** The number of events in the next range. */
  readonly rangeSize: number
}

/**
 * The events of the listing's next page, and one more if there is one.
 *
 * The engine cannot be stopped within a statement, so the data set is searched range by range. Each range is as large as
 * the time that the last one took allows.
 */
export const selectEvents = (
  database: OpenDatabase,
  { input: listing, progress, time }: SliceInput<EventListing, SelectionProgress>,
  firstRange = 10_000
): Slice<SelectionProgress, ReadonlyArray<SelectedEvent>> => {
  const { after, order, size } = listing
  const sliceEnd = performance.now() + time
  const wanted = size + 1
  const { byId, inSlot } = statements(database, listing)
  const compare = order === "asc" ? compareEvents : (a: EventSortKey, b: EventSortKey) => compareEvents(b, a)
  const start = after === undefined ? undefined : slotOf(after.key.createdAt)
  const selected = [...(progress?.selected ?? (start === undefined ? [] : inSlot(start, after?.key, wanted)))]
  let from = progress === undefined && start !== undefined ? start + (order === "asc" ? 1n : 0n) : progress?.from
  let rangeSize = progress?.rangeSize ?? firstRange
  while (selected.length < wanted) {
    const startedAt = performance.now()
    const to = endOfRange(database, order, from, rangeSize)
    const missing = wanted - selected.length
    const rows = byId(from, to, missing * 2)
    const isAll = rows.length < missing * 2
    const lastSlot = slotOf(rows.at(-1)?.createdAt ?? 0)
    // The last slot may hold more events than were read.
    selected.push(...rows.filter(({ createdAt }) => isAll || slotOf(createdAt) !== lastSlot).toSorted(compare))
    if (!isAll && selected.length < wanted) selected.push(...inSlot(lastSlot, undefined, wanted - selected.length))
    if (to === undefined) break
    from = to
    const growth = rangeTime / Math.max(performance.now() - startedAt, rangeTime / mostGrowth)
    rangeSize = Math.max(1, Math.round(rangeSize * growth))
    if (selected.length < wanted && performance.now() >= sliceEnd) {
      return { isDone: false, progress: { selected, from, rangeSize } }
    }
  }
  return { isDone: true, output: selected.slice(0, wanted) }
}

/** A search that is this fast reads the rest at once: counting the events of a range would take longer. */
const largestRange = 2_000_000
/** Milliseconds that a range should take. */
const rangeTime = 20
const mostGrowth = 16

/** The first slot after the range in the direction of the listing; undefined where the range is the rest. */
const endOfRange = (
  { connection }: OpenDatabase,
  order: "asc" | "desc",
  from: bigint | undefined,
  rangeSize: number
): bigint | undefined => {
  if (rangeSize > largestRange) return undefined
  const isAscending = order === "asc"
  const last = connection.first(
    lastOfRange[order],
    from === undefined ? (isAscending ? -farthest : farthest) : firstMicrosecondOf(from),
    rangeSize
  )?.created_at
  return last === undefined ? undefined : slotOf(last) + (isAscending ? 1n : 0n)
}

const farthest = 2 ** 53

const eventTime = Schema.Struct({ created_at: Schema.Int })

const lastOfRange = {
  asc: query(eventTime, "SELECT created_at FROM events WHERE created_at >= ? ORDER BY created_at LIMIT 1 OFFSET ? + 0"),
  desc: query(
    eventTime,
    "SELECT created_at FROM events WHERE created_at < ? ORDER BY created_at DESC LIMIT 1 OFFSET ? + 0"
  )
}

const statements = (database: OpenDatabase, listing: EventListing) => {
  const { connection } = database
  const { order } = listing
  const { conditions, id, parameters, source } = selectionOf(database, listing)
  const descending = order === "desc"
  const run = (more: ReadonlyArray<string>, sort: string, values: ReadonlyArray<Parameter>, limit: number) => {
    const where = [...conditions, ...more]
    // The planner looks at the value of a bare `LIMIT ?`, so such a statement would be prepared anew each time.
    const sql = `SELECT CAST(e.id AS TEXT) AS id, e.created_at AS createdAt, e.uid FROM ${source}
      ${where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`} ORDER BY ${sort} LIMIT ? + 0`
    return connection.all({ sql, decode: decodeRows }, ...parameters, ...values, limit)
  }
  return {
    /** In the order of ids, from one boundary between slots to the other. */
    byId: (from: bigint | undefined, to: bigint | undefined, limit: number) => {
      const [low, high] = descending ? [to, from] : [from, to]
      return run(
        [...(low === undefined ? [] : [`${id} >= ?`]), ...(high === undefined ? [] : [`${id} < ?`])],
        `${id} ${order}`,
        [low, high].flatMap((slot) => (slot === undefined ? [] : [firstIdOf(slot)])),
        limit
      )
    },
    /** The events of a slot in the order of the listing, after `key`. */
    inSlot: (slot: bigint, key: EventSortKey | undefined, limit: number) => {
      const comparison = descending ? "<" : ">"
      return run(
        [
          `${id} >= ? AND ${id} < ?`,
          ...(key === undefined
            ? []
            : [`(e.created_at ${comparison} ? OR e.created_at = ? AND ${uidOrder} ${comparison} ?)`])
        ],
        `e.created_at ${order}, ${uidOrder} ${order}`,
        [
          firstIdOf(slot),
          firstIdOf(slot + 1n),
          ...(key === undefined ? [] : [key.createdAt, key.createdAt, orderedUid(key.uid) ?? key.uid])
        ],
        limit
      )
    }
  }
}

const uidOrder = "coalesce(e.uid_order, e.uid)"

const decodeRows = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ id: Schema.String, createdAt: Schema.Int, uid: Schema.String }))
)

/** What the listing's query and filters select, as parts of a statement. `id` is the column that gives the order. */
const selectionOf = (
  { vault }: OpenDatabase,
  { filters = {}, identifierId, sought = matchAll, tenantId }: EventListing
) => {
  const parameters: Array<Parameter> = []
  const conditions: Array<string> = []
  const given = (sql: string, ...values: ReadonlyArray<Parameter>) => {
    conditions.push(sql)
    parameters.push(...values)
  }

  const types = filters.type ?? []
  const wanted = filters.severity === undefined ? severities : severitiesOf(filters.severity)
  // Of the whole data set the index finds rare types sooner than a walk over all events; an identifier has few events.
  const expression =
    identifierId === undefined
      ? and(
          sought,
          types.length === 0 ? matchAll : typesExpression(types),
          wanted.length === severities.length
            ? matchAll
            : or(...wanted.map((value) => termExpression({ kind: "severity", value })))
        )
      : sought
  const indexed = expression._tag !== "MatchAll"
  const id = indexed ? "event_index.rowid" : identifierId === undefined ? "e.id" : "m.event_id"

  // CROSS JOIN keeps the table in the order of ids outermost, so that rows need no sorting.
  let source = indexed ? "event_index CROSS JOIN events e ON e.id = event_index.rowid" : "events e"
  if (identifierId !== undefined) {
    source = indexed
      ? "event_index CROSS JOIN identifier_events m ON m.event_id = event_index.rowid CROSS JOIN events e ON e.id = m.event_id"
      : "identifier_events m CROSS JOIN events e ON e.id = m.event_id"
  }
  parameters.push(tenantId)
  if (indexed) given("event_index MATCH ?", fullTextQuery(vault, expression))
  if (identifierId !== undefined) given("m.identifier_id = ?", identifierId)

  if (types.length > 0) given("e.type IN (SELECT value FROM json_each(?))", JSON.stringify(typesFoundAs(types)))
  if (filters.severity !== undefined) {
    given("e.severity IN (SELECT value FROM json_each(?))", JSON.stringify(wanted))
  }
  for (const [name, { comparison, isLower }] of timeBounds) {
    const time = filters.estimated_created_at?.[name]
    const microseconds = time === undefined ? undefined : microsecondsOf(time)
    if (microseconds === undefined) continue
    const slot = slotOf(microseconds)
    given(`${id} ${isLower ? ">=" : "<"} ?`, firstIdOf(isLower ? slot : slot + 1n))
    given(`e.created_at ${comparison} ?`, microseconds)
  }
  if ("tags" in filters && filters.tags !== undefined && filters.tags.length > 0) {
    given(
      "NOT EXISTS (SELECT 1 FROM json_each(?) wanted WHERE wanted.value NOT IN (SELECT value FROM json_each(coalesce(a.tags, '[]'))))",
      JSON.stringify(filters.tags)
    )
  }
  if ("status" in filters && filters.status !== undefined) {
    given(`${status} IN (SELECT value FROM json_each(?))`, JSON.stringify(filters.status))
  }
  if ("is_ignored" in filters && filters.is_ignored === true) conditions.push(`${status} = 'ignored'`)
  if ("is_remediated" in filters && filters.is_remediated === true) conditions.push(`${status} = 'remediated'`)

  return {
    id,
    source: `${source} LEFT JOIN event_annotations a ON a.tenant_id = ? AND a.uid = e.uid`,
    conditions,
    parameters
  }
}

const timeBounds = [
  ["gt", { comparison: ">", isLower: true }],
  ["gte", { comparison: ">=", isLower: true }],
  ["lt", { comparison: "<", isLower: false }],
  ["lte", { comparison: "<=", isLower: false }]
] as const

const status =
  "CASE WHEN a.remediated_at IS NOT NULL THEN 'remediated' WHEN a.ignored_at IS NOT NULL THEN 'ignored' ELSE 'open' END"

const severitiesOf = (wanted: Severity | ReadonlyArray<Severity>): ReadonlyArray<Severity> =>
  typeof wanted === "string"
    ? severities.slice(severities.indexOf(wanted))
    : severities.filter((severity) => wanted.includes(severity))
