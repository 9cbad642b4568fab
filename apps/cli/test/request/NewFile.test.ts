import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { writeNewFile } from "@threat-exposure/cli/request/NewFile"
import { Effect, FileSystem } from "effect"

describe("a new file", () => {
  it.effect("is removed if its content cannot be written, so that the command can be repeated", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const file = `${yield* files.makeTempDirectoryScoped()}/report.pdf`
      const full = FileSystem.FileSystem.of({
        ...files,
        writeFile: (path, content, options) =>
          Effect.andThen(files.writeFile(path, content.subarray(0, 1), options), files.writeFile("/", content))
      })
      const failure = yield* Effect.flip(
        Effect.provideService(writeNewFile(file, "content"), FileSystem.FileSystem, full)
      )
      assert.include(failure.message, "cannot be written")
      yield* writeNewFile(file, "content")
      const existing = yield* Effect.flip(writeNewFile(file, "other"))
      assert.include(existing.message, "exists already")
      assert.strictEqual(yield* files.readFileString(file), "content")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
