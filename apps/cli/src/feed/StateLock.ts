/**
 * The lock of a state file: one process at a time.
 *
 * Processes in different containers, or on different machines, may share the file's folder without seeing each other. So
 * the holder touches its lock every few seconds, and where a process cannot see the holder, it waits for that.
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

const Holder = Schema.Struct({
  pid: Schema.Int,
  /** Where `pid` is the id of a process. */
  processes: Schema.String,
  /** Of this holding: a process id is given again. */
  id: Schema.String
})

const decodeHolder = Schema.decodeUnknownOption(Schema.fromJsonString(Holder))

/** Another process holds the lock. */
export class StateLocked extends Schema.TaggedError<StateLocked>()("StateLocked", {}) {}

export interface StateLock {
  /** False once another process has taken the lock over, because this one was stopped for too long. */
  readonly isHeld: Effect.Effect<boolean>
}

const touchEvery = Duration.seconds(2)

/** Seconds without a touch after which the lock is taken over: a loaded machine may miss one. */
const patience = 10

/** Held until the scope closes. A process that was killed leaves its lock behind. */
export const holdLock = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const processes = yield* processNamespace(files)
  const own = JSON.stringify({ pid: process.pid, processes, id: randomUUID() } satisfies typeof Holder.Type)

  const read = Effect.orElseSucceed(files.readFileString(path), () => undefined)
  const isHeld = Effect.map(read, (text) => text === own)

  /** Changes with each touch. Opened first: a network file system then asks its server. */
  const touchedAt = Effect.scoped(
    Effect.gen(function* () {
      const handle = yield* files.open(path, { flag: "r" })
      return Option.getOrUndefined((yield* handle.stat).mtime)?.getTime()
    })
  ).pipe(Effect.orElseSucceed(() => undefined))

  /** False if the holder is gone, or releases the lock meanwhile. */
  const isTouched = Effect.gen(function* () {
    const [text, before] = [yield* read, yield* touchedAt]
    for (let second = 0; second < patience; second += 1) {
      yield* Effect.sleep("1 second")
      const [now, touched] = [yield* read, yield* touchedAt]
      if (now === undefined || touched === undefined) return false
      if (now !== text || touched !== before) return true
    }
    return false
  })

  const isTaken = Effect.gen(function* () {
    const holder = Option.getOrUndefined(decodeHolder(yield* read))
    return holder?.processes === processes ? holder.pid !== process.pid && isAlive(holder.pid) : yield* isTouched
  })

  const create = (file: string, flag: "w" | "wx") => files.writeFileString(file, own, { flag, mode: 0o600 })
  const takeOver = Effect.gen(function* () {
    if (yield* isTaken) return yield* new StateLocked()
    yield* create(`${path}.new`, "w")
    yield* files.rename(`${path}.new`, path)
  })
  const take = create(path, "wx").pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "AlreadyExists",
      () => takeOver
    )
  )
  const whileHeld = <E>(action: Effect.Effect<void, E>) =>
    Effect.flatMap(isHeld, (held) => (held ? Effect.ignore(action) : Effect.void))

  yield* Effect.acquireRelease(take, () => whileHeld(files.remove(path)), { interruptible: true })
  const touch = Effect.flatMap(Effect.map(DateTime.now, DateTime.toDate), (now) =>
    whileHeld(files.utimes(path, now, now))
  )
  yield* Effect.forkScoped(Effect.repeat(touch, Schedule.spaced(touchEvery)))
  const lock: StateLock = { isHeld }
  return lock
})

/** Names the set of processes that a process id is from: of a container, or of a machine since its start. */
const processNamespace = (files: FileSystem.FileSystem) =>
  Effect.all([files.readFileString("/proc/sys/kernel/random/boot_id"), files.readLink("/proc/self/ns/pid")]).pipe(
    Effect.map(([boot, namespace]) => `${boot.trim()} ${namespace}`),
    // Not on Linux.
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
