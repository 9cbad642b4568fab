import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { NotFound } from "@threat-exposure/core/domain/Failures"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import { findingIndex } from "../matching/EventIndex.ts"
import { criteriaIn, type IdentifierDocument, identifierIndex } from "../matching/IdentifierIndex.ts"
import { policyExpression, PolicyValue } from "../matching/IdentifierExpression.ts"
import { Cluster } from "../opensearch/Cluster.ts"
import { expressionQuery } from "../opensearch/ExpressionQuery.ts"
import { type IndexDefinition, keptOnly, smallIndex } from "../opensearch/IndexDefinition.ts"
import { transferredTable } from "../transfer/TransferredTable.ts"
import { MatchingPolicyStore } from "./MatchingPolicyStore.ts"

export const MatchingPolicyStoreOpenSearch = Layer.effect(
  MatchingPolicyStore,
  Effect.gen(function* () {
    const cluster = yield* Cluster
    const current = yield* CurrentVault

    const policyOf = Effect.fnUntraced(function* (tenantId: number, uuid: string) {
      const policy = (yield* cluster.get(policyIndex, uuid))?.document
      return policy?.tenantId === tenantId ? policy : yield* new NotFound()
    })
    const identifierOf = Effect.fnUntraced(function* (tenantId: number, id: number) {
      const identifier = (yield* cluster.get(identifierIndex, String(id)))?.document
      return identifier?.tenantId === tenantId ? identifier : yield* new NotFound()
    })
    const assignedTo = (uuid: string) =>
      cluster.all(identifierIndex, { query: { term: { "policies.uuid": uuid } }, sort: [{ id: "asc" }] })
    const withoutPolicy = (identifier: IdentifierDocument, uuid: string) =>
      identifier.policies.filter((policy) => policy.uuid !== uuid)

    return MatchingPolicyStore.of({
      insert: ({ createdAt, keywords, name, tenantId, uuid }) =>
        Effect.asVoid(
          cluster.put(policyIndex, uuid, { tenantId, name, value: { keywords }, createdAt, lastUpdatedAt: createdAt })
        ),

      find: (tenantId, uuid) => Effect.asVoid(policyOf(tenantId, uuid)),

      assign: Effect.fnUntraced(function* ({ assignedAt, cleanPastEvents, identifierIds, tenantId, uuid }) {
        const { value } = yield* policyOf(tenantId, uuid)
        yield* Effect.forEach(identifierIds, (id) => identifierOf(tenantId, id), { concurrency: 8 })
        const assigned = { uuid, value, cleanPastEvents, assignedAt }
        yield* Effect.forEach(
          identifierIds,
          (id) =>
            cluster.update(identifierIndex, String(id), (identifier) =>
              identifier === undefined
                ? undefined
                : { ...identifier, policies: [...withoutPolicy(identifier, uuid), assigned] }
            ),
          { concurrency: 8 }
        )
        const kept = cleanPastEvents ? policyExpression(current.vault, value) : undefined
        if (kept === undefined) return
        yield* cluster.removeAll(findingIndex, {
          bool: {
            filter: [{ terms: { identifier: identifierIds } }],
            must_not: [expressionQuery(current.vault, kept)]
          }
        })
      }),

      assignments: Effect.fnUntraced(function* ({ after, order, size, uuid }) {
        const direction = order === "asc" ? 1 : -1
        const compare = (a: readonly [string, number], b: readonly [string, number]) =>
          direction * (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] - b[1])
        return (yield* assignedTo(uuid))
          .flatMap(({ document }) =>
            document.policies
              .filter((policy) => policy.uuid === uuid)
              .map(({ assignedAt, cleanPastEvents }) => {
                const key = [assignedAt, document.id] as const
                return { document, assignedAt, cleanPastEvents, key }
              })
          )
          .filter(({ key }) => after === undefined || compare(key, after) > 0)
          .toSorted((a, b) => compare(a.key, b.key))
          .slice(0, size)
          .map(({ assignedAt, cleanPastEvents, document }) => {
            const { name, type } = criteriaIn(current.vault, document)
            return {
              identifier_id: document.id,
              identifier: { name, type },
              clean_past_events: cleanPastEvents,
              assigned_at: assignedAt
            }
          })
      }),

      ofIdentifier: Effect.fnUntraced(function* (tenantId, identifierId) {
        const { policies } = yield* identifierOf(tenantId, identifierId)
        const assigned = yield* Effect.forEach(
          policies,
          ({ assignedAt, cleanPastEvents, uuid }) =>
            Effect.map(cluster.get(policyIndex, uuid), (stored) =>
              stored === undefined
                ? []
                : [
                    {
                      matching_policy: {
                        uuid,
                        name: stored.document.name,
                        policy_type: "INCLUDED_KEYWORDS",
                        value: stored.document.value,
                        created_at: stored.document.createdAt,
                        last_updated_at: stored.document.lastUpdatedAt
                      },
                      assigned_at: assignedAt,
                      clean_past_events: cleanPastEvents
                    }
                  ]
            ),
          { concurrency: 8 }
        )
        return assigned
          .flat()
          .toSorted((a, b) =>
            a.assigned_at === b.assigned_at
              ? a.matching_policy.uuid < b.matching_policy.uuid
                ? -1
                : 1
              : a.assigned_at < b.assigned_at
                ? 1
                : -1
          )
      }),

      delete: Effect.fnUntraced(function* (tenantId, uuid) {
        yield* policyOf(tenantId, uuid)
        yield* Effect.forEach(
          yield* assignedTo(uuid),
          ({ id }) =>
            cluster.update(identifierIndex, id, (identifier) =>
              identifier === undefined ? undefined : { ...identifier, policies: withoutPolicy(identifier, uuid) }
            ),
          { concurrency: 8 }
        )
        yield* cluster.remove(policyIndex, uuid)
      })
    })
  })
)

const PolicyDocument = Schema.Struct({
  tenantId: Schema.Int,
  name: Schema.String,
  value: PolicyValue,
  createdAt: Schema.String,
  lastUpdatedAt: Schema.String
})

export const policyIndex: IndexDefinition<typeof PolicyDocument.Type> = {
  name: "matching-policies",
  version: 1,
  settings: smallIndex,
  properties: {
    tenantId: { type: "long" },
    name: keptOnly,
    value: { type: "object", enabled: false },
    createdAt: keptOnly,
    lastUpdatedAt: keptOnly
  },
  document: PolicyDocument
}

export const transferredPolicies = transferredTable({
  index: policyIndex,
  columns: "uuid, tenant_id AS tenantId, name, value, created_at AS createdAt, last_updated_at AS lastUpdatedAt",
  from: "matching_policies",
  row: Schema.Struct({
    uuid: Schema.String,
    ...PolicyDocument.fields,
    value: Schema.fromJsonString(PolicyDocument.fields.value)
  }),
  toDocument: ({ uuid, ...document }) => ({ id: uuid, document })
})
