import { randomUUID } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { IdentifierGroupStore } from "../identifier-groups/IdentifierGroupStore.ts"
import { type Asset, toAsset } from "../identifiers/Asset.ts"
import { assetOf, IdentifierStore } from "../identifiers/Identifiers.ts"
import { MatchingPolicyStore } from "../matching-policies/MatchingPolicyStore.ts"
import { ReportStore } from "../reports/Reports.ts"
import { EventStore } from "../events/EventStore.ts"
import { LoadTargets, type OpenTarget, publishAll } from "../load/LoadTarget.ts"
import { sampleOf } from "@threat-exposure/sample/Sample"
import { assetKey, sampleTenant } from "./SampleDeletion.ts"

/** Loading again updates the events, but leaves the tenant's data unchanged. */
export const loadSample = Effect.fn("loadSample")(
  function* () {
    const events = yield* EventStore
    const targets = yield* LoadTargets
    const identifiers = yield* IdentifierStore
    const policies = yield* MatchingPolicyStore
    const groups = yield* IdentifierGroupStore
    const reports = yield* ReportStore
    const today = yield* DateTime.now
    const sample = sampleOf(today)
    const now = DateTime.formatIso(today)
    const { annotations, group, monitored, policies: shown, recommendations, report } = sample.tenant
    const load = Effect.fnUntraced(function* (open: OpenTarget<unknown>, records: ReadonlyArray<unknown>) {
      const target = yield* open({ keep: false, strict: false, now })
      const text = Buffer.from(records.map((record) => JSON.stringify(record)).join("\n"))
      const prepared = yield* Effect.promise(() => target.prepare({ text, firstNumber: 1, format: { type: "lines" } }))
      yield* publishAll(yield* target.publisher, [prepared])
    }, Effect.scoped)
    yield* targets.recover
    yield* load(targets.credentials, sample.credentials)
    yield* load(targets.events, sample.events)
    // The report is created last: without it, an earlier run was killed, and this one creates what is missing.
    const isComplete = Effect.map(reports.list(sampleTenant), (present) =>
      present.some((present) => isDeepStrictEqual(present.report, report))
    )
    if (yield* isComplete) return
    yield* load(targets.recommendations(sampleTenant), recommendations)
    // Another service may be loading the sample.
    yield* targets.alone
    if (yield* isComplete) return
    const present = new Map(
      (yield* identifiers.page({
        tenantId: sampleTenant,
        filters: {},
        orderBy: "id",
        after: undefined,
        size: maxPresent
      })).map(({ asset, id }) => [assetKey(asset), id])
    )
    const insert = Effect.fnUntraced(function* (asset: Asset, groupId: number | null) {
      const { name } = asset
      const known = present.get(assetKey(asset))
      if (known !== undefined) return { id: known, name }
      const { id } = yield* identifiers.insert({ tenantId: sampleTenant, asset, groupId })
      return { id, name }
    })
    const created = yield* Effect.forEach(sample.tenant.identifiers, (identifier) =>
      insert(assetOf(identifier, randomUUID(), now), null)
    )
    const { id: groupId } =
      (yield* groups.list(sampleTenant)).find(({ urn }) => urn === group.urn) ??
      (yield* groups.put(sampleTenant, group))
    const further = yield* Effect.forEach(
      monitored,
      Effect.fnUntraced(function* ({ data, isDisabled, name }) {
        const content = { data, categories: [], emerging_categories: [], severities: [], name }
        const identifier = yield* insert(toAsset(content, randomUUID(), now), groupId)
        const update = { ...content, is_disabled: true }
        if (isDisabled) yield* identifiers.update({ tenantId: sampleTenant, id: identifier.id, update, updatedAt: now })
        return identifier
      })
    )
    // After the identifiers, which the events match, and before the policies, which remove matches.
    for (const { annotatedAt, triage, uid } of annotations) {
      const { action, annotation } = triage
      yield* events.annotate(sampleTenant, [uid], { _tag: "Annotation", ...annotation })
      if (action !== undefined) {
        yield* events.annotate(sampleTenant, [uid], { _tag: "Action", action, now: annotatedAt })
      }
    }
    for (const { identifiers: assigned, policy, uuid } of shown) {
      yield* Effect.catchTag(Effect.asVoid(policies.find(sampleTenant, uuid)), "NotFound", () =>
        policies.insert({ ...policy, value: { ...policy.value }, tenantId: sampleTenant, uuid, createdAt: now })
      )
      yield* policies.assign({
        tenantId: sampleTenant,
        uuid,
        identifierIds: [...created, ...further].flatMap(({ id, name }) => (assigned.includes(name) ? [id] : [])),
        cleanPastEvents: true,
        assignedAt: now
      })
    }
    yield* reports.insert({ tenantId: sampleTenant, report, createdAt: now })
  },
  Effect.scoped,
  Effect.orDie
)

/** More identifiers than the sample has, if a killed run left some. A tenant with more of its own may get some twice. */
const maxPresent = 10_000
