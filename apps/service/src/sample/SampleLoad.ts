import { randomUUID } from "node:crypto"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import { IdentifierGroupStore } from "../identifier-groups/IdentifierGroupStore.ts"
import { type Asset, toAsset } from "../identifiers/Asset.ts"
import { assetOf, IdentifierStore } from "../identifiers/Identifiers.ts"
import { expressionOfIdentifier } from "../matching/IdentifierExpression.ts"
import { MatchingPolicyStore } from "../matching-policies/MatchingPolicyStore.ts"
import { ReportStore } from "../reports/Reports.ts"
import { EventStore } from "../events/EventStore.ts"
import { LoadTargets, type OpenTarget, publishAll } from "../load/LoadTarget.ts"
import { sampleOf } from "@threat-exposure/sample/Sample"
import { sampleTenant } from "./SampleDeletion.ts"

/** Loading again updates the events, but leaves the tenant's data unchanged. */
export const loadSample = Effect.fn("loadSample")(
  function* () {
    const events = yield* EventStore
    const targets = yield* LoadTargets
    const identifiers = yield* IdentifierStore
    const policies = yield* MatchingPolicyStore
    const groups = yield* IdentifierGroupStore
    const reports = yield* ReportStore
    const { vault } = yield* CurrentVault
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
    // The policies are created last, so a load that was interrupted before them is completed now.
    const isComplete = Effect.isSuccess(policies.find(sampleTenant, shown[0].uuid))
    if (yield* isComplete) return
    yield* load(targets.recommendations(sampleTenant), recommendations)
    // Another service may be loading the sample.
    yield* targets.alone
    if (yield* isComplete) return
    const insert = Effect.fnUntraced(function* (asset: Asset, groupId: number | null) {
      const expression = yield* Effect.fromResult(expressionOfIdentifier(vault, asset))
      const { id } = yield* identifiers.insert({
        tenantId: sampleTenant,
        asset,
        groupId,
        expression,
        keyId: vault.keyId
      })
      return { id, name: asset.name }
    })
    const created = yield* Effect.forEach(sample.tenant.identifiers, (identifier) =>
      insert(assetOf(identifier, randomUUID(), now), null)
    )
    const { id: groupId } = yield* groups.put({ tenantId: sampleTenant, group })
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
      yield* policies.insert({ ...policy, value: { ...policy.value }, tenantId: sampleTenant, uuid, createdAt: now })
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
