import { NewIdentifier } from "@threat-exposure/core/domain/Identifier"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { IdentifierGroupStore } from "../identifier-groups/IdentifierGroupStore.ts"
import { Identifiers } from "../identifiers/Identifiers.ts"
import { MatchingPolicies } from "../matching-policies/MatchingPolicies.ts"
import { Reports } from "../reports/Reports.ts"
import { EventStore } from "../events/EventStore.ts"
import { LoadTargets, type OpenTarget, publishAll } from "../load/LoadTarget.ts"
import { sampleOf } from "./Sample.ts"
import { sampleTenant } from "./SampleDeletion.ts"

/** Loading again updates the events, but leaves the tenant's data unchanged. */
export const loadSample = Effect.fn("loadSample")(function* () {
  const events = yield* EventStore
  const targets = yield* LoadTargets
  const identifiers = yield* Identifiers
  const policies = yield* MatchingPolicies
  const groups = yield* IdentifierGroupStore
  const reports = yield* Reports
  const now = yield* DateTime.now
  const sample = sampleOf(now)
  const { annotations, group, monitored, policies: shown, recommendations, report } = sample.tenant
  const load = Effect.fnUntraced(function* (open: OpenTarget<unknown>, records: ReadonlyArray<unknown>) {
    const target = yield* open({ keep: false, strict: false, now: DateTime.formatIso(now) })
    const text = Buffer.from(records.map((record) => JSON.stringify(record)).join("\n"))
    const prepared = yield* Effect.promise(() => target.prepare({ text, firstNumber: 1, format: { type: "lines" } }))
    yield* publishAll(yield* target.publisher, [prepared])
  }, Effect.scoped)
  yield* targets.recover
  yield* load(targets.credentials, sample.credentials)
  yield* load(targets.events, sample.events)
  // The policies are created last, so a load that was interrupted before them is completed now.
  if (yield* Effect.isSuccess(policies.get(sampleTenant, shown[0].uuid))) return
  yield* load(targets.recommendations(sampleTenant), recommendations)
  const created = yield* Effect.forEach(sample.tenant.identifiers, (asset) =>
    identifiers.createV2(sampleTenant, decodeNew(asset))
  )
  const { id: group_id } = yield* groups.put({ tenantId: sampleTenant, group })
  const further = yield* Effect.forEach(
    monitored,
    Effect.fnUntraced(function* ({ data, isDisabled, isInGroup, name }) {
      const content = { data, categories: [], emerging_categories: [], severities: [] }
      const identifier = yield* identifiers.create(sampleTenant, {
        ...content,
        name,
        ...(isInGroup ? { group_id } : undefined)
      })
      return isDisabled
        ? yield* identifiers.update(sampleTenant, identifier.id, { ...content, is_disabled: true })
        : identifier
    })
  )
  // After the identifiers, which the events match, and before the policies, which remove matches.
  for (const { changes, uid } of annotations) {
    for (const change of changes) yield* events.annotate(sampleTenant, [uid], change)
  }
  for (const { identifiers: assigned, policy, uuid } of shown) {
    yield* policies.create(sampleTenant, policy, uuid)
    yield* policies.assign(sampleTenant, uuid, {
      identifier_ids: [...created, ...further].flatMap(({ id, name }) =>
        name !== null && assigned.includes(name) ? [id] : []
      ),
      clean_past_events: true
    })
  }
  yield* reports.create(sampleTenant, report)
}, Effect.orDie)

const decodeNew = Schema.decodeSync(NewIdentifier)
