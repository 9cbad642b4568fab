import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { fileSink } from "@threat-exposure/cli/feed/FileSinks"
import { Effect, FileSystem } from "effect"

const batch = (...lines: ReadonlyArray<string>) => ({
  id: "b",
  items: lines.map((line, index) => ({ uid: String(index), line }))
})

const inFolder = Effect.flatMap(FileSystem.FileSystem, (files) =>
  Effect.map(files.makeTempDirectoryScoped(), (folder) => ({ files, path: `${folder}/events.ndjson` }))
)

describe("a file as a sink", () => {
  it.effect("appends lines, readable by the owner alone", () =>
    Effect.gen(function* () {
      const { files, path } = yield* inFolder
      const sink = yield* fileSink("file", path, 1000)
      yield* sink.send(batch("1", "2"))
      yield* sink.send(batch("3"))
      assert.strictEqual(yield* files.readFileString(path), "1\n2\n3\n")
      assert.strictEqual((yield* files.stat(path)).mode & 0o777, 0o600)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect.each([
    ['{"whole":1}\n{"cut":', '{"whole":1}\n'],
    ['{"cut":', ""],
    [`{"whole":1}\n{"cut":"${"x".repeat(200_000)}`, '{"whole":1}\n'],
    ["", ""]
  ] as const)("removes a line that a crash cut off (%#)", ([before, kept]) =>
    Effect.gen(function* () {
      const { files, path } = yield* inFolder
      yield* files.writeFileString(path, before)
      const sink = yield* fileSink("file", path, 1_000_000)
      yield* sink.send(batch("next"))
      assert.strictEqual(yield* files.readFileString(path), `${kept}next\n`)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("rotates a file at its size, and deletes none", () =>
    Effect.gen(function* () {
      const { files, path } = yield* inFolder
      const sink = yield* fileSink("file", path, 4)
      for (const line of ["one", "two", "three"]) yield* sink.send(batch(line))
      assert.strictEqual(yield* files.readFileString(path), "three\n")
      assert.strictEqual(yield* files.readFileString(`${path}.1`), "two\n")
      assert.strictEqual(yield* files.readFileString(`${path}.2`), "one\n")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
