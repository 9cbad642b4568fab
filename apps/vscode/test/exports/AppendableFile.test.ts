import { spawnSync } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { Editor } from "../../src/editor/Editor.ts"
import { appendableFile, WriteAt } from "../../src/exports/AppendableFile.ts"
import * as NodeWriteAt from "../../src/node/NodeWriteAt.ts"
import { EditorDouble } from "../EditorDouble.ts"

/** Writes in two steps; the second one continues after `é1,2` of the first. */
const written = Effect.fnUntraced(function* (uri: string) {
  const first = yield* appendableFile(uri, 0)
  yield* first.add("é1", "]")
  yield* first.add(",2", "]")
  yield* first.add(",a longer one", "]")
  yield* first.settle
  const second = yield* appendableFile(uri, 5)
  yield* second.add(",3", "]")
  yield* second.settle
})

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "growing-file-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true }))
)

describe("a file that grows", () => {
  it.effect("is written through the editor if the host has no file system", () => {
    const editor = new EditorDouble()
    return Effect.gen(function* () {
      yield* written("file:///x")
      assert.strictEqual(editor.files.get("file:///x"), "é1,2,3]")
    }).pipe(Effect.provide(editor.layer))
  })

  it.effect("is not written again for each piece, and is complete each time and at the end", () => {
    const editor = new EditorDouble()
    const page = "x".repeat(1000)
    let bytes = 0
    const counting = Layer.effect(
      Editor,
      Effect.map(Editor, (inner) =>
        Editor.of({
          ...inner,
          write: (uri, text) => {
            bytes += text.length
            assert.match(String(text), /^x*\]$/u)
            return inner.write(uri, text)
          }
        })
      )
    ).pipe(Layer.provide(editor.layer))
    return Effect.gen(function* () {
      const file = yield* appendableFile("file:///x", 0)
      for (let pages = 1; pages <= 1000; pages++) {
        const isInFile = yield* file.add(page, "]")
        assert.strictEqual(editor.files.get("file:///x")?.length === pages * 1000 + 1, isInFile)
      }
      yield* file.settle
      assert.strictEqual(editor.files.get("file:///x")?.length, 1_000_001)
      assert.isBelow(bytes, 3_100_000)
    }).pipe(Effect.provide(counting))
  })

  it.effect("is appended to on a file system", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "x.txt")
      const double = yield* Layer.build(new EditorDouble().layer)
      const onDisk = Layer.effect(
        Editor,
        Effect.map(Editor, (editor) => Editor.of({ ...editor, fsPath: () => Option.some(path) }))
      ).pipe(Layer.provide(Layer.succeedContext(double)))
      yield* written("file:///x").pipe(Effect.provide([onDisk, NodeWriteAt.layer]))
      assert.strictEqual(yield* Effect.promise(() => readFile(path, "utf8")), "é1,2,3]")
    })
  )

  it.effect("says what could not be written", () =>
    Effect.gen(function* () {
      const writeAt = yield* WriteAt
      const failure = yield* Effect.flip(
        Option.getOrThrow(writeAt)(join(tmpdir(), "no", "such", "folder"), 0, new Uint8Array())
      )
      assert.strictEqual(failure.operation, "write")
      assert.include(failure.reason, "ENOENT")
    }).pipe(Effect.provide(NodeWriteAt.layer))
  )

  it.effect.skipIf(process.platform === "win32")("is as it was where there is no room for all of a piece", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const [path, program] = [join(place, "x.json"), join(place, "grow.ts")]
      const src = new URL("../../src/", import.meta.url)
      yield* Effect.promise(() =>
        writeFile(
          program,
          `import { layer } from ${JSON.stringify(new URL("node/NodeWriteAt.ts", src).href)}
           import { WriteAt } from ${JSON.stringify(new URL("exports/AppendableFile.ts", src).href)}
           import { Effect, Option } from ${JSON.stringify(import.meta.resolve("effect"))}
           const write = (at, text) => Effect.flatMap(WriteAt, (write) =>
             Option.getOrThrow(write)(${JSON.stringify(path)}, at, new TextEncoder().encode(text)))
           const both = Effect.andThen(write(0, "[1]"), Effect.flip(write(2, "2".repeat(100_000) + "]")))
           console.log((await Effect.runPromise(Effect.provide(both, layer))).operation)`
        )
      )
      const { stderr, stdout } = spawnSync("sh", ["-c", 'ulimit -f 8; exec "$0" "$1"', process.execPath, program])
      assert.strictEqual(String(stdout).trim(), "write", String(stderr))
      assert.strictEqual(yield* Effect.promise(() => readFile(path, "utf8")), "[1]")
    })
  )
})
