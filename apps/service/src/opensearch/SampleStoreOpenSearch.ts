import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { annotationOperation } from "./events/EventAnnotationsOpenSearch.ts"
import { LoadTargets, type OpenTarget, publishAll } from "../load/LoadTarget.ts"
import { isThere, policyIndex } from "./MatchingPolicyStoreOpenSearch.ts"
import { Cluster } from "./cluster/Cluster.ts"
import { SampleStore } from "../sample/SampleLoad.ts"

export const SampleStoreOpenSearch = Layer.effect(
  SampleStore,
  Effect.gen(function* () {
    const cluster = yield* Cluster
    const targets = yield* LoadTargets
    const load = Effect.fnUntraced(function* (open: OpenTarget<unknown>, records: ReadonlyArray<unknown>, now: string) {
      const target = yield* open({ keep: false, strict: false, now })
      const text = Buffer.from(records.map((record) => JSON.stringify(record)).join("\n"))
      const prepared = yield* Effect.promise(() => target.prepare({ text, firstNumber: 1, format: { type: "lines" } }))
      yield* publishAll(yield* target.publisher, [prepared])
    }, Effect.scoped)
    return SampleStore.of({
      put: Effect.fnUntraced(function* ({ now, sample: { credentials, events, tenant }, tenantId }) {
        const policy = (yield* cluster.get(policyIndex, tenant.policies[0].uuid))?.document
        const isFirst = !isThere(policy)
        yield* load(targets.credentials, credentials, now)
        yield* load(targets.events, events, now)
        if (isFirst) {
          yield* cluster.write(tenant.annotations.map((annotation) => annotationOperation(tenantId, annotation)))
          yield* load(targets.recommendations(tenantId), tenant.recommendations, now)
        }
        return isFirst
      })
    })
  })
)
