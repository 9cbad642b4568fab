/**
 * Locks a file, such as the state of a feed: one process at a time.
 *
 * Processes in different containers or on different machines may share the folder without seeing each other. Therefore
 * the holder touches its lock every few seconds, and a process that cannot see the holder waits for a touch.
 */
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type { PlatformError } from "effect/PlatformError"
import { writeFailure } from "./FileFailure.ts"

const Holder = Schema.Struct({
  pid: Schema.Int,
  /** The set of processes in which `pid` is unique. */
  processes: Schema.String,
  /** Unique per acquisition: process ids are reused. */
  id: Schema.String
})

const decodeHolder = Schema.decodeUnknownOption(Schema.fromJsonString(Holder))

export class FileLocked extends Schema.TaggedError<FileLocked>()("FileLocked", {}) {}

export interface FileLock {
  /** False if another process has taken over the lock, because this one was suspended too long. */
  readonly isHeld: Effect.Effect<boolean>
}

const touchEvery = Duration.seconds(2)

/**
 * A lock without a touch for this long is taken over. Longer than `touchEvery`, because a loaded machine may skip one.
 */
const staleAfterSeconds = 10

/** The ids of the locks that this process holds. */
const heldHere = new Set<string>()

/** Holds the lock until the scope closes. A killed process leaves its lock behind. */
export const holdLock = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const processes = yield* processNamespace(files)
  const id = randomUUID()
  const own = JSON.stringify({ pid: process.pid, processes, id } satisfies typeof Holder.Type)

  const read = (file: string) => Effect.orElseSucceed(files.readFileString(file), () => undefined)
  const isHeld = Effect.map(read(path), (text) => text === own)

  /** The time of the last touch. Opens the file first, so that a network file system asks its server. */
  const touchedAt = (file: string) =>
    Effect.scoped(
      Effect.gen(function* () {
        const handle = yield* files.open(file, { flag: "r" })
        return Option.getOrUndefined((yield* handle.stat).mtime)?.getTime()
      })
    ).pipe(Effect.orElseSucceed(() => undefined))

  /** Waits for a touch. False if the holder is gone or releases the lock meanwhile. */
  const isTouched = Effect.fnUntraced(function* (file: string, text: string) {
    const before = yield* touchedAt(file)
    for (let second = 0; second < staleAfterSeconds; second += 1) {
      yield* Effect.sleep("1 second")
      const [now, touched] = [yield* read(file), yield* touchedAt(file)]
      if (now === undefined || touched === undefined) return false
      if (now !== text || touched !== before) return true
    }
    return false
  })

  const isAliveHolder = (file: string, text: string) => {
    const holder = Option.getOrUndefined(decodeHolder(text))
    if (holder?.processes !== processes) return isTouched(file, text)
    return Effect.sync(() => (holder.pid === process.pid ? heldHere.has(holder.id) : isAlive(holder.pid)))
  }

  /**
   * Creates the file, or replaces the file of a holder that is gone. Only the process that created `FILE.next` may
   * replace it, by renaming `FILE.next`. If that process is killed, `FILE.next` is replaced in the same way.
   */
  const take = (file: string): Effect.Effect<void, PlatformError | FileLocked> =>
    files.writeFileString(file, own, { flag: "wx", mode: 0o600 }).pipe(
      Effect.catchIf(
        ({ reason }) => reason._tag === "AlreadyExists",
        () => replace(file)
      )
    )
  const replace = Effect.fnUntraced(function* (file: string): Effect.fn.Return<void, PlatformError | FileLocked> {
    const left = yield* read(file)
    if (left !== undefined && (yield* isAliveHolder(file, left))) return yield* new FileLocked()
    const next = `${file}.next`
    yield* take(next)
    const now = yield* read(file)
    if (now !== undefined && now === left) return yield* files.rename(next, file)
    yield* Effect.ignore(files.remove(next))
    return now === undefined ? yield* take(file) : yield* new FileLocked()
  })

  const whileHeld = <E>(action: Effect.Effect<void, E>) =>
    Effect.flatMap(isHeld, (held) => (held ? Effect.ignore(action) : Effect.void))
  const release = Effect.andThen(
    whileHeld(files.remove(path)),
    Effect.sync(() => heldHere.delete(id))
  )
  heldHere.add(id)
  yield* Effect.acquireRelease(
    Effect.onError(take(path), () => Effect.sync(() => heldHere.delete(id))),
    () => release,
    { interruptible: true }
  )
  const touch = Effect.flatMap(Effect.map(DateTime.now, DateTime.toDate), (now) =>
    whileHeld(files.utimes(path, now, now))
  )
  yield* Effect.forkScoped(Effect.repeat(touch, Schedule.spaced(touchEvery)))
  const lock: FileLock = { isHeld }
  return lock
})

/**
 * Returns a function that runs an effect while nobody else holds the lock of the file: another process, or another part
 * of this one. It waits for a while.
 */
export const fileLock = Effect.map(
  FileSystem.FileSystem,
  (files) =>
    <A, E, R>(file: string, effect: Effect.Effect<A, E, R>) =>
      holdLock(`${file}.lock`).pipe(
        Effect.provideService(FileSystem.FileSystem, files),
        Effect.retry({
          while: ({ _tag }) => _tag === "FileLocked",
          schedule: Schedule.spaced("50 millis"),
          times: 200
        }),
        Effect.andThen(effect),
        Effect.scoped
      )
)

/** Why a file could not be written, and what to do. */
export const fileFault = (failure: PlatformError | FileLocked): string =>
  failure._tag === "FileLocked" ? "is in use by another process" : writeFailure(failure.reason)

/** Identifies the set of processes in which process ids are unique: a container, or a machine since its start. */
const processNamespace = (files: FileSystem.FileSystem) =>
  Effect.all([files.readFileString("/proc/sys/kernel/random/boot_id"), files.readLink("/proc/self/ns/pid")]).pipe(
    Effect.map(([boot, namespace]) => `${boot.trim()} ${namespace}`),
    // The system is not Linux.
    Effect.orElseSucceed(hostname)
  )

const isAlive = (pid: number): boolean => {
  if (pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (failure) {
    return failure instanceof Error && "code" in failure && failure.code === "EPERM"
  }
}
