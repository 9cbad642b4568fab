/**
 * Runs the whole service in this process, for tests: on a free port, with a database in a temporary folder.
 *
 * ```ts
 * const service = await startService()
 * await service.load("credentials", [{ id: 1, identity_name: "a@example.com", imported_at: "2026-01-01T00:00:00Z" }])
 * const client = createClient({ baseUrl: service.url, token: service.token })
 * // …
 * await service.stop()
 * ```
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type * as Scope from "effect/Scope"
import type { Permission } from "@threat-exposure/core/domain/Permission"
import { newToken } from "@threat-exposure/service/keys/ApiKeys"
import { KeyStore } from "@threat-exposure/service/keys/KeyStore"
import { load as loadRecords, type LoadResult } from "@threat-exposure/service/load/Load"
import { LoadTargets, type OpenTarget } from "@threat-exposure/service/load/LoadTarget"
import { loadSample } from "@threat-exposure/service/sample/SampleLoad"
import { Log } from "@threat-exposure/service/observability/Log"
import { Server } from "@threat-exposure/service/Server"
import { Services, type Stores } from "@threat-exposure/service/Services"
import { type ServiceSettings, Settings } from "@threat-exposure/service/Settings"
import { sqlite } from "@threat-exposure/service/sqlite/Sqlite"
import { Connection } from "@threat-exposure/service/sqlite/database/Connection"
import { databaseFiles } from "@threat-exposure/service/sqlite/database/Database"
import { migrate } from "@threat-exposure/service/sqlite/database/Migration"
import { migrations } from "@threat-exposure/service/sqlite/database/migrations"

export interface TestServiceOptions extends Partial<ServiceSettings> {
  /** Default: 0, a free port. */
  readonly port?: number
  /** Loads the sample data set for tenant 1. */
  readonly sample?: boolean
  /** The location of the data. Default: a database in a temporary folder. */
  readonly store?: Effect.Effect<TestStore, never, Scope.Scope>
}

export interface TestStore {
  readonly layer: Layer.Layer<Stores>
  /** The flags with which a command uses the same data. */
  readonly flags: ReadonlyArray<string>
}

/** The built module of the database thread, which starts with less than half of the CPU time of its sources. */
export const builtThread = new URL("../dist/sqliteThread.js", import.meta.url)

/** A store that is kept when the service stops. */
export const sqliteStore = (file: string): TestStore => ({
  layer: Layer.orDie(sqlite(databaseFiles(file), { thread: builtThread })),
  flags: ["--database", file]
})

/** A temporary folder, which is deleted when the scope closes. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "threat-exposure-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** A database that has its tables, but no data and no key yet. */
export const temporaryDatabase = Effect.map(temporaryFolder, (folder) => {
  const file = join(folder, "test.sqlite")
  emptyDatabase ??= createEmptyDatabase(join(folder, "empty.sqlite"))
  writeFileSync(file, emptyDatabase, { mode: 0o600 })
  return file
})

/** Created once, because creating the tables takes longer than many of the tests. */
let emptyDatabase: Uint8Array | undefined

const createEmptyDatabase = (file: string): Uint8Array => {
  const connection = new Connection(file)
  migrate(connection, migrations, "2026-01-01T00:00:00Z")
  connection.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  connection[Symbol.dispose]()
  return readFileSync(file)
}

export const temporarySqlite = Effect.map(temporaryDatabase, sqliteStore)

export class TestService extends Context.Service<
  TestService,
  {
    readonly url: string
    /** The token of a key of tenant 1 with every permission. */
    readonly token: string
    readonly store: TestStore
    /** Creates a key, and returns its token. Default: tenant 1, every permission. */
    key(options?: {
      readonly tenantId?: number
      readonly permissions?: ReadonlyArray<Permission>
    }): Effect.Effect<string>
    /** Loads records in encoded form; invalid ones are counted and skipped. Recommendations belong to tenant 1. */
    load(kind: LoadableKind, records: ReadonlyArray<unknown>): Effect.Effect<LoadResult>
  }
>()("@threat-exposure/service/testing/TestService") {
  static readonly layer = ({
    port = 0,
    sample = false,
    store: given = temporarySqlite,
    ...settings
  }: TestServiceOptions = {}) =>
    Layer.unwrap(
      Effect.map(given, (store) =>
        serviceOver(store, sample).pipe(
          Layer.provide(Server.layer({ host: "127.0.0.1", port })),
          Layer.provide(Log.layerSilent),
          Layer.provide(Services),
          Layer.provide(store.layer),
          Layer.provide(
            Layer.effect(
              Settings,
              Effect.map(Settings, (defaults) => ({ ...defaults, idleGrace: 0, searchTimeLimit: 600_000, ...settings }))
            )
          ),
          Layer.provide(Layer.succeed(Clock.Clock, realClock))
        )
      )
    )
}

export type LoadableKind = "credentials" | "events" | "recommendations"

/** {@link TestService} for tests without Effect. */
export interface RunningService {
  readonly url: string
  readonly token: string
  readonly store: TestStore
  key(options?: { readonly tenantId?: number; readonly permissions?: ReadonlyArray<Permission> }): Promise<string>
  load(kind: LoadableKind, records: ReadonlyArray<unknown>): Promise<LoadResult>
  stop(): Promise<void>
}

export const startService = async (options: TestServiceOptions = {}): Promise<RunningService> => {
  const runtime = ManagedRuntime.make(TestService.layer(options))
  const { key, load, store, token, url } = await runtime.runPromise(TestService)
  return {
    url,
    token,
    store,
    key: (options) => runtime.runPromise(key(options)),
    load: (kind, records) => runtime.runPromise(load(kind, records)),
    stop: () => runtime.dispose()
  }
}

/** The clock of a test stands still, so the service would wait forever for a lock or for readers. */
const realClock = Clock.Clock.defaultValue()

const everyPermission: ReadonlyArray<Permission> = ["Read Tenant", "Write Tenant", "Write Tenant Admin"]

const serviceOver = (store: TestStore, sample: boolean) =>
  Layer.effect(
    TestService,
    Effect.gen(function* () {
      const targets = yield* LoadTargets
      const keys = yield* KeyStore
      const { url } = yield* Server
      if (sample) yield* loadSample()
      const key = Effect.fnUntraced(function* ({
        permissions = everyPermission,
        tenantId = 1
      }: { readonly tenantId?: number; readonly permissions?: ReadonlyArray<Permission> } = {}) {
        const token = newToken()
        const createdAt = DateTime.formatIso(yield* DateTime.now)
        yield* keys.create({ token, tenantId, permissions, createdAt })
        return token
      })
      const loading = (target: OpenTarget<unknown>, records: ReadonlyArray<unknown>) =>
        loadRecords({
          target,
          files: ["-"],
          standardInput: Readable.from(records.map((record) => Buffer.from(`${JSON.stringify(record)}\n`))),
          strict: false,
          keep: false,
          report: { refused: () => {}, progress: () => {}, published: () => {} }
        }).pipe(Effect.orDie, Effect.provideService(Clock.Clock, realClock))
      return TestService.of({
        url,
        store,
        token: yield* key(),
        key,
        load: (kind, records) => {
          switch (kind) {
            case "credentials":
              return loading(targets.credentials, records)
            case "events":
              return loading(targets.events, records)
            case "recommendations":
              return loading(targets.recommendations(1), records)
          }
        }
      })
    })
  )
