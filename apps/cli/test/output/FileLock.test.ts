import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { holdLock } from "@threat-exposure/cli/output/FileLock"
import { Effect, Exit, Fiber, FileSystem, type PlatformError } from "effect"
import { TestClock } from "effect/testing"
import { spawnSync } from "node:child_process"

const holder = JSON.stringify({ pid: 1, processes: "of another container", id: "1" })

/**
 * Tries to hold a lock that another process left, and runs `everySecond` meanwhile. Returns the outcome and the number
 * of seconds.
 */
const attempt = Effect.fnUntraced(function* (
  left: string,
  everySecond: (file: string, second: number) => Effect.Effect<void, PlatformError.PlatformError>
) {
  const files = yield* FileSystem.FileSystem
  const file = `${yield* files.makeTempDirectoryScoped()}/feed.json.lock`
  yield* files.writeFileString(file, left)
  const fiber = yield* Effect.forkChild(
    Effect.scoped(Effect.andThen(holdLock(file), files.readFileString(file))).pipe(Effect.exit)
  )
  let seconds = 0
  for (; fiber.pollUnsafe() === undefined; seconds += 1) {
    yield* everySecond(file, seconds)
    yield* TestClock.adjust("1 second")
  }
  return { exit: yield* Fiber.join(fiber), seconds, isThere: yield* files.exists(file), file }
})

describe("the lock of a file", () => {
  it.effect("is not taken over from a process in another container that touches it", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const { exit, file } = yield* attempt(holder, (file, second) => files.utimes(file, second, second))
      assert.include(JSON.stringify(exit), "FileLocked")
      assert.strictEqual(yield* files.readFileString(file), holder)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("is taken over once the other process releases it", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const { exit } = yield* attempt(holder, (file, second) =>
        second === 2 ? files.remove(file, { force: true }) : Effect.void
      )
      assert.isTrue(Exit.isSuccess(exit))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("is taken over after a while from a process that does not touch it", () =>
    Effect.gen(function* () {
      const { exit, isThere, seconds } = yield* attempt(holder, () => Effect.void)
      assert(Exit.isSuccess(exit))
      assert.notInclude(exit.value, "another container")
      assert.isAtLeast(seconds, 10)
      assert.isFalse(isThere, "released")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("is taken over from a process on this machine that has ended, and not from one that runs", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const file = `${yield* files.makeTempDirectoryScoped()}/feed.json.lock`
      const own = yield* Effect.scoped(Effect.andThen(holdLock(file), files.readFileString(file)))
      const isTakenOverFrom = Effect.fnUntraced(function* (pid: number) {
        yield* files.writeFileString(file, JSON.stringify({ ...JSON.parse(own), pid }))
        const exit = yield* Effect.exit(Effect.scoped(holdLock(file)))
        if (Exit.isFailure(exit)) assert.include(JSON.stringify(exit), "FileLocked")
        return Exit.isSuccess(exit)
      })
      const ended = spawnSync(process.execPath, ["--version"]).pid
      assert.deepStrictEqual(yield* Effect.forEach([ended, 0, process.pid], isTakenOverFrom), [true, true, true])
      // Process 1 may belong to another user.
      assert.deepStrictEqual(yield* Effect.forEach([process.ppid, 1], isTakenOverFrom), [false, false])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("goes to exactly one of many processes that start after a crash", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = yield* files.makeTempDirectoryScoped()
      // The lock file of a process of this namespace that has ended.
      const ended = yield* Effect.scoped(
        Effect.andThen(holdLock(`${folder}/first.lock`), files.readFileString(`${folder}/first.lock`))
      )
      for (let round = 0; round < 20; round += 1) {
        const file = `${folder}/${round}.lock`
        yield* files.writeFileString(file, ended)
        yield* Effect.gen(function* () {
          const exits = yield* Effect.all(
            Array.from({ length: 4 }, () => Effect.exit(holdLock(file))),
            { concurrency: "unbounded" }
          )
          const [winner, ...others] = exits.toSorted((a, b) => Number(Exit.isFailure(a)) - Number(Exit.isFailure(b)))
          assert(winner !== undefined && Exit.isSuccess(winner))
          assert.isTrue(yield* winner.value.isHeld)
          for (const exit of others) assert.include(JSON.stringify(exit), "FileLocked")
        }).pipe(Effect.scoped)
        assert.deepStrictEqual(
          (yield* files.readDirectory(folder)).filter((name) => name.startsWith(`${round}.`)),
          [],
          "released, with nothing left beside it"
        )
      }
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("is taken over although a process was killed while it took it over", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const file = `${yield* files.makeTempDirectoryScoped()}/feed.json.lock`
      const ended = yield* Effect.scoped(Effect.andThen(holdLock(file), files.readFileString(file)))
      yield* files.writeFileString(file, ended)
      yield* files.writeFileString(`${file}.next`, ended)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { isHeld } = yield* holdLock(file)
          assert.isTrue(yield* isHeld)
        })
      )
      assert.isFalse(yield* files.exists(`${file}.next`))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
