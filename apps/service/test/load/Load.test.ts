import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { FileUnreadable, load, LoadRefused, type LoadRequest } from "@threat-exposure/service/load/Load"
import { LoadTargets, type OpenTarget } from "@threat-exposure/service/load/LoadTarget"
import type { RefusedRecord } from "@threat-exposure/service/load/RecordReader"
import { sqlite, sqliteSameThread } from "@threat-exposure/service/sqlite/Sqlite"
import { Database, type DatabaseFiles, databaseFiles } from "@threat-exposure/service/sqlite/database/Database"
import { Deferred, Effect, Exit, Layer } from "effect"

const line = (id: number, more: Record<string, unknown> = {}) =>
  JSON.stringify({ id, identity_name: `a${id}@example.com`, imported_at: "2026-01-01T00:00:00Z", hash: "x", ...more })

/** A megabyte holds about fifteen hundred of these. */
const long = { urls: ["https://example.org/".padEnd(600, "a")] }

/** Loads texts as files into a database in `folder`. */
const loadFiles = Effect.fnUntraced(function* (
  files: DatabaseFiles,
  texts: ReadonlyArray<string>,
  options: Partial<LoadRequest<unknown>> = {}
) {
  const paths = texts.map((text, at) => {
    const file = `${files.file}.${at}.ndjson`
    writeFileSync(file, text)
    return file
  })
  const refused: Array<RefusedRecord> = []
  const progress: Array<number> = []
  const result = yield* load({
    target: options.target ?? (yield* LoadTargets).credentials,
    files: options.files ?? paths,
    standardInput: options.standardInput ?? Readable.from([]),
    strict: options.strict ?? false,
    keep: options.keep ?? false,
    report: {
      refused: (_file, record) => refused.push(record),
      progress: ({ count }) => progress.push(count),
      published: () => {}
    }
  })
  return { result, refused, progress }
})

const stored = Effect.map(Database, ({ connection }) =>
  connection
    .prepare("SELECT version >> 1 AS id FROM credentials ORDER BY version")
    .all()
    .map(({ id }) => id)
)

const temporaryDatabase = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "threat-exposure-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ),
  (folder) => databaseFiles(join(folder, "test.sqlite"))
)

/** Runs procedures on the same thread, and in threads. */
for (const [where, layer] of [
  ["on the same thread", sqliteSameThread],
  ["in threads", sqlite]
] as const) {
  const run = <A, E>(test: (files: DatabaseFiles) => Effect.Effect<A, E, Database | LoadTargets>) =>
    Effect.scoped(Effect.flatMap(temporaryDatabase, (files) => Effect.provide(test(files), Layer.orDie(layer(files)))))

  describe(`load, ${where}`, () => {
    it.live(
      "loads valid records, reports invalid ones by number, and changes nothing when it loads the same again",
      () =>
        run(
          Effect.fnUntraced(function* (files) {
            const text = [line(1), "{", "", line(2), '{"id":"x"}', line(3, { imported_at: "yesterday" }), line(3)].join(
              "\n"
            )
            const { refused, result } = yield* loadFiles(files, [text, line(4)])
            assert.deepEqual(result, { loaded: 4, replaced: 0, alreadyThere: 0, refused: 3 })
            assert.deepEqual(
              refused.map(({ position }) => position),
              ["line 2", "line 5", "line 6"]
            )
            assert.include(refused[1]?.reason, "identity_name: Field required")
            assert.include(refused[2]?.reason, "imported_at")
            assert.deepEqual((yield* loadFiles(files, [text])).result, {
              loaded: 0,
              replaced: 0,
              alreadyThere: 3,
              refused: 3
            })
            assert.deepEqual(yield* stored, [1, 2, 3, 4])
          })
        )
    )

    it.live("loads everything or nothing in a strict load", () =>
      run(
        Effect.fnUntraced(function* (files) {
          const good = Array.from({ length: 2_000 }, (_, id) => line(id)).join("\n")
          const failure = yield* Effect.flip(
            loadFiles(files, [good, `${line(30_000)}\nsecret-in-a-bad-line`], { strict: true })
          )
          assert.instanceOf(failure, LoadRefused)
          assert.include(failure.message, "line 2")
          assert.notInclude(failure.message, "secret")
          const standardInput = Readable.from([Buffer.from(`${line(1)}\nsecret-in-a-bad-line`)])
          const piped = yield* Effect.flip(loadFiles(files, [], { files: ["-"], standardInput, strict: true }))
          assert.isTrue(piped.message.startsWith("standard input, line 2: it is not JSON"), piped.message)
          assert.deepEqual(yield* stored, [])
          const { result } = yield* loadFiles(files, [good], { strict: true })
          assert.strictEqual(result.loaded, 2_000)
          assert.strictEqual((yield* stored).length, 2_000)
        })
      )
    )

    it.live("stores the records that it read before a file failed", () =>
      run(
        Effect.fnUntraced(function* (files) {
          const missing = `${files.file}.gone`
          const failure = yield* Effect.flip(loadFiles(files, [], { files: [missing] }))
          assert.instanceOf(failure, FileUnreadable)
          assert.include(failure.message, missing)
          const broken = Readable.from(
            (function* () {
              for (let id = 0; id < 4_000; id += 1) yield Buffer.from(`${line(id, long)}\n`)
              yield Buffer.from(line(4_000).slice(0, 30))
              throw new Error("the pipe broke")
            })()
          )
          const torn = yield* Effect.flip(loadFiles(files, [], { files: ["-"], standardInput: broken }))
          assert.instanceOf(torn, FileUnreadable)
          assert.include(torn.message, "the pipe broke")
          assert.strictEqual((yield* stored).length, 4_000)
        })
      )
    )

    it.live("reads standard input, and reports its progress after each batch", () =>
      run(
        Effect.fnUntraced(function* (files) {
          const count = 8_000
          const pieces = function* () {
            for (let id = 0; id < count; id += 1) yield Buffer.from(`${line(id, long)}\n`)
          }
          const { progress, result } = yield* loadFiles(files, [], {
            files: ["-"],
            standardInput: Readable.from(pieces())
          })
          assert.strictEqual(result.loaded, count)
          assert.isAbove(progress.length, 1)
          assert.deepEqual(
            progress,
            progress.toSorted((a, b) => a - b)
          )
          assert.strictEqual(progress.at(-1), count)
          assert.strictEqual((yield* stored).length, count)
        })
      )
    )

    it.live("writes the next group while one becomes visible, and ends once all groups are visible", () =>
      run(
        Effect.fnUntraced(function* (files) {
          const secondWrite = yield* Deferred.make<void>()
          let writes = 0
          const { credentials } = yield* LoadTargets
          const target: OpenTarget<unknown> = (options) =>
            Effect.map(credentials(options), (target) => ({
              ...target,
              groupSize: () => 1,
              publisher: Effect.map(target.publisher, (publisher) => ({
                ...publisher,
                write: (prepared) =>
                  Effect.tap(publisher.write(prepared), () => {
                    writes += 1
                    return writes === 2 ? Deferred.done(secondWrite, Exit.void) : Effect.void
                  }),
                publish: Effect.map(publisher.publish, (visible) =>
                  Effect.andThen(visible, Deferred.await(secondWrite))
                )
              }))
            }))
          const count = 4_000
          const text = Array.from({ length: count }, (_, id) => line(id, long)).join("\n")
          const { progress, result } = yield* loadFiles(files, [text], { target })
          assert.strictEqual(result.loaded, count)
          assert.isAbove(writes, 2)
          assert.strictEqual(progress.at(-1), count)
        })
      )
    )
  })
}
