/** The share of secrets in the text of events that cannot be read in any file of the database, in many contexts. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Database, databaseFiles } from "@threat-exposure/service/sqlite/database/Database"
import { sqliteSameThread } from "@threat-exposure/service/sqlite/Sqlite"
import { plantedEvents, readableSecrets } from "@threat-exposure/service/testing/PlantedEvents"
import * as Effect from "effect/Effect"
import { printTable } from "./Table.ts"

const folder = mkdtempSync(join(tmpdir(), "threat-exposure-bench-"))
const files = databaseFiles(join(folder, "bench.sqlite"))
const planted = plantedEvents()
const readable = await Effect.runPromise(
  Effect.map(Database, ({ connection, vault }) => readableSecrets({ connection, vault }, files, planted)).pipe(
    Effect.provide(sqliteSameThread(files))
  )
).finally(() => rmSync(folder, { recursive: true, force: true }))

const contexts = new Set(planted.map(({ context }) => context)).size
const hidden = planted.length - readable.length
printTable("Secrets in the text of events", [
  {
    what: `${planted.length} secrets in ${contexts} contexts that cannot be read in any file of the database`,
    ours: `${((hidden / planted.length) * 100).toFixed(1)} %`,
    peer: "none",
    ratio: readable.length === 0 ? "" : `readable: ${[...new Set(readable.map(({ context }) => context))].join(", ")}`,
    target: "95 %",
    reached: hidden / planted.length >= 0.95
  }
])
