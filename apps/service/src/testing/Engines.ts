/** Runs one suite over both engines: see {@link describeOnEngines}. */
import { rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { afterAll, describe } from "vitest"
import { openSearch } from "../OpenSearch.ts"
import type { Stores } from "../Services.ts"
import { sqliteSameThread } from "../Sqlite.ts"
import { databaseFiles } from "../sqlite/Database.ts"
import { temporaryFolder, temporarySqlite, type TestStore } from "./TestService.ts"

export interface Engine {
  readonly name: "SQLite" | "OpenSearch"
  /** Stores without data, for one test at a time: building the layer again deletes what the test before wrote. */
  readonly stores: Layer.Layer<Stores>
  /** A separate store, for a service and commands on the same data. It is deleted when the scope closes. */
  readonly store: Effect.Effect<TestStore, never, Scope.Scope>
}

/** Declares the suite once for each engine. Where there is no node of OpenSearch, its suite is skipped with the reason. */
export const describeOnEngines = (name: string, suite: (engine: Engine) => void): void => {
  describe(`${name} on SQLite`, () => {
    suite(sqliteEngine)
  })
  describe.skipIf("missing" in node)("missing" in node ? node.missing : `${name} on OpenSearch`, () => {
    const { prefix, url } = "missing" in node ? { prefix: "", url: "" } : node
    const own = `${prefix}-${(suites += 1)}`
    const keyFile = join(tmpdir(), `${own}.key`)
    afterAll(async () => {
      await deleteIndices(url, own)
      rmSync(keyFile, { force: true })
    })
    suite(openSearchEngine(url, own, keyFile))
  })
}

const node = await openSearchNode()
let suites = 0

const sqliteEngine: Engine = {
  name: "SQLite",
  store: temporarySqlite,
  stores: Layer.unwrap(
    Effect.map(temporaryFolder, (folder) => Layer.orDie(sqliteSameThread(databaseFiles(join(folder, "test.sqlite")))))
  )
}

const openSearchEngine = (url: string, prefix: string, keyFile: string): Engine => {
  let stores = 0
  return {
    name: "OpenSearch",
    // Creating the indices takes seconds, deleting documents does not.
    stores: Layer.unwrap(
      Effect.as(
        Effect.promise(() => deleteDocuments(url, prefix)),
        Layer.orDie(openSearch({ urls: [url], prefix, keyFile }))
      )
    ),
    store: Effect.acquireRelease(
      Effect.sync((): TestStore & { readonly prefix: string } => {
        const own = `${prefix}-${(stores += 1)}`
        return {
          prefix: own,
          layer: Layer.orDie(openSearch({ urls: [url], prefix: own, keyFile })),
          flags: ["--opensearch", url, "--index-prefix", own, "--key-file", keyFile]
        }
      }),
      ({ prefix }) => Effect.promise(() => deleteIndices(url, prefix))
    )
  }
}

const deleteIndices = (url: string, prefix: string) => done(`${url}/${prefix}-*`, "DELETE")

/** And the counters as an index: numbers start at 1 again. */
const deleteDocuments = async (url: string, prefix: string) => {
  const indices = `${prefix}-*,-${prefix}-state-*,-${prefix}-counters-*`
  await Promise.all([
    done(`${url}/${indices}/_delete_by_query?refresh=true&conflicts=proceed`, "POST", '{"query":{"match_all":{}}}'),
    done(`${url}/${prefix}-counters-*`, "DELETE")
  ])
}

const done = async (url: string, method: string, body?: string) => {
  const response = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body, headers: { "content-type": "application/json" } })
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text.slice(0, 500)}`)
}
