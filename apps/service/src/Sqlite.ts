/** Assembles the embedded engine: the one module that knows both the driver and the stores. */
import { extname } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { backupsSqlite } from "./backup/BackupsSqlite.ts"
import { credentialLoader } from "./credentials/CredentialLoader.ts"
import { CredentialDeletion } from "./credentials/CredentialDeletion.ts"
import { CredentialStoreSqlite } from "./credentials/CredentialStoreSqlite.ts"
import { keyedCredentials } from "./credentials/KeyedCredentials.ts"
import { CurrentVault } from "./crypto/CurrentVault.ts"
import { EventDeletion } from "./events/EventDeletion.ts"
import { eventLoader } from "./events/EventLoader.ts"
import { EventStoreSqlite } from "./events/EventStoreSqlite.ts"
import { keyedEvents } from "./events/KeyedEvents.ts"
import { IdentifierGroupStore } from "./identifier-groups/IdentifierGroups.ts"
import { IdentifierStoreSqlite } from "./identifiers/IdentifierStoreSqlite.ts"
import { IntelStore, keyedIntelRequests } from "./intel/Intel.ts"
import { KeyStoreSqlite } from "./keys/KeyStoreSqlite.ts"
import { QuotaStoreSqlite } from "./limits/QuotaStoreSqlite.ts"
import { RateStore } from "./limits/RateLimits.ts"
import { loadTargetsSqlite } from "./load/LoadTargetSqlite.ts"
import { keyedIdentifiers } from "./matching/IdentifierPercolator.ts"
import { MatchingPolicyStoreSqlite } from "./matching-policies/MatchingPolicyStoreSqlite.ts"
import { StoreHealth } from "./observability/StoreHealth.ts"
import { recommendationLoader } from "./recommendations/RecommendationLoader.ts"
import { RecommendationStoreSqlite } from "./recommendations/RecommendationStoreSqlite.ts"
import { ReportStore } from "./reports/Reports.ts"
import { Database, type DatabaseFiles } from "./sqlite/Database.ts"
import type { KeyedTable } from "./sqlite/KeyedTable.ts"
import { SampleDeletion } from "./sample/SampleDeletion.ts"
import { SampleStoreSqlite } from "./sample/SampleStoreSqlite.ts"
import { TenantDeletion } from "./tenants/TenantDeletion.ts"
import { TenantStore } from "./tenants/Tenants.ts"

/** Every table with data under the vault's key. */
export const keyedTables: ReadonlyArray<KeyedTable> = [
  keyedIdentifiers,
  keyedIntelRequests,
  keyedEvents,
  keyedCredentials
]

const health = Layer.effect(
  StoreHealth,
  Effect.map(Database, ({ bytes, ready, waiting }) =>
    StoreHealth.of({
      ready,
      within: (_, work) => work,
      gauges: [
        { name: "threat_exposure_database_bytes", help: "Size of the database file", read: bytes },
        { name: "threat_exposure_reads_waiting", help: "Reads that wait for a thread", read: () => waiting().reads },
        {
          name: "threat_exposure_writes_waiting",
          help: "Writes that wait for the writer thread",
          read: () => waiting().writes
        }
      ]
    })
  )
)

const stores = Layer.mergeAll(
  Layer.effect(CurrentVault, Database),
  health,
  CredentialDeletion.layerSqlite,
  CredentialStoreSqlite,
  EventDeletion.layerSqlite,
  EventStoreSqlite,
  IdentifierGroupStore.layerSqlite,
  IdentifierStoreSqlite,
  IntelStore.layerSqlite,
  loadTargetsSqlite({ credentials: credentialLoader, events: eventLoader, recommendations: recommendationLoader }),
  MatchingPolicyStoreSqlite,
  KeyStoreSqlite,
  QuotaStoreSqlite,
  RateStore.layerAlone,
  RecommendationStoreSqlite,
  ReportStore.layerSqlite,
  SampleDeletion.layerSqlite,
  SampleStoreSqlite,
  TenantDeletion.layerSqlite,
  TenantStore.layerSqlite
)

/** TypeScript in the repository, JavaScript in the published package. */
const ownThread = new URL(`sqliteThread${extname(import.meta.url)}`, import.meta.url)

/** For `serve` and for large loads: reader threads and a writer thread. */
export const sqlite = (
  files: DatabaseFiles,
  { readers, thread = ownThread }: { readonly readers?: number | undefined; readonly thread?: URL } = {}
) => Layer.provideMerge(stores, Database.layer(files, thread, keyedTables, readers))

/** For other commands and tests: everything runs on the caller's thread. */
export const sqliteSameThread = (files: DatabaseFiles) =>
  Layer.provideMerge(stores, Database.layerSameThread(files, keyedTables))

export const sqliteBackups = (files: DatabaseFiles) => backupsSqlite(files, keyedTables)
