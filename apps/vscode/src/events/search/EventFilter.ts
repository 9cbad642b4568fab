/** The event filter of a view, stored across restarts. See docs/api.md#search-events-of-an-identifier. */
import {
  type EventFilters,
  EventStatus,
  globalEventTypes,
  identifierEventTypes,
  type IdentifierEventFilters,
  type TenantEventFilters
} from "@threat-exposure/core/domain/Event"
import { isAtLeast, type ReportedSeverity, severities, Severity } from "@threat-exposure/core/domain/Severity"
import { DateOrTimestamp } from "@threat-exposure/core/domain/Timestamp"
import { Schema } from "effect"
import { ofSeveral, t } from "../../words/Localisation.ts"
import { nameOfType } from "../../words/TypeNames.ts"
import { recall } from "../../editor/Memento.ts"
import { type AnyEvent, stateOf } from "../AnyEvent.ts"

const Bounds = Schema.Struct({
  gt: Schema.optionalKey(DateOrTimestamp),
  gte: Schema.optionalKey(DateOrTimestamp),
  lt: Schema.optionalKey(DateOrTimestamp),
  lte: Schema.optionalKey(DateOrTimestamp)
})

export const EventFilter = Schema.Struct({
  severity: Schema.optionalKey(Schema.Union([Severity, Schema.Array(Severity)])),
  type: Schema.optionalKey(Schema.Array(Schema.String)),
  estimated_created_at: Schema.optionalKey(Bounds),
  /** Applies only to events of an identifier, like `status`. */
  tags: Schema.optionalKey(Schema.Array(Schema.String)),
  status: Schema.optionalKey(Schema.Array(EventStatus))
})
export interface EventFilter extends Schema.Schema.Type<typeof EventFilter> {}

export const noFilter: EventFilter = {}

/** Excludes ignored and remediated events. */
export const defaultFilter: EventFilter = { status: ["open"] }

export const keptFilter = recall("here", "events.filter", EventFilter, defaultFilter)

export const isDefault = (filter: EventFilter): boolean => JSON.stringify(filter) === JSON.stringify(defaultFilter)

export const isEmpty = (filter: EventFilter): boolean => Object.keys(filter).length === 0

/** The intersection of both filters; undefined if it is empty. */
export const both = (a: EventFilter, b: EventFilter): EventFilter | undefined => {
  const severity = intersect(severitiesOf(a), severitiesOf(b))
  const type = intersect(a.type, b.type)
  const status = intersect(a.status, b.status)
  const tags = a.tags === undefined ? b.tags : b.tags === undefined ? a.tags : intersect(a.tags, b.tags)
  if ([severity, type, status, tags].some((left) => left?.length === 0)) return undefined
  const bounds = { ...b.estimated_created_at, ...tighter(a.estimated_created_at ?? {}, b.estimated_created_at ?? {}) }
  return {
    ...(severity === undefined ? {} : { severity: atLeast(severity) }),
    ...(type === undefined ? {} : { type }),
    ...(status === undefined ? {} : { status }),
    ...(tags === undefined ? {} : { tags }),
    ...(Object.keys(bounds).length === 0 ? {} : { estimated_created_at: bounds })
  }
}

/** The filter for the global search, which has no tags and states; undefined if none of the types is supported. */
export const forGlobalSearch = ({ severity, type, estimated_created_at }: EventFilter): EventFilters | undefined => {
  const known = type === undefined ? undefined : globalEventTypes.filter((name) => type.includes(name))
  return known?.length === 0
    ? undefined
    : {
        ...(severity === undefined ? {} : { severity }),
        ...(known === undefined ? {} : { type: known }),
        ...(estimated_created_at === undefined ? {} : { estimated_created_at })
      }
}

/** The filter for the search of one identifier; undefined if none of the types is supported. */
export const forIdentifier = (filter: EventFilter): IdentifierEventFilters | undefined => {
  const { type, ...rest } = filter
  const known = type === undefined ? undefined : identifierEventTypes.filter((name) => type.includes(name))
  return known?.length === 0 ? undefined : { ...rest, ...(known === undefined ? {} : { type: known }) }
}

/** The filter for the search of the tenant, which by default returns open events only. */
export const forTenant = ({ status, ...rest }: EventFilter): TenantEventFilters => ({
  ...rest,
  status: status ?? EventStatus.literals
})

/** This severity and all higher ones. */
export const severityText = (severity: Severity): string =>
  severity === "critical" ? t("{0} only", t(severity)) : t("{0} or higher", t(severity))

/** A short description for the view's title. */
export const describe = (filter: EventFilter): string => {
  const { severity, type, estimated_created_at: when, tags, status } = filter
  const parts = [
    severity === undefined
      ? []
      : typeof severity === "string"
        ? [severityText(severity)]
        : [severity.map((each) => t(each)).join(", ")],
    type === undefined ? [] : [type.length > 2 ? t("{0} types", type.length) : type.map(nameOfType).join(", ")],
    when?.gte === undefined ? [] : [t("since {0}", when.gte.slice(0, 10))],
    when?.gt === undefined ? [] : [t("after {0}", when.gt.slice(0, 10))],
    when?.lte === undefined ? [] : [t("until {0}", when.lte.slice(0, 10))],
    when?.lt === undefined ? [] : [t("before {0}", when.lt.slice(0, 10))],
    tags === undefined ? [] : [tags.map((tag) => `#${tag}`).join(" ")],
    status === undefined ? [] : [status.map(ofSeveral).join(", ")]
  ]
  return parts.flat().join(" · ")
}

/** Whether a severity passes. A list contains the allowed severities; a single severity is the minimum. */
export const admitsSeverity = ({ severity: wanted }: EventFilter, severity: ReportedSeverity): boolean =>
  wanted === undefined ||
  (typeof wanted === "string" ? isAtLeast(severity, wanted) : wanted.some((each) => each === severity))

/** Whether the state of an event passes. Checked here, because a global search does not filter by state. */
export const admitsState = ({ status }: EventFilter, event: AnyEvent): boolean =>
  status === undefined || status.includes(stateOf(event))

const severitiesOf = ({ severity }: EventFilter): ReadonlyArray<Severity> | undefined =>
  typeof severity === "string" ? severities.slice(severities.indexOf(severity)) : severity

const atLeast = (chosen: ReadonlyArray<Severity>): Severity | ReadonlyArray<Severity> => {
  const lowest = severities.find((severity) => chosen.includes(severity))
  const above = lowest === undefined ? [] : severities.slice(severities.indexOf(lowest))
  return lowest !== undefined && above.every((severity) => chosen.includes(severity)) ? lowest : chosen
}

const intersect = <A>(a: ReadonlyArray<A> | undefined, b: ReadonlyArray<A> | undefined): ReadonlyArray<A> | undefined =>
  a === undefined ? b : b === undefined ? a : a.filter((each) => b.includes(each))

type Bounds = typeof Bounds.Type

/** For each kind of bound, the later of two lower bounds and the earlier of two upper bounds. */
const tighter = (a: Bounds, b: Bounds): Bounds => {
  const later = (x?: string, y?: string) => (x === undefined ? y : y === undefined || x > y ? x : y)
  const earlier = (x?: string, y?: string) => (x === undefined ? y : y === undefined || x < y ? x : y)
  const bounds = {
    gt: later(a.gt, b.gt),
    gte: later(a.gte, b.gte),
    lt: earlier(a.lt, b.lt),
    lte: earlier(a.lte, b.lte)
  }
  return {
    ...(bounds.gt === undefined ? {} : { gt: bounds.gt }),
    ...(bounds.gte === undefined ? {} : { gte: bounds.gte }),
    ...(bounds.lt === undefined ? {} : { lt: bounds.lt }),
    ...(bounds.lte === undefined ? {} : { lte: bounds.lte })
  }
}
