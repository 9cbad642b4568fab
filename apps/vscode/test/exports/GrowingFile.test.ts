import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { Editor } from "../../src/Editor.ts"
import { putText, WriteInPlace } from "../../src/exports/GrowingFile.ts"
import * as InPlace from "../../src/node/InPlace.ts"
import { EditorDouble } from "../EditorDouble.ts"

const written = Effect.fnUntraced(function* (uri: string) {
  const first = yield* putText(uri, 0, "é1", "]")
  const second = yield* putText(uri, first, ",2", "]")
  const longer = yield* putText(uri, second, ",a longer one", "]")
  // What was written after `second` did not hold: it goes on from there.
  yield* putText(uri, second, ",3", "]")
  return [first, second, longer]
})

describe("a file that grows", () => {
  it.effect("grows through the editor where the host has no files of its own", () => {
    const editor = new EditorDouble()
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* written("memory:/x"), [3, 5, 18])
      assert.strictEqual(editor.files.get("memory:/x"), "é1,2,3]")
    }).pipe(Effect.provide(editor.layer))
  })

  it.effect("grows in place on a machine", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "growing-file-"))),
        (path) => Effect.promise(() => rm(path, { recursive: true }))
      )
      const path = join(folder, "x.txt")
      const double = yield* Layer.build(new EditorDouble().layer)
      const onDisk = Layer.effect(
        Editor,
        Effect.map(Editor, (editor) => Editor.of({ ...editor, fsPath: () => Option.some(path) }))
      ).pipe(Layer.provide(Layer.succeedContext(double)))
      assert.deepStrictEqual(yield* written("file:///x").pipe(Effect.provide([onDisk, InPlace.layer])), [3, 5, 18])
      assert.strictEqual(yield* Effect.promise(() => readFile(path, "utf8")), "é1,2,3]")
    })
  )

  it.effect("says what could not be written", () =>
    Effect.gen(function* () {
      const inPlace = yield* WriteInPlace
      const failure = yield* Effect.flip(
        Option.getOrThrow(inPlace)(join(tmpdir(), "no", "such", "folder"), 0, new Uint8Array())
      )
      assert.strictEqual(failure.operation, "write")
      assert.include(failure.reason, "ENOENT")
    }).pipe(Effect.provide(InPlace.layer))
  )
})
