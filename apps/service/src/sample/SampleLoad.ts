/** Loads the sample data set. */
import { NewIdentifier } from "@threat-exposure/core/domain/Identifier"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { IdentifierGroupStore } from "../identifier-groups/IdentifierGroupStore.ts"
import { Identifiers } from "../identifiers/Identifiers.ts"
import { MatchingPolicies } from "../matching-policies/MatchingPolicies.ts"
import { Reports } from "../reports/Reports.ts"
import { type Sample, sampleOf } from "./Sample.ts"

/**
 * The data set as of today, and the tenant's identifiers, groups, policies, report and annotations. Loading it again updates the events and
 * leaves the tenant's data unchanged.
 */
export const loadSample = Effect.fn("loadSample")(function* (tenantId: number) {
  const store = yield* SampleStore
  const identifiers = yield* Identifiers
  const policies = yield* MatchingPolicies
  const groups = yield* IdentifierGroupStore
  const reports = yield* Reports
  const now = yield* DateTime.now
  const sample = sampleOf(now)
  const isFirst = yield* store.put({ sample, tenantId, now: DateTime.formatIso(now) })
  if (!isFirst) return
  const { group, monitored, policies: shown, report } = sample.tenant
  const created = yield* Effect.forEach(sample.tenant.identifiers, (asset) =>
    identifiers.createV2(tenantId, decodeNew(asset))
  )
  const { id: group_id } = yield* groups.put({ tenantId, group })
  const further = yield* Effect.forEach(
    monitored,
    Effect.fnUntraced(function* ({ data, isDisabled, isInGroup, name }) {
      const content = { data, categories: [], emerging_categories: [], severities: [] }
      const identifier = yield* identifiers.create(tenantId, {
        ...content,
        name,
        ...(isInGroup ? { group_id } : undefined)
      })
      return isDisabled
        ? yield* identifiers.update(tenantId, identifier.id, { ...content, is_disabled: true })
        : identifier
    })
  )
  for (const { identifiers: assigned, policy, uuid } of shown) {
    yield* policies.create(tenantId, policy, uuid)
    yield* policies.assign(tenantId, uuid, {
      identifier_ids: [...created, ...further].flatMap(({ id, name }) =>
        name !== null && assigned.includes(name) ? [id] : []
      ),
      clean_past_events: true
    })
  }
  yield* reports.create(tenantId, report)
}, Effect.orDie)

/** Stores what no service creates. Each engine has a layer of it. */
export class SampleStore extends Context.Service<
  SampleStore,
  {
    /** True if the tenant does not have the sample yet. */
    put(sample: SampleOfTenant): Effect.Effect<boolean>
  }
>()("@threat-exposure/service/sample/SampleLoad/SampleStore") {}

export interface SampleOfTenant {
  readonly sample: Sample
  readonly tenantId: number
  /** ISO 8601. */
  readonly now: string
}

const decodeNew = Schema.decodeSync(NewIdentifier)
