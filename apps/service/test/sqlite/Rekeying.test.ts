import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { sqliteSameThread } from "@threat-exposure/service/Sqlite"
import { databaseFiles } from "@threat-exposure/service/sqlite/Database"
import { Effect, Layer } from "effect"
import { searches } from "../fixtures/earlierData.ts"
import { ServiceForTest } from "../ServiceForTest.ts"

const fixture = (name: string) => join(import.meta.dirname, "../fixtures", name)

const earlierDatabase = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "threat-exposure-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ),
  (folder) => {
    const files = databaseFiles(join(folder, "test.sqlite"))
    writeFileSync(files.file, gunzipSync(readFileSync(fixture("earlier.sqlite.gz"))))
    copyFileSync(fixture("earlier.key"), files.keyFile)
    chmodSync(files.keyFile, 0o600)
    return files
  }
)

describe("a database of format 1", () => {
  it.effect("is upgraded when it is opened: every search finds what it found before", () =>
    Effect.gen(function* () {
      const files = yield* earlierDatabase
      const expected = JSON.parse(readFileSync(fixture("earlier.json"), "utf8"))
      // The second time it is in the present format.
      for (let start = 0; start < 2; start += 1) {
        const answers = yield* Effect.gen(function* () {
          const { call } = yield* ServiceForTest
          return yield* Effect.forEach(searches, ({ body, path }) => call(1, "POST", path, body))
        }).pipe(Effect.provide(Layer.provide(ServiceForTest.layerNoDeps, sqliteSameThread(files))))
        for (const [at, { body }] of answers.entries()) {
          assert.deepEqual(body, expected[at], JSON.stringify(searches[at]))
        }
      }
    }).pipe(Effect.scoped)
  )
})
