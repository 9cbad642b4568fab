/** A database of its own in a folder of its own, gone afterwards. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sqliteSameThread } from "@threat-exposure/service/sqlite/Sqlite"
import { temporaryDatabase } from "@threat-exposure/service/testing/TestService"
import { Clock, Effect, Layer } from "effect"
import { databaseFiles } from "@threat-exposure/service/sqlite/database/Database"

/** Under the clock of a test, which stands still, what waits for a lock waits for ever. */
const realClock = Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())

/** The names of the files; nothing is created. */
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
