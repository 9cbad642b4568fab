/** Runs one suite over both engines: see {@link describeOnEngines}. */
import { borrowStore, openSearchNode, returnStore } from "@threat-exposure/programs/OpenSearchNode"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { describe } from "vitest"
import type { ClusterOptions } from "@threat-exposure/service/ClusterEngine"
import { clusterEngine, type Stores } from "@threat-exposure/service/Services"
import { Settings } from "@threat-exposure/service/Settings"
import { sqliteSameThread } from "@threat-exposure/service/sqlite/Sqlite"
import { databaseFiles } from "@threat-exposure/service/sqlite/database/Database"
import { temporaryDatabase, temporarySqlite, type TestStore } from "./TestService.ts"

export interface Engine {
  readonly name: "SQLite" | "OpenSearch"
  /** Stores without data. */
  readonly stores: Layer.Layer<Stores>
  /** A store without data, for services and commands that share it. Use it only while the scope is open. */
  readonly store: Effect.Effect<TestStore, never, Scope.Scope>
}

/** Declares the suite once per engine. Without a node of OpenSearch, its suite is skipped with the reason. */
export const describeOnEngines = (name: string, suite: (engine: Engine) => void): void => {
  describeOnSqlite(name, suite)
  describe.skipIf("missing" in node)("missing" in node ? node.missing : `${name} on OpenSearch`, () => {
    suite(openSearchEngine("missing" in node ? "" : node.url))
  })
}

/**
 * For suites that test layers above the store, and for those that take minutes on OpenSearch, which `npm run test:long`
 * runs there.
 */
export const describeOnSqlite = (name: string, suite: (engine: Engine) => void): void => {
  describe(`${name} on SQLite`, () => {
    suite(sqliteEngine)
  })
}

const node = await openSearchNode()
const sqliteEngine: Engine = {
  name: "SQLite",
  store: temporarySqlite,
  stores: Layer.unwrap(Effect.map(temporaryDatabase, (file) => Layer.orDie(sqliteSameThread(databaseFiles(file)))))
}

const openSearchEngine = (url: string): Engine => {
  const store = Effect.map(emptyCluster(url), (options): TestStore => ({
    layer: Layer.unwrap(Effect.map(clusterEngine, (engine) => Layer.orDie(engine.stores(options)))),
    flags: ["--opensearch", url, "--index-prefix", options.prefix, "--key-file", options.keyFile]
  }))
  const stores = Layer.unwrap(Effect.map(store, ({ layer }) => layer))
  return { name: "OpenSearch", store, stores: Layer.provide(stores, unhurried) }
}

/** Settings with a long time limit for searches, because the machine may be slow. */
export const unhurried = Layer.effect(
  Settings,
  Effect.map(Settings, (defaults) => ({ ...defaults, searchTimeLimit: 600_000 }))
)

/**
 * For services on the node, without data, and without another service while the scope is open. Creating the indices
 * takes a second, but deleting their documents does not, so the next caller gets the same indices. They have one shard
 * each, which costs the node a fifth less CPU time; `Engines.test.ts` compares the engines with several shards.
 */
export const emptyCluster = (url: string): Effect.Effect<ClusterOptions, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(Effect.promise(borrowStore), (store) =>
      Effect.promise(async () => {
        if (await isEmptied(url, store.prefix)) await returnStore(store)
      })
    ),
    (store) => ({ ...store, ...unhurriedCluster, urls: [url], shards: 1 })
  )

/** Milliseconds. On a busy machine, an answer can take longer than the default of half a minute. */
export const unhurriedCluster = { startTimeLimit: 600_000, callTimeLimit: 600_000, requestTimeLimit: 600_000 }

/**
 * Deletes the documents of the indices. False if the indices cannot be used again, after a rotation of the key or an
 * upgrade, and are deleted.
 */
const isEmptied = async (url: string, prefix: string): Promise<boolean> => {
  const state = await done(
    `${url}/${prefix}-state/_search?ignore_unavailable=true&filter_path=hits.hits._source`,
    "POST"
  )
  if (!isAsCreated(state)) {
    await done(`${url}/${prefix}-*`, "DELETE")
    return false
  }
  let filled = await filledIndices(url, prefix)
  // An interrupted write may still be completed meanwhile.
  while (filled.length > 0) {
    const everything = '{"query":{"match_all":{}}}'
    await done(`${url}/${filled.join()}/_delete_by_query?conflicts=proceed`, "POST", everything)
    filled = await filledIndices(url, prefix)
  }
  return true
}

/** The names of the indices that contain documents. */
const filledIndices = async (url: string, prefix: string): Promise<ReadonlyArray<string>> => {
  await done(`${url}/${prefix}-*/_refresh`, "POST")
  const { indices } = decodeStats(await done(`${url}/${prefix}-*/_stats/docs`, "GET"))
  return Object.keys(indices).filter((index) => (indices[index]?.primaries.docs.count ?? 0) > 0)
}

const decodeStats = Schema.decodeUnknownSync(
  Schema.Struct({
    indices: Schema.Record(
      Schema.String,
      Schema.Struct({ primaries: Schema.Struct({ docs: Schema.Struct({ count: Schema.Int }) }) })
    )
  })
)

const isAsCreated = Schema.is(
  Schema.Struct({
    hits: Schema.Struct({
      hits: Schema.Tuple([
        Schema.Struct({
          _source: Schema.Struct({
            key_check: Schema.String.check(Schema.isPattern(/^[^/]+$/u)),
            next_check: Schema.Null,
            upgraded: Schema.optional(Schema.Undefined)
          })
        })
      ])
    })
  })
)

const done = async (url: string, method: string, body?: string): Promise<unknown> => {
  const response = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body, headers: { "content-type": "application/json" } })
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text.slice(0, 500)}`)
  return JSON.parse(text)
}
