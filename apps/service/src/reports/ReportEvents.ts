/** The events of a report: those that the tenant's identifiers match in a period, whatever their state. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { CurrentVault } from "../crypto/CurrentVault.ts"
import type { EventSortKey, EventStore } from "../events/EventStore.ts"
import { jsonDecoder } from "../requests/JsonText.ts"

/** In the order of time. Pages are read as the stream is pulled. */
export const eventsBetween = (
  store: EventStore["Service"],
  current: CurrentVault["Service"],
  tenantId: number,
  { since, until }: Period
): Stream.Stream<ReportEvent> =>
  Stream.paginate<EventSortKey | undefined, ReportEvent>(undefined, (after) =>
    store
      .page({
        tenantId,
        matchedTo: "tenant",
        expression: undefined,
        keyId: current.vault.keyId,
        filters: { since: since * 1_000, until: until * 1_000 },
        order: "asc",
        size: eventsAtOnce,
        after
      })
      .pipe(
        Effect.orDie,
        Effect.map(({ items, last }) => [decodeItems(items), Option.fromUndefinedOr(last)] as const)
      )
  )

/** Milliseconds since 1970; both bounds are inclusive. */
export interface Period {
  readonly since: number
  readonly until: number
}

const eventsAtOnce = 100

const ReportEvent = Schema.Struct({
  metadata: Schema.Struct({
    uid: Schema.String,
    type: Schema.String,
    severity: Schema.String,
    estimated_created_at: Schema.String,
    matched_at: Schema.optionalKey(Schema.NullOr(Schema.String)),
    title: Schema.optionalKey(Schema.String),
    svc_url: Schema.optionalKey(Schema.NullOr(Schema.String))
  }),
  tenant_metadata: Schema.Struct({ severity: Schema.Struct({ override: Schema.NullOr(Schema.String) }) }),
  identifiers: Schema.optionalKey(Schema.Array(Schema.Struct({ id: Schema.Int })))
})
export interface ReportEvent extends Schema.Schema.Type<typeof ReportEvent> {}

const decodeItems = jsonDecoder(Schema.Array(ReportEvent))

export const severityOf = ({ metadata, tenant_metadata }: ReportEvent): string =>
  tenant_metadata.severity.override ?? metadata.severity
