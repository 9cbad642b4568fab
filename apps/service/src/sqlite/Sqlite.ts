import { extname } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { backupsSqlite } from "./BackupsSqlite.ts"
import { CredentialDeletionSqlite } from "./credentials/CredentialDeletionSqlite.ts"
import { CredentialStoreSqlite } from "./credentials/CredentialStoreSqlite.ts"
import { keyedCredentials } from "./credentials/KeyedCredentials.ts"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import { EventDeletionSqlite } from "./events/EventDeletionSqlite.ts"
import { EventStoreSqlite } from "./events/EventStoreSqlite.ts"
import { keyedEvents } from "./events/KeyedEvents.ts"
import { IdentifierGroupStoreSqlite } from "./IdentifierGroupStoreSqlite.ts"
import { IdentifierStoreSqlite } from "./IdentifierStoreSqlite.ts"
import { IntelStoreSqlite, keyedIntelAnswers, keyedIntelRequests } from "./IntelStoreSqlite.ts"
import { keyedKeys, KeyStoreSqlite } from "./KeyStoreSqlite.ts"
import { QuotaStoreSqlite } from "./QuotaStoreSqlite.ts"
import { RateStore } from "../limits/RateLimits.ts"
import { LoadTargetsSqlite } from "./LoadTargetSqlite.ts"
import { keyedIdentifiers } from "./IdentifierPercolator.ts"
import { MatchingPolicyStoreSqlite } from "./MatchingPolicyStoreSqlite.ts"
import { StoreHealth } from "../observability/StoreHealth.ts"
import { RecommendationStoreSqlite } from "./RecommendationStoreSqlite.ts"
import { ReportStoreSqlite } from "./ReportStoreSqlite.ts"
import { Database, type DatabaseFiles, type ThreadOptions } from "./database/Database.ts"
import type { KeyedTable } from "./database/KeyedTable.ts"
import { SampleDeletionSqlite } from "./SampleDeletionSqlite.ts"
import { TenantDeletionSqlite } from "./TenantDeletionSqlite.ts"
import { TenantStoreSqlite } from "./TenantStoreSqlite.ts"

export const keyedTables: ReadonlyArray<KeyedTable> = [
  keyedIdentifiers,
  keyedIntelRequests,
  keyedIntelAnswers,
  keyedKeys,
  keyedEvents,
  keyedCredentials
]

const health = Layer.effect(
  StoreHealth,
  Effect.map(Database, ({ bytes, foreign, ready, waiting }) =>
    StoreHealth.of({
      ready,
      within: (_, work) => work,
      foreign: () => foreign.names,
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
  CredentialDeletionSqlite,
  CredentialStoreSqlite,
  EventDeletionSqlite,
  EventStoreSqlite,
  IdentifierGroupStoreSqlite,
  IdentifierStoreSqlite,
  IntelStoreSqlite,
  LoadTargetsSqlite,
  MatchingPolicyStoreSqlite,
  KeyStoreSqlite,
  QuotaStoreSqlite,
  RateStore.layerAlone,
  RecommendationStoreSqlite,
  ReportStoreSqlite,
  SampleDeletionSqlite,
  TenantDeletionSqlite,
  TenantStoreSqlite
)

/** The thread's module: TypeScript in the repository, JavaScript in the published package. */
const ownThread = new URL(`sqliteThread${extname(import.meta.url)}`, import.meta.url)

/** The engine for `serve` and large loads, with reader threads and a writer thread. */
export const sqlite = (
  files: DatabaseFiles,
  { thread = ownThread, ...options }: ThreadOptions & { readonly thread?: URL } = {}
) => Layer.provideMerge(stores, Database.layer(files, thread, keyedTables, options))

/** The engine for other commands and tests, which runs everything on the caller's thread. */
export const sqliteSameThread = (files: DatabaseFiles) =>
  Layer.provideMerge(stores, Database.layerSameThread(files, keyedTables))

export const sqliteBackups = (files: DatabaseFiles) => backupsSqlite(files, keyedTables)
