/** A separate database in a temporary folder, which is deleted afterwards. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sqliteSameThread } from "@threat-exposure/service/sqlite/Sqlite"
import { temporaryDatabase } from "@threat-exposure/service/testing/TestService"
import { Clock, Effect, Layer } from "effect"
import { databaseFiles } from "@threat-exposure/service/sqlite/database/Database"

/** The clock of a test stands still, so that waiting for a lock would never end. */
const realClock = Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())

/** The names of the files, which are not created. */
export const filesForTest = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "threat-exposure-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ),
  (folder) => databaseFiles(join(folder, "test.sqlite"))
)

export const DatabaseOnTestClock = Layer.unwrap(
  Effect.map(temporaryDatabase, (file) => sqliteSameThread(databaseFiles(file)))
)

export const DatabaseForTest = Layer.merge(DatabaseOnTestClock, realClock)
