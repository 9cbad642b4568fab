/** Loads the sample data set. */
import { NewIdentifier } from "@threat-exposure/core/domain/Identifier"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Identifiers } from "../identifiers/Identifiers.ts"
import { MatchingPolicies } from "../matching-policies/MatchingPolicies.ts"
import { type Sample, sampleOf } from "./Sample.ts"

/**
 * The data set as of today, and the tenant's identifiers, policies and annotations. Loading it again updates the events and
 * leaves the tenant's data unchanged.
 */
export const loadSample = Effect.fn("loadSample")(function* (tenantId: number) {
  const store = yield* SampleStore
  const identifiers = yield* Identifiers
  const policies = yield* MatchingPolicies
  const now = yield* DateTime.now
  const sample = sampleOf(now)
  const isFirst = yield* store.put({ sample, tenantId, now: DateTime.formatIso(now) })
  if (!isFirst) return
  const { policy } = sample.tenant
  const created = yield* Effect.forEach(sample.tenant.identifiers, (asset) =>
    identifiers.create(tenantId, decodeNew(asset))
  )
  yield* policies.create(tenantId, policy)
  yield* policies.assign(tenantId, policy.uuid, {
    identifier_ids: created.filter(({ name }) => policy.identifiers.includes(name)).map(({ id }) => id),
    clean_past_events: true
  })
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
