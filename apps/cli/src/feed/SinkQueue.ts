/** Sends the batches to one sink, in order. A failing sink does not delay the others. */
import { randomUUID } from "node:crypto"
import { monotonicMillis } from "@threat-exposure/core/client/MonotonicTime"
import { counted } from "@threat-exposure/leak-check/Counted"
import type * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import { type Saying, say } from "../output/Output.ts"
import type { DeadLetters } from "./DeadLetters.ts"
import { FeedMetrics } from "./FeedMetrics.ts"
import { type Batch, FeedState, type FeedFileRefused } from "./FeedState.ts"
import { type Delivery, type Rejected, type Sink, SinkBusy } from "./Sink.ts"

/** Status of a queue in this round. */
export interface SinkQueueStatus {
  /** Number of batches that were offered and are not finished. */
  depth: number
  /** Whether the last attempt failed: the round does not wait for this sink. */
  isFailing: boolean
  /** Whether the sink receives nothing more in this round. */
  isBehind: boolean
  /** Whether the sink accepts nothing more from this process. */
  isClosed: boolean
}

export interface SinkQueue {
  readonly sink: Sink
  readonly status: Readonly<SinkQueueStatus>
  /** `isRepeat` says whether an earlier round may have sent the batch. */
  readonly offer: (batch: Batch, isRepeat: boolean) => Effect.Effect<void>
  /** Ends the queue: `run` completes after the last batch. */
  readonly end: Effect.Effect<void>
  readonly run: Effect.Effect<void, FeedFileRefused, Saying>
}

export interface SinkQueueOptions {
  /** How long a round retries a batch. */
  readonly retryFor: Duration.Duration
  /** If undefined, permanently rejected items stop the sink. */
  readonly deadLetters: DeadLetters | undefined
  readonly metrics: FeedMetrics
  /** Runs after each finished batch and after each failure of the sink. */
  readonly onChange: Effect.Effect<unknown>
}

export const makeSinkQueue = Effect.fnUntraced(function* (
  sink: Sink,
  { deadLetters, metrics, onChange, retryFor }: SinkQueueOptions
) {
  const state = yield* FeedState
  const queue = yield* Queue.unbounded<{ readonly batch: Batch; readonly isRepeat: boolean }, Cause.Done>()
  const status: SinkQueueStatus = { depth: 0, isFailing: false, isBehind: false, isClosed: false }

  /** Totals of this round for one message at its end. */
  const dead: { items: number; reason: string | undefined } = { items: 0, reason: undefined }

  const fallBehind = (why: string) =>
    Effect.andThen(
      Effect.sync(() => {
        status.isBehind = true
      }),
      say(`${sink.name}: ${why}. Its batches wait in the state`)
    )

  /** Returns whether the rejected items are finished: false if there are no dead letters to write them to. */
  const handleRejected = Effect.fnUntraced(function* (rejected: ReadonlyArray<Rejected>) {
    const first = rejected[0]
    if (first === undefined) return true
    FeedMetrics.add(metrics.deadLetters, sink.name, rejected.length)
    if (deadLetters === undefined) {
      yield* fallBehind(
        `stopped: ${counted(rejected.length, "item")} ${rejected.length === 1 ? "was" : "were"} rejected permanently (${first.item.uid}: ${first.reason}). Give --dead-letter FILE to skip such items`
      )
      return false
    }
    yield* deadLetters(
      rejected.map(({ item, reason }) => ({ sink: sink.name, uid: item.uid, reason, event: item.line }))
    )
    dead.items += rejected.length
    dead.reason ??= first.reason
    return true
  })

  /** Reason of the current failures; undefined after a success. */
  let failing: string | undefined
  const sayOnce = (reason: string) =>
    Effect.suspend(() => {
      if (reason === failing) return Effect.void
      failing = reason
      return say(`${sink.name}: ${reason}. Trying again for ${Duration.format(retryFor)} (--retry-for)`)
    })

  /** Removes finished items from the state, and returns a batch of the others; undefined if there are none. */
  const settle = Effect.fnUntraced(function* (batch: Batch, { deferred, rejected }: Delivery) {
    const isDone = yield* handleRejected(rejected)
    const left = new Set([...deferred, ...(isDone ? [] : rejected.map(({ item }) => item))])
    FeedMetrics.add(metrics.delivered, sink.name, batch.items.length - rejected.length - deferred.length)
    if (left.size === 0) {
      yield* state.replace([batch.id], sink.name, [])
      return undefined
    }
    if (left.size === batch.items.length) return batch
    const rest = batchOf(
      batch.items.filter((item) => left.has(item)),
      sink.name
    )
    yield* state.replace([batch.id], sink.name, [rest])
    return rest
  })

  const deliver = Effect.fnUntraced(function* (
    given: Batch,
    isRepeat: boolean
  ): Effect.fn.Return<void, FeedFileRefused, Saying> {
    const startedAt = yield* monotonicMillis
    let batch = given
    for (let attempt = 0; !status.isBehind; attempt += 1) {
      const outcome = yield* Effect.result(sink.send({ ...batch, isRepeat: isRepeat || attempt > 0 }))
      let failure
      if (outcome._tag === "Success") {
        const rest = yield* settle(batch, outcome.success)
        if (rest === undefined) {
          status.isFailing = false
          if (failing !== undefined) yield* say(`${sink.name}: works again`)
          failing = undefined
          return
        }
        if (status.isBehind) return
        batch = rest
        const { reason, retryAfter } = outcome.success
        failure = new SinkBusy({ reason, ...(retryAfter === undefined ? {} : { retryAfter }) })
      } else failure = outcome.failure
      status.isFailing = failure._tag === "SinkBusy"
      FeedMetrics.add(metrics.sinkFailures, sink.name, 1)
      if (failure._tag === "BatchTooLarge") {
        const halves = halvesOf(batch, sink.name)
        yield* state.replace([batch.id], sink.name, halves)
        for (const half of halves) yield* deliver(half, isRepeat || attempt > 0)
        return
      }
      if (failure._tag === "SinkClosed") {
        status.isClosed = true
        return yield* fallBehind(failure.message)
      }
      yield* onChange
      const backOff = Math.min(500 * 2 ** attempt, 30_000) * (yield* Random.nextBetween(0.5, 1))
      const pause = Math.max(backOff, failure.retryAfter ?? 0)
      if ((yield* monotonicMillis) + pause - startedAt > Duration.toMillis(retryFor)) {
        yield* fallBehind(failure.message)
      } else {
        yield* sayOnce(failure.message)
        yield* Effect.sleep(pause)
      }
    }
  })

  const deliverEach = Stream.runForEach(Stream.fromQueue(queue), ({ batch, isRepeat }) =>
    Effect.gen(function* () {
      yield* deliver(batch, isRepeat)
      status.depth -= 1
      yield* onChange
    })
  )

  /** Joins the batches of the round, in the state as well, so that a restart sends the same digest. */
  const deliverRound = Effect.gen(function* () {
    const held = yield* Stream.runCollect(Stream.fromQueue(queue))
    const [first] = held
    if (first === undefined) return
    const joined = batchOf(
      held.flatMap(({ batch }) => batch.items),
      sink.name
    )
    if (held.length > 1) {
      yield* state.replace(
        held.map(({ batch }) => batch.id),
        sink.name,
        [joined]
      )
    }
    yield* deliver(
      held.length > 1 ? joined : first.batch,
      held.some(({ isRepeat }) => isRepeat)
    )
  })

  const sinkQueue: SinkQueue = {
    sink,
    status,
    offer: (batch, isRepeat) =>
      Effect.suspend(() => {
        // `depth` would make the reader wait, but this sink sends nothing until reading has ended.
        if (sink.takesRounds !== true) status.depth += 1
        return Effect.asVoid(Queue.offer(queue, { batch, isRepeat }))
      }),
    end: Effect.asVoid(Queue.end(queue)),
    run: (sink.takesRounds === true ? deliverRound : deliverEach).pipe(
      Effect.andThen(
        Effect.suspend(() =>
          dead.items === 0
            ? Effect.void
            : say(
                `${sink.name}: ${counted(dead.items, "item")} went to the dead letters (first reason: ${dead.reason})`
              )
        )
      )
    )
  }
  return sinkQueue
})

const batchOf = (items: Batch["items"], sink: string): Batch => ({ id: randomUUID(), items, waiting: [sink] })

const halvesOf = ({ items }: Batch, sink: string): ReadonlyArray<Batch> => {
  const middle = Math.ceil(items.length / 2)
  return [batchOf(items.slice(0, middle), sink), batchOf(items.slice(middle), sink)]
}
