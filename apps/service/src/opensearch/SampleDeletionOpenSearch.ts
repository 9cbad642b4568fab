import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { credentialIndex, readIdentities } from "./CredentialIndex.ts"
import { keyIndex, removeKeys } from "./KeyStoreOpenSearch.ts"
import { annotationIndex, eventIndex, findingIndex, readVersions } from "./events/EventIndex.ts"
import { eventIdOf } from "./events/SealedEvent.ts"
import { groupIndex } from "./IdentifierGroupStoreOpenSearch.ts"
import { reportIndex } from "./ReportStoreOpenSearch.ts"
import { criteriaIn, identifierIndex, removeIdentifier } from "./IdentifierIndex.ts"
import { isPolicyOf, policyIndex } from "./MatchingPolicyStoreOpenSearch.ts"
import { ClusterState, KeyedCluster, type KeyedIndices } from "./cluster/ClusterStart.ts"
import type { IndexShape } from "./cluster/IndexDefinition.ts"
import type { WriteOperation } from "./cluster/WriteOperation.ts"
import { recommendationIndex } from "./RecommendationStoreOpenSearch.ts"
import { sampleOf } from "@threat-exposure/sample/Sample"
import { assetKey, sampleAssets, SampleDeletion, sampleKeyLabel, sampleTenant } from "../sample/SampleDeletion.ts"

export const SampleDeletionOpenSearch = Layer.effect(
  SampleDeletion,
  Effect.gen(function* () {
    const keyed = yield* KeyedCluster
    const state = yield* ClusterState

    const find = Effect.fnUntraced(function* (indices: KeyedIndices) {
      const { cluster, vault } = indices
      const sample = sampleOf(yield* DateTime.now)
      const ofTenant = (...further: ReadonlyArray<Readonly<Record<string, unknown>>>) => ({
        bool: { filter: [{ term: { tenantId: sampleTenant } }, ...further] }
      })
      const ids = sample.credentials.map(({ id }) => id)
      const identities = yield* readIdentities(indices, ids)
      const versions = yield* readVersions(
        cluster,
        sample.events.map(({ metadata }) => eventIdOf(metadata.uid))
      )
      const assets = sampleAssets(sample)
      const identifiers = yield* cluster.all(identifierIndex, { query: ofTenant(), sort: [{ id: "asc" }] })
      const policies = yield* Effect.forEach(sample.tenant.policies, ({ uuid }) =>
        Effect.map(cluster.get(policyIndex, uuid), (policy) =>
          isPolicyOf(sampleTenant, policy?.document) ? [uuid] : []
        )
      )
      const groups = yield* cluster.all(groupIndex, {
        query: { term: { tenant_id: sampleTenant } },
        sort: [{ id: "asc" }]
      })
      const reports = yield* cluster.all(reportIndex, { query: ofTenant(), sort: [{ _seq_no: "asc" }] })
      return {
        credentials: sample.credentials.filter(
          (credential) => identities.get(credential.id) === credential.identity_name
        ),
        events: [...versions.keys()],
        identifiers: identifiers.flatMap(({ document }) => {
          const { name, type } = criteriaIn(vault, document)
          return assets.has(assetKey({ name, type })) ? [document.id] : []
        }),
        groups: groups.flatMap(({ document, id }) => (document.urn === sample.tenant.group.urn ? [id] : [])),
        policies: policies.flat(),
        reports: reports.flatMap(({ document, id }) =>
          document.report === JSON.stringify(sample.tenant.report) ? [id] : []
        ),
        annotations: ofTenant({ terms: { event: sample.events.map(({ metadata }) => eventIdOf(metadata.uid)) } }),
        keys: ofTenant({ term: { label: sampleKeyLabel } }),
        recommendations: ofTenant({ terms: { id: sample.tenant.recommendations.map(({ id }) => id) } })
      }
    })

    const removals = (index: IndexShape, ids: ReadonlyArray<number | string>) =>
      ids.map((id): WriteOperation => ({ index, id: String(id), remove: true }))

    return SampleDeletion.of({
      count: Effect.gen(function* () {
        const { now } = keyed
        const { cluster } = now
        const found = yield* find(now)
        return {
          credentials: found.credentials.length,
          events: found.events.length,
          identifiers: found.identifiers.length,
          groups: found.groups.length,
          policies: found.policies.length,
          reports: found.reports.length,
          recommendations: yield* cluster.count(recommendationIndex, found.recommendations),
          annotations: yield* cluster.count(annotationIndex, found.annotations),
          keys: yield* cluster.count(keyIndex, found.keys)
        }
      }),
      delete: Effect.gen(function* () {
        const { now } = keyed
        const { cluster } = now
        const found = yield* find(now)
        const { annotations, credentials, events, groups, identifiers, keys, policies, recommendations, reports } =
          found
        yield* removeKeys(cluster, state, keys)
        yield* cluster.write([
          ...identifiers.map(removeIdentifier),
          ...removals(
            credentialIndex,
            credentials.map(({ id }) => id)
          ),
          ...removals(eventIndex, events),
          ...removals(groupIndex, groups),
          ...removals(policyIndex, policies),
          ...removals(reportIndex, reports)
        ])
        yield* cluster.removeAll(annotationIndex, annotations)
        yield* cluster.removeAll(recommendationIndex, recommendations)
        const findings = { bool: { should: [{ terms: { event: events } }, { terms: { identifier: identifiers } }] } }
        yield* cluster.removeAll(findingIndex, findings)
      })
    })
  })
)
