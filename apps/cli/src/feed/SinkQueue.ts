/** Sends the batches to one sink, in order. A failing sink does not delay the others. */
import { randomUUID } from "node:crypto"
import { counted } from "@threat-exposure/leak-check/Counted"
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import { type Saying, say } from "../output/Output.ts"
import type { DeadLetters } from "./DeadLetters.ts"
import { FeedMetrics } from "./FeedMetrics.ts"
import { type Batch, FeedState, type FeedFileRefused } from "./FeedState.ts"
import type { Rejected, Sink } from "./Sink.ts"

/** The state of a queue. */
export interface SinkQueueStatus {
  /** Batches that were offered and are not done. */
  depth: number
  /** The last attempt failed, so the round does not wait for this sink. */
  isFailing: boolean
  /** The sink accepts nothing more in this round. */
  isBehind: boolean
  /** The sink accepts nothing more from this process. */
  isClosed: boolean
}

export interface SinkQueue {
  readonly sink: Sink
  readonly status: Readonly<SinkQueueStatus>
  readonly offer: (batch: Batch) => Effect.Effect<void>
  /** No more batches follow: `run` ends after the last one. */
  readonly end: Effect.Effect<void>
  readonly run: Effect.Effect<void, FeedFileRefused, Saying>
}

export interface SinkQueueOptions {
  /** How long a round retries a batch that the sink does not accept. */
  readonly retryFor: Duration.Duration
  /** If undefined, a sink that refuses an item permanently is stopped. */
  readonly deadLetters: DeadLetters | undefined
  readonly metrics: FeedMetrics
  /** Called whenever a batch is done, and whenever the sink fails. */
  readonly onChange: Effect.Effect<unknown>
}

export const makeSinkQueue = Effect.fnUntraced(function* (
  sink: Sink,
  { deadLetters, metrics, onChange, retryFor }: SinkQueueOptions
) {
  const state = yield* FeedState
  const queue = yield* Queue.unbounded<Batch, Cause.Done>()
  const status: SinkQueueStatus = { depth: 0, isFailing: false, isBehind: false, isClosed: false }

  /** Of this round, in which every item may be refused on its own. */
  const dead: { items: number; reason: string | undefined } = { items: 0, reason: undefined }

  const fallBehind = (why: string) =>
    Effect.andThen(
      Effect.sync(() => {
        status.isBehind = true
      }),
      say(`${sink.name}: ${why}. Its batches wait in the state`)
    )

  /** Returns whether the batch is done. */
  const handleRejected = Effect.fnUntraced(function* (rejected: ReadonlyArray<Rejected>) {
    if (rejected.length === 0) return true
    FeedMetrics.add(metrics.deadLetters, sink.name, rejected.length)
    const first = rejected[0]
    if (deadLetters === undefined) {
      yield* fallBehind(
        `stopped, because it refuses ${counted(rejected.length, "item")} for good (${first?.item.uid}: ${first?.reason}). Give --dead-letter FILE to skip them`
      )
      return false
    }
    yield* deadLetters(
      rejected.map(({ item, reason }) => ({ sink: sink.name, uid: item.uid, reason, event: item.line }))
    )
    dead.items += rejected.length
    dead.reason ??= first?.reason
    return true
  })

  /** Why the attempts fail, until one succeeds. */
  let failing: string | undefined
  const sayOnce = (reason: string) =>
    Effect.suspend(() => {
      if (reason === failing) return Effect.void
      failing = reason
      return say(`${sink.name}: ${reason}. Trying again for ${Duration.format(retryFor)} (--retry-for)`)
    })

  const deliver = Effect.fnUntraced(function* (batch: Batch): Effect.fn.Return<void, FeedFileRefused, Saying> {
    const startedAt = yield* Clock.currentTimeMillis
    for (let attempt = 0; !status.isBehind; attempt += 1) {
      const outcome = yield* Effect.result(sink.send(batch))
      status.isFailing = outcome._tag === "Failure" && outcome.failure._tag === "SinkBusy"
      if (outcome._tag === "Success") {
        if (failing !== undefined) yield* say(`${sink.name}: works again`)
        failing = undefined
        if (!(yield* handleRejected(outcome.success))) return
        yield* state.acknowledge(batch.id, sink.name)
        FeedMetrics.add(metrics.delivered, sink.name, batch.items.length - outcome.success.length)
        return
      }
      FeedMetrics.add(metrics.sinkFailures, sink.name, 1)
      if (outcome.failure._tag === "BatchTooLarge") {
        const halves = halvesOf(batch, sink.name)
        yield* state.halve(batch.id, sink.name, halves)
        yield* deliver(halves[0])
        return yield* deliver(halves[1])
      }
      if (outcome.failure._tag === "SinkClosed") {
        status.isClosed = true
        return yield* fallBehind(outcome.failure.message)
      }
      yield* onChange
      const pause = Math.min(500 * 2 ** attempt, 30_000) * (yield* Random.nextBetween(0.5, 1))
      if ((yield* Clock.currentTimeMillis) + pause - startedAt > Duration.toMillis(retryFor)) {
        yield* fallBehind(outcome.failure.message)
      } else {
        yield* sayOnce(outcome.failure.message)
        yield* Effect.sleep(pause)
      }
    }
  })

  const sinkQueue: SinkQueue = {
    sink,
    status,
    offer: (batch) =>
      Effect.suspend(() => {
        status.depth += 1
        return Effect.asVoid(Queue.offer(queue, batch))
      }),
    end: Effect.asVoid(Queue.end(queue)),
    run: Stream.runForEach(Stream.fromQueue(queue), (batch) =>
      Effect.gen(function* () {
        yield* deliver(batch)
        status.depth -= 1
        yield* onChange
      })
    ).pipe(
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

const halvesOf = ({ items }: Batch, sink: string): readonly [Batch, Batch] => {
  const middle = Math.ceil(items.length / 2)
  return [
    { id: randomUUID(), items: items.slice(0, middle), waiting: [sink] },
    { id: randomUUID(), items: items.slice(middle), waiting: [sink] }
  ]
}
