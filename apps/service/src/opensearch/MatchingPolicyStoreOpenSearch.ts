import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { orNotFound, requireNoneMissing } from "../requests/NotFound.ts"
import { comparePositions, pageOf } from "../requests/Positions.ts"
import { NotFound } from "@threat-exposure/core/domain/Failures"
import type { MatchingPolicy } from "@threat-exposure/core/domain/MatchingPolicy"
import { findingIndex } from "./events/EventIndex.ts"
import { criteriaIn, findIdentifier, type IdentifierDocument, identifierIndex } from "./IdentifierIndex.ts"
import { policyExpression, PolicyRule, shownName } from "../matching/IdentifierExpression.ts"
import { updateMany } from "./cluster/BulkUpdate.ts"
import type { Cluster } from "./cluster/Cluster.ts"
import { KeyedCluster, type KeyedIndices } from "./cluster/ClusterStart.ts"
import { attemptAll, repeatRecovery, requestsOverUntil } from "../requests/Recovery.ts"
import { expressionQuery } from "./cluster/ExpressionQuery.ts"
import { sealedIndex } from "./cluster/DocumentSeal.ts"
import { keptOnly } from "./cluster/IndexDefinition.ts"
import { transferredPolicies } from "../transfer/TransferredTables.ts"
import { defineTransfer } from "./cluster/ClusterTransfer.ts"
import { MatchingPolicyStore, requireNoneRefused } from "../matching-policies/MatchingPolicyStore.ts"
import { countPhrases, type RefusedIdentifier, refusedIdentifiers } from "../matching-policies/PolicyFaults.ts"

export const MatchingPolicyStoreOpenSearch = Layer.effect(
  MatchingPolicyStore,
  Effect.gen(function* () {
    const keyed = yield* KeyedCluster
    yield* repeatRecovery(
      Effect.suspend(() =>
        attemptAll(
          [completeDeletions(keyed.now.cluster), completeUpdates(keyed.now.cluster), completeCleanings(keyed.now)],
          identity
        )
      )
    )

    const policyOf = Effect.fnUntraced(function* (cluster: Cluster["Service"], tenantId: number, uuid: string) {
      const policy = (yield* cluster.get(policyIndex, uuid))?.document
      return isPolicyOf(tenantId, policy) ? policy : yield* Effect.fail(new NotFound())
    })
    const identifierOf = Effect.fnUntraced(function* (cluster: Cluster["Service"], tenantId: number, id: number) {
      const identifier = yield* findIdentifier(cluster, id)
      return identifier?.tenantId === tenantId ? identifier : undefined
    })
    const requireIdentifiers = Effect.fnUntraced(function* (
      cluster: Cluster["Service"],
      tenantId: number,
      ids: ReadonlyArray<number>
    ) {
      const found = yield* Effect.forEach(ids, (id) => identifierOf(cluster, tenantId, id), { concurrency: 8 })
      yield* requireNoneMissing(ids.filter((_, at) => found[at] === undefined))
      return found.filter(Predicate.isNotUndefined)
    })
    return MatchingPolicyStore.of({
      insert: Effect.fnUntraced(function* ({ createdAt, name, tenantId, type, uuid, value }) {
        const { cluster } = keyed.now
        yield* cluster.put(policyIndex, uuid, { tenantId, name, type, value, createdAt, lastUpdatedAt: createdAt })
      }),

      find: (tenantId, uuid) =>
        Effect.suspend(() =>
          Effect.map(policyOf(keyed.now.cluster, tenantId, uuid), (policy) => toPolicy(uuid, policy))
        ),

      page: Effect.fnUntraced(function* (tenantId, page) {
        const policies = yield* keyed.now.cluster.all(policyIndex, {
          query: { term: { tenantId } },
          sort: [{ _seq_no: "asc" }]
        })
        const found = policies
          .filter(({ document }) => isThere(document))
          .map(({ document, id }) => ({ position: [document.createdAt, id] as const, policy: toPolicy(id, document) }))
        return pageOf(found, page).map(({ policy }) => policy)
      }),

      update: Effect.fnUntraced(function* ({ name, tenantId, updatedAt, uuid, value }) {
        const { cluster } = keyed.now
        const former = yield* policyOf(cluster, tenantId, uuid)
        const rule = decodeRule(value)
        const isLarger = countPhrases(rule) > countPhrases(ruleOf(former))
        if (isLarger) {
          const assigned = yield* readAssigned(cluster, uuid)
          yield* requireNoneRefused(
            refusedBy(
              { uuid, rule },
              assigned.map(({ document }) => document)
            )
          )
        }
        const update = cluster.update(policyIndex, uuid, (policy) =>
          isPolicyOf(tenantId, policy)
            ? { ...policy, name, value, lastUpdatedAt: updatedAt, isApplied: false }
            : undefined
        )
        const updated = yield* orNotFound(update)
        const refused = yield* applyUpdate(cluster, uuid, updated, isLarger)
        if (refused.length > 0) {
          // A concurrent request has used up the limit of an identifier. Assignments may have read the new value, so
          // undoing it counts as an update.
          const undone = yield* cluster.update(policyIndex, uuid, (policy) =>
            isThere(policy) && policy.lastUpdatedAt === updatedAt
              ? { ...policy, name: former.name, value: former.value, isApplied: false }
              : undefined
          )
          if (undone !== undefined) yield* applyUpdate(cluster, uuid, undone)
        }
        yield* requireNoneRefused(refused)
        return toPolicy(uuid, updated)
      }),

      unassign: Effect.fnUntraced(function* (tenantId, uuid, identifierIds) {
        const { cluster } = keyed.now
        yield* policyOf(cluster, tenantId, uuid)
        yield* requireIdentifiers(cluster, tenantId, identifierIds)
        yield* setPolicies(cluster, tenantId, identifierIds, (identifier) => withoutPolicy(identifier, uuid))
      }),

      assign: Effect.fnUntraced(function* ({ assignedAt, cleanPastEvents, identifierIds, tenantId, uuid }) {
        const { cluster, vault } = keyed.now
        const value = ruleOf(yield* policyOf(cluster, tenantId, uuid))
        const identifiers = yield* requireIdentifiers(cluster, tenantId, identifierIds)
        yield* requireNoneRefused(refusedBy({ uuid, rule: value }, identifiers))
        const assigned = { uuid, value, cleanPastEvents, assignedAt }
        if (cleanPastEvents) {
          yield* cluster.update(policyIndex, uuid, (policy) =>
            isThere(policy)
              ? {
                  ...policy,
                  cleaning: [...withoutIds(policy, identifierIds), ...identifierIds],
                  cleaningSince: assignedAt
                }
              : undefined
          )
        }
        const former = new Map<number, IdentifierDocument["policies"]>()
        const refused = new Map<number, RefusedIdentifier>()
        yield* setPolicies(cluster, tenantId, identifierIds, (identifier) => {
          const [refusal] = refusedBy({ uuid, rule: value }, [identifier])
          if (refusal !== undefined) return void refused.set(identifier.id, refusal)
          former.set(
            identifier.id,
            identifier.policies.filter((policy) => policy.uuid === uuid)
          )
          return [...withoutPolicy(identifier, uuid), assigned]
        })
        if (refused.size > 0) {
          // A concurrent request has used up the limit of an identifier.
          const others = identifierIds.filter((id) => !refused.has(id))
          yield* setPolicies(cluster, tenantId, others, (identifier) => [
            ...withoutPolicy(identifier, uuid),
            ...(former.get(identifier.id) ?? [])
          ])
        }
        yield* requireNoneRefused([...refused.values()])
        // A concurrent deletion of the policy may have looked for its assignments before these were stored.
        yield* Effect.tapError(policyOf(cluster, tenantId, uuid), () =>
          setPolicies(cluster, tenantId, identifierIds, (identifier) => withoutPolicy(identifier, uuid))
        )
        if (cleanPastEvents) yield* clean({ cluster, vault }, uuid, value, identifierIds)
      }),

      assignments: Effect.fnUntraced(function* (uuid, page) {
        const { cluster, vault } = keyed.now
        const found = (yield* readAssigned(cluster, uuid)).flatMap(({ document }) =>
          document.policies
            .filter((policy) => policy.uuid === uuid)
            .map(({ assignedAt, cleanPastEvents }) => {
              const position = [assignedAt, document.id] as const
              return { document, assignedAt, cleanPastEvents, position }
            })
        )
        return pageOf(found, page).map(({ assignedAt, cleanPastEvents, document }) => ({
          identifier_id: document.id,
          identifier_name: shownName(criteriaIn(vault, document)),
          clean_past_events: cleanPastEvents,
          assigned_at: assignedAt
        }))
      }),

      ofIdentifier: Effect.fnUntraced(function* (tenantId, identifierId) {
        const { cluster } = keyed.now
        const { policies } = yield* orNotFound(identifierOf(cluster, tenantId, identifierId))
        const assigned = yield* Effect.forEach(
          policies,
          ({ assignedAt, cleanPastEvents, uuid }) =>
            Effect.map(cluster.get(policyIndex, uuid), (stored) => {
              const policy = stored?.document
              if (!isThere(policy)) return []
              return [
                {
                  matching_policy: toPolicy(uuid, policy),
                  assigned_at: assignedAt,
                  clean_past_events: cleanPastEvents
                }
              ]
            }),
          { concurrency: 8 }
        )
        return assigned.flat().toSorted((a, b) =>
          // The latest assignment first.
          comparePositions([b.assigned_at, a.matching_policy.uuid], [a.assigned_at, b.matching_policy.uuid])
        )
      }),

      delete: Effect.fnUntraced(function* (tenantId, uuid) {
        const { cluster } = keyed.now
        const deletedAt = DateTime.formatIso(yield* DateTime.now)
        const deleted = cluster.update(policyIndex, uuid, (policy) =>
          isPolicyOf(tenantId, policy) ? { ...policy, deletedAt } : undefined
        )
        yield* orNotFound(deleted)
        yield* removeAssignments(cluster, uuid)
      })
    })
  })
)

/**
 * Removes the findings of the identifiers that the policy does not keep, and then the note that this has to be done.
 */
const clean = Effect.fnUntraced(function* (
  { cluster, vault }: Pick<KeyedIndices, "cluster" | "vault">,
  uuid: string,
  value: PolicyDocument["value"],
  identifierIds: ReadonlyArray<number>
) {
  const kept = Result.getOrUndefined(policyExpression(vault, value))
  if (kept !== undefined && identifierIds.length > 0) {
    yield* cluster.removeAll(findingIndex, {
      bool: {
        filter: [{ terms: { identifier: identifierIds } }],
        must_not: [expressionQuery(vault, kept)]
      }
    })
  }
  yield* cluster.update(policyIndex, uuid, (policy) => {
    if (policy === undefined) return undefined
    const { cleaning: _cleaning, cleaningSince, ...rest } = policy
    const left = withoutIds(policy, identifierIds)
    return left.length === 0 ? rest : { ...rest, cleaning: left, cleaningSince }
  })
})

const withoutIds = ({ cleaning = [] }: PolicyDocument, ids: ReadonlyArray<number>): ReadonlyArray<number> =>
  cleaning.filter((id) => !ids.includes(id))

/** Completes interrupted removals of past findings, for the identifiers to which the policy was already assigned. */
const completeCleanings = Effect.fnUntraced(function* (keyed: KeyedIndices) {
  const { cluster } = keyed
  const overUntil = yield* requestsOverUntil
  const begun = yield* cluster.search(policyIndex, {
    query: { range: { cleaningSince: { lt: overUntil } } },
    sort: [{ cleaningSince: "asc" }],
    size: maxDeleted
  })
  yield* attemptAll(
    begun,
    Effect.fnUntraced(function* ({ document, id }) {
      const { cleaning = [] } = document
      const isAssigned = ({ policies }: IdentifierDocument) =>
        policies.some(({ cleanPastEvents, uuid }) => uuid === id && cleanPastEvents)
      const assigned = isThere(document)
        ? (yield* readAssigned(cluster, id)).flatMap((hit) => (isAssigned(hit.document) ? [hit.document.id] : []))
        : []
      yield* clean(
        keyed,
        id,
        ruleOf(document),
        cleaning.filter((identifier) => assigned.includes(identifier))
      )
      yield* cluster.update(policyIndex, id, (policy) => {
        // A request may have started another removal.
        if (policy === undefined || policy.cleaningSince !== document.cleaningSince) return undefined
        const { cleaning: _cleaning, cleaningSince: _since, ...rest } = policy
        return rest
      })
    })
  )
})

export const isPolicyOf = (tenantId: number, policy: PolicyDocument | undefined): policy is PolicyDocument =>
  isThere(policy) && policy.tenantId === tenantId

/** False for a policy that is missing or deleted. */
export const isThere = (policy: PolicyDocument | undefined): policy is PolicyDocument =>
  policy !== undefined && policy.deletedAt === undefined

/** The identifiers to which the policy is assigned. */
const readAssigned = (cluster: Cluster["Service"], uuid: string) =>
  cluster.all(identifierIndex, { query: { term: { "policies.uuid": uuid } }, sort: [{ id: "asc" }] })

const refusedBy = (
  policy: { readonly uuid: string; readonly rule: PolicyRule },
  identifiers: ReadonlyArray<IdentifierDocument>
): ReadonlyArray<RefusedIdentifier> => {
  const rules = new Map(identifiers.flatMap(({ policies }) => policies.map(({ uuid, value }) => [uuid, value])))
  return refusedIdentifiers(
    policy,
    identifiers.map(({ id, policies }) => ({ id, policies: policies.map(({ uuid }) => uuid) })),
    (uuid) => rules.get(uuid) ?? {}
  )
}

/** Returns the new policies of an identifier; undefined leaves them unchanged. */
type PoliciesOf = (identifier: IdentifierDocument) => IdentifierDocument["policies"] | undefined

const withPolicies = (identifier: IdentifierDocument, policiesOf: PoliciesOf): IdentifierDocument | undefined => {
  const policies = policiesOf(identifier)
  return policies === undefined ? undefined : { ...identifier, policies }
}

/** Changes the policies of all identifiers, or of none. */
const setPolicies = (
  cluster: Cluster["Service"],
  tenantId: number,
  ids: ReadonlyArray<number>,
  policiesOf: PoliciesOf
) => {
  const change = (identifier: IdentifierDocument | undefined) =>
    identifier?.tenantId === tenantId ? withPolicies(identifier, policiesOf) : undefined
  return updateMany(cluster, identifierIndex, tenantId, new Map(ids.map((id) => [String(id), change])))
}

const withoutPolicy = (identifier: IdentifierDocument, uuid: string) =>
  identifier.policies.filter((policy) => policy.uuid !== uuid)

const toPolicy = (
  uuid: string,
  { createdAt, lastUpdatedAt, name, type = "INCLUDED_KEYWORDS", value }: PolicyDocument
): MatchingPolicy => ({
  uuid,
  name,
  policy_type: type,
  value,
  created_at: createdAt,
  last_updated_at: lastUpdatedAt
})

const ruleOf = ({ type = "INCLUDED_KEYWORDS", value }: PolicyDocument): PolicyRule => decodeRule({ ...value, type })

const decodeRule = Schema.decodeUnknownSync(PolicyRule)

/**
 * Gives the identifiers of an updated policy its new value. With `isLimited`, identifiers that cannot have it stay
 * unchanged and are returned.
 */
const applyUpdate = Effect.fnUntraced(function* (
  cluster: Cluster["Service"],
  uuid: string,
  policy: PolicyDocument,
  isLimited = false
) {
  const value = ruleOf(policy)
  const refused = new Map<number, RefusedIdentifier>()
  yield* changeAssigned(cluster, uuid, (identifier) => {
    const [refusal] = isLimited ? refusedBy({ uuid, rule: value }, [identifier]) : []
    if (refusal !== undefined) return void refused.set(identifier.id, refusal)
    return identifier.policies.map((assigned) => (assigned.uuid === uuid ? { ...assigned, value } : assigned))
  })
  return [...refused.values()]
})

const removeAssignments = (cluster: Cluster["Service"], uuid: string) =>
  changeAssigned(cluster, uuid, (identifier) => withoutPolicy(identifier, uuid))

/** Changes the policies of every identifier that has the policy. */
const changeAssigned = Effect.fnUntraced(function* (cluster: Cluster["Service"], uuid: string, policiesOf: PoliciesOf) {
  yield* attemptAll(
    yield* readAssigned(cluster, uuid),
    ({ id }) =>
      cluster.update(identifierIndex, id, (identifier) =>
        identifier === undefined ? undefined : withPolicies(identifier, policiesOf)
      ),
    { concurrency: 8 }
  )
})

/**
 * Applies updates that a service left incomplete. An assignment that read the policy before the update may overwrite
 * it, so an update is applied again until all such requests have ended.
 */
const completeUpdates = Effect.fnUntraced(function* (cluster: Cluster["Service"]) {
  const overUntil = yield* requestsOverUntil
  const updated = yield* cluster.all(policyIndex, { query: { term: { isApplied: false } }, sort: [{ _seq_no: "asc" }] })
  yield* attemptAll(
    updated,
    Effect.fnUntraced(function* ({ document, id }) {
      if (!isThere(document)) return
      yield* applyUpdate(cluster, id, document)
      if (document.lastUpdatedAt >= overUntil) return
      yield* cluster.update(policyIndex, id, (policy) =>
        policy?.lastUpdatedAt === document.lastUpdatedAt ? { ...policy, isApplied: true } : undefined
      )
    })
  )
})

/**
 * Removes assignments that the deletion of their policy left behind, or that a concurrent request added. The deleted
 * policies themselves are kept until all such requests have ended.
 */
const completeDeletions = Effect.fnUntraced(function* (cluster: Cluster["Service"]) {
  const overUntil = yield* requestsOverUntil
  const deleted = yield* cluster.search(policyIndex, {
    query: { exists: { field: "deletedAt" } },
    sort: [{ deletedAt: "asc" }],
    size: maxDeleted
  })
  yield* attemptAll(
    deleted,
    Effect.fnUntraced(function* ({ document: { deletedAt = overUntil }, id }) {
      yield* removeAssignments(cluster, id)
      if (deletedAt < overUntil) yield* cluster.remove(policyIndex, id)
    })
  )
})

/** Maximum policies per round; fewer than that are deleted in a minute. */
const maxDeleted = 10_000

const PolicyDocument = Schema.Struct({
  tenantId: Schema.Int,
  name: Schema.String,
  /** Absent for `INCLUDED_KEYWORDS`. */
  type: Schema.optionalKey(Schema.String),
  value: Schema.Record(Schema.String, Schema.Unknown).check(Schema.makeFilter(Schema.is(PolicyRule))),
  createdAt: Schema.String,
  lastUpdatedAt: Schema.String,
  /** ISO 8601. A deleted policy is visible only to the removal of its assignments. */
  deletedAt: Schema.optional(Schema.String),
  /** False while identifiers may still have the former value. */
  isApplied: Schema.optionalKey(Schema.Boolean),
  /**
   * The identifiers whose past findings are being removed, and since when. The recovery completes an interrupted
   * removal.
   */
  cleaning: Schema.optional(Schema.Array(Schema.Int)),
  cleaningSince: Schema.optional(Schema.String)
})
interface PolicyDocument extends Schema.Schema.Type<typeof PolicyDocument> {}

export const policyIndex = sealedIndex<PolicyDocument>({
  name: "matching-policies",
  version: 2,
  properties: {
    tenantId: { type: "long" },
    name: keptOnly,
    type: keptOnly,
    value: { type: "object", enabled: false },
    createdAt: keptOnly,
    lastUpdatedAt: keptOnly,
    deletedAt: { type: "keyword" },
    isApplied: { type: "boolean" },
    cleaning: { type: "long", index: false, doc_values: false },
    cleaningSince: { type: "keyword" }
  },
  document: PolicyDocument
})

export const policiesTransfer = defineTransfer({
  table: transferredPolicies,
  index: policyIndex,
  toDocument: ({ cleaning, uuid, ...document }) => ({
    id: uuid,
    // No request of the cluster is running this removal: the first service there completes it.
    document: cleaning.length === 0 ? document : { ...document, cleaning, cleaningSince: document.createdAt }
  })
})
