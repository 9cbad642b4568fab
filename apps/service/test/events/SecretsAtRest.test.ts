import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { termExpression } from "@threat-exposure/service/search/Expression"
import { tokenize } from "@threat-exposure/service/search/Tokenizer"
import { Database, databaseFiles } from "@threat-exposure/service/sqlite/database/Database"
import { sqliteSameThread } from "@threat-exposure/service/sqlite/Sqlite"
import { fullTextQuery } from "@threat-exposure/service/sqlite/database/FullTextQuery"
import { type PlantedEvent, plantedEvents, readableSecrets } from "@threat-exposure/service/testing/PlantedEvents"
import { Effect } from "effect"

/** The planted secrets that can be read in the database files, and those that a search for the exact value finds. */
const findSecrets = Effect.fnUntraced(function* (planted: ReadonlyArray<PlantedEvent>) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "threat-exposure-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )
  const files = databaseFiles(join(folder, "test.sqlite"))
  return yield* Effect.gen(function* () {
    const { connection, vault } = yield* Database
    const readable = readableSecrets({ connection, vault }, files, planted)
    const search = connection.prepare(
      "SELECT uid FROM event_index JOIN events ON id = event_index.rowid WHERE event_index MATCH ?"
    )
    const found = planted.filter(({ event, secret }) =>
      search
        .all(fullTextQuery(vault, termExpression({ kind: "secret", value: secret })))
        .some(({ uid }) => uid === event.metadata.uid)
    )
    return { readable, found }
  }).pipe(Effect.provide(sqliteSameThread(files)))
}, Effect.scoped)

describe("Secrets in the text of events", () => {
  it.effect(
    "cannot be read in any file of the database, except at most a twentieth, and are found by their exact value",
    () =>
      Effect.gen(function* () {
        const planted = plantedEvents()
        assert.isAtLeast(new Set(planted.map(({ context }) => context)).size, 30)
        const { found, readable } = yield* findSecrets(planted)
        assert.isAtMost(readable.length, planted.length / 20, readable.map(({ context }) => context).join(", "))
        // Secrets that the text encodes or splits over lines are not found by their value.
        assert.isAtLeast(found.length, planted.length * 0.9)
      })
  )

  it("are indexed as words where docs/security.md says so", () => {
    for (const text of ["login bob sunflower", "passphrase correct horse battery sunflower"]) {
      const words = tokenize({ blindIndex: () => assert.fail("a secret was recognised") }, text)
      assert.include(
        words.map((word) => word.text),
        "sunflower"
      )
    }
  })

  it.effect("could be read if they were indexed as words", () =>
    Effect.gen(function* () {
      const words = plantedEvents().map(({ context, event, secret }) => {
        const content = `somebody wrote ${secret.replaceAll(/[^a-z0-9]/gi, " ")} here`
        return { context, secret, event: { ...event, data: { content } } }
      })
      const { readable } = yield* findSecrets(words)
      assert.isAbove(readable.length, words.length * 0.8)
    })
  )
})
