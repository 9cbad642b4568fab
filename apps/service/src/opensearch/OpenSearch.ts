/** Assembles the distributed engine: the one module that knows both the cluster and the stores. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { backupsOpenSearch } from "./BackupsOpenSearch.ts"
import { CredentialDeletionOpenSearch } from "./CredentialDeletionOpenSearch.ts"
import { credentialIndex, credentialIndexer, keyedCredentials, credentialsTransfer } from "./CredentialIndex.ts"
import { CredentialStoreOpenSearch } from "./CredentialStoreOpenSearch.ts"
import { credentialStateIndex, credentialStatesTransfer } from "./TenantCredentialsOpenSearch.ts"
import { annotationIndex, eventIndex, findingIndex } from "./events/EventIndex.ts"
import { annotationsTransfer } from "./events/EventAnnotationsOpenSearch.ts"
import { EventDeletionOpenSearch } from "./events/EventDeletionOpenSearch.ts"
import { eventIndexer, keyedEvents, keyedFindings, eventsTransfer, findingsTransfer } from "./events/EventIndexer.ts"
import { EventStoreOpenSearch } from "./events/EventStoreOpenSearch.ts"
import { materializationIndex } from "./events/Materialization.ts"
import { groupIndex, IdentifierGroupStoreOpenSearch, groupsTransfer } from "./IdentifierGroupStoreOpenSearch.ts"
import { creationIndex, IdentifierStoreOpenSearch, creationsTransfer } from "./IdentifierStoreOpenSearch.ts"
import { intelIndex, IntelStoreOpenSearch, keyedIntelRequests, intelRequestsTransfer } from "./IntelStoreOpenSearch.ts"
import { keyIndex, KeyStoreOpenSearch, keysTransfer, resealKeys } from "./KeyStoreOpenSearch.ts"
import { paidIndex, quotaIndex, QuotaStoreOpenSearch, quotaTransfer } from "./QuotaStoreOpenSearch.ts"
import { rateIndex, RateStoreOpenSearch } from "./RateStoreOpenSearch.ts"
import { loadTargetsOpenSearch, type RecordIndexer } from "./LoadTargetOpenSearch.ts"
import { identifierIndex, keyedIdentifiers, identifiersTransfer } from "./IdentifierIndex.ts"
import { MatchingPolicyStoreOpenSearch, policyIndex, policiesTransfer } from "./MatchingPolicyStoreOpenSearch.ts"
import { StoreHealth } from "../observability/StoreHealth.ts"
import type { ClusterOptions } from "../ClusterEngine.ts"
import type { RowProgress } from "../RowProgress.ts"
import type { TransferSource } from "../transfer/TransferredTables.ts"
import { batchIndex, completeBatches } from "./cluster/BulkUpdate.ts"
import { Cluster } from "./cluster/Cluster.ts"
import { resealed } from "./cluster/DocumentSeal.ts"
import { clusterLayer, ClusterState, KeyedCluster } from "./cluster/ClusterStart.ts"
import { repeatRecovery } from "../requests/Recovery.ts"
import { transfer } from "./cluster/ClusterTransfer.ts"
import { StrictLoad } from "./cluster/StrictLoad.ts"
import { type Rotation, rotateKey } from "./cluster/copies/ClusterRotation.ts"
import { type Upgrade, upgradeIndices } from "./cluster/copies/ClusterUpgrade.ts"
import {
  recommendationIndex,
  recommendationIndexer,
  RecommendationStoreOpenSearch,
  recommendationsTransfer
} from "./RecommendationStoreOpenSearch.ts"
import { reportIndex, ReportStoreOpenSearch, reportsTransfer } from "./ReportStoreOpenSearch.ts"
import { reservationIndex } from "./Reservations.ts"
import { readyWithin, repeatedEachSecond } from "../requests/Readiness.ts"
import { StoreRefusal, StoreUnavailable } from "../requests/StoreUnavailable.ts"
import { SampleDeletionOpenSearch } from "./SampleDeletionOpenSearch.ts"
import { TenantDeletionOpenSearch } from "./TenantDeletionOpenSearch.ts"
import { memberIndex, TenantStoreOpenSearch, membersTransfer } from "./TenantStoreOpenSearch.ts"
import { monotonicNow } from "../MonotonicTime.ts"

/** Every index of the stores. */
const indices = [
  // A tenant is deleted in this order: batches come before the indices that they contain changes of.
  batchIndex,
  annotationIndex,
  creationIndex,
  credentialIndex,
  credentialStateIndex,
  eventIndex,
  findingIndex,
  groupIndex,
  identifierIndex,
  intelIndex,
  keyIndex,
  materializationIndex,
  memberIndex,
  paidIndex,
  policyIndex,
  quotaIndex,
  rateIndex,
  recommendationIndex,
  reportIndex,
  reservationIndex
]

/** The indices whose data is encrypted, indexed or sealed with the key. */
const keyedIndices = [
  keyedCredentials,
  keyedEvents,
  keyedFindings,
  keyedIdentifiers,
  keyedIntelRequests,
  ...[
    annotationIndex,
    batchIndex,
    creationIndex,
    credentialStateIndex,
    groupIndex,
    materializationIndex,
    memberIndex,
    policyIndex,
    recommendationIndex,
    reportIndex,
    reservationIndex
  ].map((index) => resealed(index))
]

const loadTargets = loadTargetsOpenSearch(
  Effect.gen(function* () {
    const state = yield* ClusterState
    /** Reads the state before each write: a load has no other way to notice an upgrade. */
    const withChecks = <Item>(indexer: RecordIndexer<Item>): RecordIndexer<Item> => ({
      ...indexer,
      write: (items, options) => Effect.andThen(state.revision, indexer.write(items, options))
    })
    return (keyed: KeyedCluster["Service"]) => ({
      credentials: withChecks(credentialIndexer(keyed)),
      events: withChecks(eventIndexer(keyed)),
      recommendations: (tenantId: number) => withChecks(recommendationIndexer(keyed, tenantId))
    })
  })
).pipe(Layer.provide(StrictLoad.layer(indices)))

const health = ({ requestTimeLimit = 25_000 }: ClusterOptions) =>
  Layer.effect(
    StoreHealth,
    Effect.gen(function* () {
      const state = yield* ClusterState
      const check = Effect.andThen(state.revision, state.advance).pipe(
        Effect.andThen(state.recentCheck),
        Effect.timeoutOrElse({ duration: readyWithin, orElse: () => Effect.die(answersTooLate()) }),
        Effect.catchDefect((defect) =>
          Effect.fail(
            defect instanceof StoreUnavailable
              ? defect
              : new StoreUnavailable({
                  reason: defect instanceof StoreRefusal ? defect.reason : "OpenSearch refuses to write"
                })
          )
        )
      )
      const { foreign } = yield* Cluster
      return StoreHealth.of({
        foreign: () => foreign.names,
        ready: yield* repeatedEachSecond(check),
        within: (startedAt, work) =>
          Effect.suspend(() =>
            Effect.timeoutOrElse(work, {
              duration: Math.max(0, startedAt + requestTimeLimit - monotonicNow()),
              orElse: () => Effect.die(answersTooLate())
            })
          ),
        gauges: []
      })
    })
  )

const answersTooLate = () => new StoreUnavailable({ reason: "OpenSearch does not answer in time" })

const recovery = Layer.effectDiscard(
  Effect.flatMap(KeyedCluster, (keyed) =>
    repeatRecovery(Effect.suspend(() => completeBatches(keyed.now.cluster, indices)))
  )
)

const storesOf = (options: ClusterOptions) =>
  Layer.mergeAll(
    recovery,
    health(options),
    CredentialDeletionOpenSearch,
    CredentialStoreOpenSearch(options),
    EventDeletionOpenSearch,
    EventStoreOpenSearch,
    IdentifierGroupStoreOpenSearch,
    IdentifierStoreOpenSearch,
    IntelStoreOpenSearch,
    KeyStoreOpenSearch,
    SampleDeletionOpenSearch,
    loadTargets,
    MatchingPolicyStoreOpenSearch,
    QuotaStoreOpenSearch,
    RateStoreOpenSearch,
    RecommendationStoreOpenSearch,
    ReportStoreOpenSearch,
    TenantDeletionOpenSearch(indices),
    TenantStoreOpenSearch
  )

export const openSearch = (options: ClusterOptions) =>
  Layer.provideMerge(storesOf(options), clusterLayer(options, indices))

export const openSearchBackups = (options: ClusterOptions) => backupsOpenSearch(options, indices)

export const upgradeCluster = <E, R>(upgrade: Omit<Upgrade<E, R>, "indices">) => upgradeIndices({ ...upgrade, indices })

export const rotateClusterKey = <E, R>(rotation: Omit<Rotation<E, R>, "keyedIndices" | "reseal" | "resealedIndices">) =>
  rotateKey({ ...rotation, keyedIndices, resealedIndices: [keyIndex], reseal: resealKeys })

/** Findings come after the events and identifiers that they belong to. */
const transfers = [
  keysTransfer,
  membersTransfer,
  quotaTransfer,
  policiesTransfer,
  identifiersTransfer,
  creationsTransfer,
  groupsTransfer,
  recommendationsTransfer,
  reportsTransfer,
  intelRequestsTransfer,
  annotationsTransfer,
  credentialStatesTransfer,
  credentialsTransfer,
  eventsTransfer,
  findingsTransfer
]

/** Everything that the commands need of this engine. */
export const openSearchEngine = {
  stores: openSearch,
  backups: openSearchBackups,
  upgrade: upgradeCluster,
  rotateKey: rotateClusterKey,
  transfer: (options: ClusterOptions, source: TransferSource, progress: RowProgress) =>
    transfer({ options, source, indices, transfers, progress })
}
