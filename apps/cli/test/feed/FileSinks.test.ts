import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { deadLetterFile } from "@threat-exposure/cli/feed/DeadLetters"
import { fileSink } from "@threat-exposure/cli/feed/FileSinks"
import { Effect, FileSystem } from "effect"

const batch = (...lines: ReadonlyArray<string>) => ({
  id: "b",
  isRepeat: false,
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

  it.effect("writes a batch completely or not at all, so that a full disk causes no repeated line", () =>
    Effect.gen(function* () {
      const { files, path } = yield* inFolder
      let isFull = false
      const filling = FileSystem.FileSystem.of({
        ...files,
        open: (...given) =>
          Effect.map(files.open(...given), (file) =>
            Object.create(file, {
              writeAll: {
                value: (bytes: Uint8Array) =>
                  isFull
                    ? Effect.andThen(file.write(bytes.subarray(0, bytes.length / 2)), files.readFile("/nonsuch"))
                    : file.writeAll(bytes)
              }
            })
          )
      })
      const sink = yield* Effect.provideService(fileSink("file", path, 1000), FileSystem.FileSystem, filling)
      yield* sink.send(batch("1"))
      isFull = true
      for (let attempt = 0; attempt < 3; attempt += 1) {
        assert.strictEqual((yield* Effect.flip(sink.send(batch("2", "3", "4", "5"))))._tag, "SinkBusy")
      }
      isFull = false
      yield* sink.send(batch("2", "3", "4", "5"))
      assert.strictEqual(yield* files.readFileString(path), "1\n2\n3\n4\n5\n")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("starts a new line after one that a crash cut off", () =>
    Effect.gen(function* () {
      const { files, path } = yield* inFolder
      const letter = { sink: "s", uid: "u", reason: "r", event: "{}" }
      const line = '{"sink":"s","uid":"u","reason":"r","event":{}}\n'
      yield* files.writeFileString(path, `${line}{"sink":"s","uid":`)
      const write = yield* deadLetterFile(path)
      yield* write([letter])
      assert.strictEqual(yield* files.readFileString(path), line + line)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("is refused at the start if it cannot be written", () =>
    Effect.gen(function* () {
      const { files, path } = yield* inFolder
      const refusal = (path: string) => Effect.map(Effect.flip(fileSink("file", path, 1000)), ({ message }) => message)
      assert.strictEqual(
        yield* refusal(`${path}/x.ndjson`),
        `--to: ${path}/x.ndjson cannot be written (no such file or directory): check its folder, permissions and disk`
      )
      assert.include(yield* refusal("/dev/null"), "/dev/null is not a regular file")
      yield* files.makeDirectory(path)
      assert.strictEqual(
        yield* refusal(path),
        `--to: ${path} cannot be written (illegal operation on a directory): check its folder, permissions and disk`
      )
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
