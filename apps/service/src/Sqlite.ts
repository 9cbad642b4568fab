/** The embedded engine, put together: the one place that knows both its driver and the stores that run on it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CredentialStoreSqlite } from "./credentials/CredentialStoreSqlite.ts"
import { CurrentVault } from "./crypto/CurrentVault.ts"
import { QuotaStoreSqlite } from "./limits/QuotaStoreSqlite.ts"
import { Database, type DatabaseFiles } from "./sqlite/Database.ts"

const stores = Layer.mergeAll(
  Layer.effect(
    CurrentVault,
    Effect.map(Database, ({ vault }) => vault)
  ),
  CredentialStoreSqlite,
  QuotaStoreSqlite
)

/** For `serve`, and for commands with much to do: reader threads and a writer thread. */
export const sqlite = (files: DatabaseFiles) =>
  Layer.provideMerge(stores, Database.layer(files, new URL("sqliteThread.ts", import.meta.url)))

/** For other commands and for tests: everything on the caller's thread. */
export const sqliteSameThread = (files: DatabaseFiles) => Layer.provideMerge(stores, Database.layerSameThread(files))
