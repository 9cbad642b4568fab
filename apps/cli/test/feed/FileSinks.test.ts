import { dirname, join } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { deadLetterFile } from "@threat-exposure/cli/feed/DeadLetters"
import { fileSink } from "@threat-exposure/cli/feed/FileSinks"
import { holdLock } from "@threat-exposure/cli/output/FileLock"
import { Effect, Fiber, FileSystem } from "effect"
import { TestClock } from "effect/testing"

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

  it.live("gets every line of several feeds that append to it at once, and rotates for all", () =>
    Effect.gen(function* () {
      const { files, path } = yield* inFolder
      const feeds = Array.from({ length: 6 }, (_, number) => number)
      const long = "x".repeat(50_000)
      yield* Effect.forEach(
        feeds,
        Effect.fnUntraced(function* (feed) {
          const sink = yield* fileSink("file", path, 400_000)
          for (let number = 0; number < 5; number += 1) yield* sink.send(batch(`${feed}.${number}${long}`))
        }),
        { concurrency: "unbounded", discard: true }
      )
      const names = (yield* files.readDirectory(dirname(path))).toSorted()
      const texts = yield* Effect.forEach(names, (name) => files.readFileString(join(dirname(path), name)))
      assert.deepStrictEqual(
        texts.flatMap((text) => text.trimEnd().split("\n")).toSorted(),
        feeds.flatMap((feed) => [0, 1, 2, 3, 4].map((number) => `${feed}.${number}${long}`))
      )
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("waits while another process holds it", () =>
    Effect.gen(function* () {
      const { files, path } = yield* inFolder
      const sink = yield* fileSink("file", path, 1000)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* holdLock(`${path}.lock`)
          const sending = yield* Effect.forkChild(Effect.flip(sink.send(batch("1"))))
          while (sending.pollUnsafe() === undefined) yield* TestClock.adjust("1 second")
          assert.strictEqual((yield* Fiber.join(sending)).message, `${path} is in use by another process`)
        })
      )
      assert.strictEqual(yield* files.readFileString(path), "")
      yield* sink.send(batch("1"))
      assert.strictEqual(yield* files.readFileString(path), "1\n")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

describe("the file of dead letters", () => {
  it.live("gets every line of several sinks that write to it at once", () =>
    Effect.gen(function* () {
      const { files, path } = yield* inFolder
      const write = yield* deadLetterFile(path)
      const event = JSON.stringify("x".repeat(300_000))
      const sinks = Array.from({ length: 20 }, (_, number) => String(number))
      yield* Effect.forEach(sinks, (sink) => write([{ sink, uid: "a", reason: "r", event }]), {
        concurrency: "unbounded",
        discard: true
      })
      const lines = (yield* files.readFileString(path)).trimEnd().split("\n")
      assert.deepStrictEqual(lines.map((line) => JSON.parse(line).sink).toSorted(), sinks.toSorted())
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
