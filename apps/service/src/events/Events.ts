import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { defaultSize } from "@threat-exposure/core/domain/Credential"
import {
  EventQuery,
  type EventSearch,
  EventStatus,
  type IdentifierEventSearch,
  maxExpanded,
  type TenantEventFilters,
  type TenantEventSearch,
  tenantEventTypes
} from "@threat-exposure/core/domain/Event"
import { severities, type Severity } from "@threat-exposure/core/domain/Severity"
import { TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import { cursors } from "../crypto/Cursor.ts"
import { answerWithQuota } from "../limits/LimitHeaders.ts"
import { Quota } from "../limits/Quota.ts"
import { searchName } from "../limits/SearchQuota.ts"
import { expressionOf } from "../matching/EventQueries.ts"
import { groupOf, typesFoundAs } from "../matching/EventTypes.ts"
import { microsecondsOf } from "../requests/Microseconds.ts"
import { answerEncoded, answerJson, type OperationHandlers } from "../requests/OperationHandlers.ts"
import type { RequestCheck } from "../requests/RequestDecoder.ts"
import { invalidCursor } from "../requests/ValidationFaults.ts"
import { noAnnotation } from "./EventAnnotations.ts"
import { expandList } from "./EventExpansion.ts"
import { isUnknownType, type SearchedTypes, searchFaults } from "./SearchFaults.ts"
import { type EventPage, EventStore, type ListingFilters, type MatchedTo } from "./EventStore.ts"
import { makeValidationFailed } from "../ExpectedFailure.ts"

/** Events: one data set for all tenants, and the matches of each tenant's identifiers in it. */
export const eventHandlers = Effect.gen(function* () {
  const store = yield* EventStore
  const quota = yield* Quota
  const current = yield* CurrentVault

  const prepare = Effect.fnUntraced(function* (
    tenantId: number,
    matchedTo: MatchedTo,
    { filters, from, order = "desc", query, size = defaultSize }: AnySearch
  ) {
    const { vault } = current
    const given = query === undefined ? undefined : encodeQuery(query)
    const bound = ["events", tenantId, matchedTo ?? null, given ?? null, filters ?? null, order]
    const opened = from == null ? Result.succeed(undefined) : eventCursors.decode(vault, bound, from)
    const searched = matchedTo === undefined ? "global" : typeof matchedTo === "number" ? "identifier" : "tenant"
    const hasUnknownType = filters?.type?.some((type) => isUnknownType(type, searched)) === true
    const isRefused = Result.isFailure(opened) || hasUnknownType
    // Recognising secrets takes most of the time, so a search that is refused for another reason skips it.
    const expression = given === undefined || isRefused ? Result.succeed(undefined) : expressionOf(vault, given)
    if (Result.isFailure(expression) || isRefused) {
      const faults = searchFaults(vault, { query: given, filters }, searched)
      const detail = Result.isFailure(opened) ? [...faults, invalidCursor("body")] : faults
      return yield* Effect.fail(makeValidationFailed(detail))
    }
    const [at, uid, position] = opened.success ?? [undefined, undefined, 0]
    return {
      found: store.page({
        tenantId,
        matchedTo,
        expression: expression.success,
        keyId: vault.keyId,
        filters: filtersOf(filters ?? {}, searched === "tenant" ? ["open"] : undefined),
        order,
        size,
        after: at === undefined ? undefined : { at, uid }
      }),
      position,
      // Filters are not part of the name: the same query with other filters is the same search.
      name: searchName(vault, tenantId, `events ${JSON.stringify(given ?? null)}`),
      jsonOf: ({ count, items, last }: EventPage): string =>
        `{"items":${items},"next":${JSON.stringify(
          last === undefined ? null : eventCursors.encode(vault, bound, [last.at, last.uid, position + count])
        )}}`
    }
  })

  const check =
    (searched: SearchedTypes): RequestCheck =>
    ({ body }) =>
      Effect.sync(() => searchFaults(current.vault, body, searched))

  return {
    search: {
      check: check("global"),
      handle: Effect.fn("Events.search")(function* ({ payload }, { tenantId }) {
        const { found, jsonOf, name, position } = yield* prepare(tenantId, undefined, payload)
        // A search without an identifier cannot fail with `NotFound`.
        const { left, page } = yield* quota.charge({ tenantId, search: name, position }, () => Effect.orDie(found))
        return answerWithQuota(jsonOf(page), left)
      })
    },

    ofIdentifier: {
      check: check("identifier"),
      handle: Effect.fn("Events.ofIdentifier")(function* ({ params, payload }, { tenantId }) {
        const { found, jsonOf } = yield* prepare(tenantId, params.identifier_id, payload)
        return answerJson(jsonOf(yield* found))
      })
    },

    ofTenant: {
      check: check("tenant"),
      handle: Effect.fn("Events.ofTenant")(function* ({ payload }, { tenantId }) {
        const { found, jsonOf } = yield* prepare(tenantId, "tenant", payload)
        // A search without a named identifier or group cannot fail with `NotFound`.
        return answerJson(jsonOf(yield* Effect.orDie(found)))
      })
    },

    ofGroup: {
      check: check("tenant"),
      handle: Effect.fn("Events.ofGroup")(function* ({ params, payload }, { tenantId }) {
        const { found, jsonOf } = yield* prepare(tenantId, { group: params.group_id }, payload)
        return answerJson(jsonOf(yield* found))
      })
    },

    get: Effect.fn("Events.get")(function* ({ query }, { tenantId }) {
      const stored = yield* store.get(tenantId, query.uid)
      return yield* Effect.orDie(decodeEvent(stored))
    }),

    expand: Effect.fn("Events.expand")(function* ({ query: { field, from, size = maxExpanded, uid } }, { tenantId }) {
      const { after: [start] = [0], page } = yield* expansionCursors.open(
        current.vault,
        ["expansion", tenantId, uid, field],
        from
      )
      const { data } = yield* store.get(tenantId, uid)
      return answerEncoded(page(expandList(data, field).slice(start), size, () => [start + size]))
    }),

    types: () => Effect.succeed(eventTypeList),
    severities: () => Effect.succeed(severityList),

    act: Effect.fn("Events.act")(function* ({ payload: { action, targets } }, { tenantId }) {
      const uids = [...new Set(targets.map(({ uid }) => uid))]
      const now = DateTime.formatIso(yield* DateTime.now)
      yield* store.annotate(tenantId, uids, { _tag: "Action", action: action.type, now })
    }),

    annotate: Effect.fn("Events.annotate")(function* (
      { payload: { notes, severity, tags }, query: { uid } },
      { tenantId }
    ) {
      const [annotation = noAnnotation(uid)] = yield* store.annotate(tenantId, [uid], {
        _tag: "Annotation",
        ...(tags === undefined ? undefined : { tags: [...new Set(tags)] }),
        ...(notes === undefined ? undefined : { notes: notes ?? "" }),
        ...(severity === undefined ? undefined : { severity })
      })
      return { uid, notes: annotation.notes, tags: annotation.tags, severity: annotation.severity }
    })
  } satisfies OperationHandlers["events"]
})

/** The sort key of the last event, and the number of items so far, which determines the cost of later pages. */
const eventCursors = cursors(Schema.Tuple([Schema.Int, Schema.String, Schema.Int]))

/** The position in the list. */
const expansionCursors = cursors(Schema.Tuple([Schema.Int]))

type AnySearch = EventSearch | IdentifierEventSearch | TenantEventSearch

type AnyFilters = Omit<TenantEventFilters, "type"> & { readonly type?: ReadonlyArray<string> }

/** All filters of a search. Those of the other searches are subsets of the tenant search. */
const filtersOf = (filters: AnyFilters, defaultStatuses: ReadonlyArray<EventStatus> | undefined): ListingFilters => {
  const { estimated_created_at: created, materialized_at: arrived, tags, type: types = [] } = filters
  const wanted = [
    filters.status,
    filters.is_ignored === true ? ["ignored"] : undefined,
    filters.is_remediated === true ? ["remediated"] : undefined
  ]
  return {
    types: types.length === 0 ? undefined : typesFoundAs(types),
    severities: severitiesOf(filters.severity ?? severities),
    since: sinceOf(created),
    until: untilOf(created),
    arrivedSince: sinceOf(arrived),
    arrivedUntil: untilOf(arrived),
    tags: tags?.length === 0 ? undefined : tags,
    statuses: wanted.every((statuses) => statuses === undefined)
      ? defaultStatuses
      : EventStatus.literals.filter((each) => wanted.every((statuses) => statuses?.includes(each) !== false))
  }
}

/** A single severity selects itself and all higher ones. Undefined if all severities are selected. */
const severitiesOf = (wanted: Severity | ReadonlyArray<Severity>): ReadonlyArray<Severity> | undefined => {
  const selected =
    typeof wanted === "string"
      ? severities.slice(severities.indexOf(wanted))
      : severities.filter((severity) => wanted.includes(severity))
  return selected.length === severities.length ? undefined : selected
}

type TimeRange = NonNullable<TenantEventFilters["materialized_at"]>

const sinceOf = ({ gt, gte }: TimeRange = {}) => boundary(Math.max, [gt, 1], [gte, 0])
const untilOf = ({ lt, lte }: TimeRange = {}) => boundary(Math.min, [lt, -1], [lte, 0])

/** The narrower of two bounds, as an inclusive one in microseconds: an exclusive bound is moved by one. */
const boundary = (
  narrower: (...values: ReadonlyArray<number>) => number,
  ...bounds: ReadonlyArray<readonly [timestamp: string | undefined, moved: number]>
): number | undefined => {
  const values = bounds.flatMap(([timestamp, moved]) => {
    const microseconds = timestamp === undefined ? undefined : microsecondsOf(timestamp)
    return microseconds === undefined ? [] : [microseconds + moved]
  })
  return values.length === 0 ? undefined : narrower(...values)
}

const encodeQuery = Schema.encodeSync(EventQuery)
const decodeEvent = Schema.decodeUnknownEffect(TypedEvent)

const labelOf = (value: string): string => `${value.charAt(0).toUpperCase()}${value.slice(1).replaceAll("_", " ")}`

const categoryOf = (type: string): string => groupOf(type) ?? "other"

/** The categories with their types, in the order of the contract. */
const eventTypeList = {
  categories: [...Map.groupBy(tenantEventTypes, categoryOf)].map(([value, types]) => ({
    value,
    label: labelOf(value),
    types: types.map((type) => ({ value: type, label: labelOf(type) }))
  }))
}

const colors = { info: "#6b7280", low: "#2563eb", medium: "#ca8a04", high: "#ea580c", critical: "#dc2626" } as const

/** The severities, from least to most severe. */
const severityList = {
  severities: severities.map((value) => ({ value, label: labelOf(value), color: colors[value] }))
}
