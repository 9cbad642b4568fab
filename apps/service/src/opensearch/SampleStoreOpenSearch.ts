import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { annotationOperation } from "./events/EventAnnotationsOpenSearch.ts"
import { isThere, policyIndex } from "./MatchingPolicyStoreOpenSearch.ts"
import { Cluster } from "./cluster/Cluster.ts"
import { SampleStore } from "../sample/SampleLoad.ts"

export const SampleStoreOpenSearch = Layer.effect(
  SampleStore,
  Effect.map(Cluster, (cluster) =>
    SampleStore.of({
      hasPolicy: (uuid) => Effect.map(cluster.get(policyIndex, uuid), (policy) => isThere(policy?.document)),
      annotate: (tenantId, annotations) =>
        Effect.asVoid(cluster.write(annotations.map((annotation) => annotationOperation(tenantId, annotation))))
    })
  )
)
