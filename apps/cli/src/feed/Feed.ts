/**
 * Passes new events on to sinks: nothing is lost, and a sink that recognises an id or a batch gets nothing twice.
 *
 * The service orders events by the time they were created, so an event that arrives late is before a cursor that has
 * passed it. Each round therefore reads an overlap again, and leaves out the uids that it has seen. A listing in the order of
 * arrival needs no overlap.
 */
import { createHash, randomUUID } from "node:crypto"
import type { ApiError } from "@threat-exposure/core/client/ApiError"
import type { Events } from "@threat-exposure/core/client/Events"
import { monotonicMillis } from "@threat-exposure/core/client/MonotonicTime"
import { toSortable } from "@threat-exposure/core/domain/Timestamp"
import { counted } from "@threat-exposure/leak-check/Counted"
import { failureText } from "@threat-exposure/leak-check/search/FailureText"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { exitCodeOf, exitCodes } from "../ExitCode.ts"
import { jsonText, progressLine, say } from "../output/Output.ts"
import { redactEvent } from "../redaction/Redaction.ts"
import { contentConcurrency, makeContentReader, maxContentSize } from "./Contents.ts"
import type { DeadLetters } from "./DeadLetters.ts"
import type { FeedMetrics } from "./FeedMetrics.ts"
import {
  type Batch,
  type FeedItem,
  FeedState,
  type Incomplete,
  type Position,
  type FeedFileRefused
} from "./FeedState.ts"
import {
  changedAnnotations,
  type Content,
  type Found,
  foundEvent,
  isSettled,
  millisecondsOf,
  pass,
  type Tlp
} from "./Found.ts"
import { lineOf, type Shape } from "./Shapes.ts"
import { eventInputs } from "../request/EventRequest.ts"
import { refusalText } from "../request/Refusal.ts"
import type { SearchesStopped } from "../request/SearchLimits.ts"
import { type SinkQueue, makeSinkQueue } from "./SinkQueue.ts"
import type { Sink } from "./Sink.ts"
import type { Source, SourcePage } from "./Sources.ts"

export interface FeedOptions {
  /** The time of the service, in milliseconds since 1970: the clock of this machine may be wrong. */
  readonly serviceTime: Effect.Effect<number>
  readonly sources: ReadonlyArray<Source>
  readonly sinks: ReadonlyArray<Sink>
  readonly shape: Shape
  readonly linkField: string
  readonly includeSecrets: boolean
  /** TLP label for each item. */
  readonly tlp: Tlp | undefined
  /** Reads the full content of each event; undefined to pass on events as listed. */
  readonly contents: Pick<Events["Service"], "get"> | undefined
  /** Whether an event whose annotations changed is passed on again. */
  readonly changes: boolean
  readonly overlap: Duration.Duration
  readonly retryFor: Duration.Duration
  readonly deadLetters: DeadLetters | undefined
  readonly metrics: FeedMetrics
}

/** Maximum number of items per batch, which is the request limit of a webhook. */
export const maxBatchSize = 500

/**
 * Maximum number of events per batch if their contents are read, which takes half a minute at 4 requests per second.
 */
const maxFullBatchSize = 100

/** A batch also ends after this many characters of contents. */
const maxPendingSize = 4 * maxContentSize

/** The reader pauses while more batches than this are pending for a working sink. */
const maxQueued = 4

/**
 * Maximum number of pages before the position is saved, even without new items, so that a crash does not restart the
 * whole overlap.
 */
const maxUnsavedPages = 200

/**
 * Reading pauses while the pending batches of the state have more characters than this, because a sink failed for a
 * long time.
 */
const maxWaiting = 64_000_000

/** Sources that could not be read to the end. */
export class SourceUnread extends Schema.TaggedError<SourceUnread>()("SourceUnread", {
  exitCode: Schema.Int,
  message: Schema.String,
  /** Whether a later round would fail in the same way. An outage is temporary, and a spent quota renews. */
  isFinal: Schema.Boolean
}) {}

export interface RoundResult {
  /** Number of pending batches by sink. */
  readonly waiting: ReadonlyMap<string, number>
  /** Why the service could not be read to the end. */
  readonly readFailure: SourceUnread | undefined
  /** Whether a sink accepts nothing more from this process. */
  readonly isClosed: boolean
}

/** Sends the pending batches of earlier rounds, then reads and sends new items. */
export const runRound = Effect.fn("Feed.round")(function* (options: FeedOptions) {
  const { metrics, sinks, sources } = options
  const state = yield* FeedState
  const changed = yield* Latch.make()
  const startedAt = yield* options.serviceTime
  const monotonicStart = yield* monotonicMillis
  const millisSinceStart = Effect.map(monotonicMillis, (millis) => millis - monotonicStart)
  // Uses the service's clock and a monotonic one: this machine's clock may be wrong, or be corrected during the round.
  const now = Effect.map(millisSinceStart, (millis) => DateTime.makeUnsafe(Math.round(startedAt + millis)))
  metrics.rounds += 1
  const { changed: changesBefore, found } = metrics
  const contentOf = options.contents === undefined ? undefined : makeContentReader(options.contents)

  const queues = yield* Effect.forEach(sinks, (sink) => makeSinkQueue(sink, { ...options, onChange: changed.open }))
  const send = (batch: Batch, isRepeat: boolean) =>
    Effect.forEach(
      queues,
      (queue) => (batch.waiting.includes(queue.sink.name) ? queue.offer(batch, isRepeat) : Effect.void),
      { discard: true }
    )
  yield* Effect.forEach(yield* state.batches, (batch) => send(batch, true), { discard: true })

  const progress = yield* progressLine
  const read = { listed: 0, fresh: 0 }
  const readOptions: ReadOptions = {
    ...options,
    countRead: ({ fresh = 0, listed = 0 }) =>
      Effect.suspend(() => {
        read.listed += listed
        read.fresh += fresh
        return progress.show(`${read.fresh} new of ${counted(read.listed, "item")} so far`)
      }),
    showProgress: progress.show,
    contentOf,
    startedAt,
    now,
    queues,
    send: (batch) => send(batch, false),
    waitForChange: waitFor(changed)
  }
  const reading = Effect.gen(function* () {
    const failures: Array<SourceUnread> = []
    for (const source of sources) {
      const read = yield* Effect.result(readSource(source, readOptions))
      if (Result.isSuccess(read)) continue
      if (read.failure._tag === "FeedFileRefused") return yield* read.failure
      const exitCode = exitCodeOf(read.failure)
      const text =
        read.failure._tag === "SearchesStopped"
          ? read.failure.message
          : (refusalText(read.failure, eventInputs) ?? failureText(read.failure))
      const isFinal =
        exitCode === exitCodes.usage ||
        exitCode === exitCodes.refused ||
        (read.failure._tag === "SearchesStopped" && read.failure.isOwnLimit)
      failures.push(new SourceUnread({ exitCode, message: `${source.name}: ${text}`, isFinal }))
      // Only this source is at fault, for example a deleted identifier: read the others.
      if (exitCode !== exitCodes.usage) break
    }
    if (contentOf !== undefined && failures.length === 0) yield* completeEvents(contentOf, readOptions)
    // Deliver what was read before a failure.
    yield* Effect.forEach(queues, ({ end }) => end, { discard: true })
    const last = failures.at(-1)
    return last === undefined
      ? undefined
      : new SourceUnread({
          exitCode: last.exitCode,
          isFinal: last.isFinal,
          message: failures.map(({ message }) => message).join("; ")
        })
  })
  const sending = Effect.forEach(queues, ({ run }) => run, { concurrency: "unbounded", discard: true })
  // If a queue fails, reading stops too.
  const [readFailure] = yield* Effect.all([Effect.ensuring(reading, progress.clear), sending], {
    concurrency: "unbounded"
  })
  if (readFailure !== undefined) metrics.readFailures += 1

  const bounds = yield* Effect.forEach(sources, ({ name }) => state.completedAt(name))
  const oldest = Math.min(startedAt, ...bounds.map((completed) => completed ?? Number.NEGATIVE_INFINITY))
  yield* state.forget(options.overlap, oldest)

  const batches = yield* state.batches
  const waiting = new Map(
    sinks.map(({ name }) => [name, batches.filter(({ waiting }) => waiting.includes(name)).length] as const)
  )
  for (const [sink, count] of waiting) metrics.waiting.set(sink, count)
  yield* say(
    [
      DateTime.formatIso(yield* now),
      `new=${metrics.found - found}`,
      ...(options.changes ? [`changed=${metrics.changed - changesBefore}`] : []),
      ...(contentOf === undefined ? [] : [`incomplete=${(yield* state.incomplete).size}`]),
      ...Array.from(waiting, ([sink, count]) => `waiting[${sink}]=${count}`),
      `lag_s=${metrics.lag ?? "none"}`,
      `seconds=${Math.round((yield* millisSinceStart) / 1000)}`,
      ...(readFailure === undefined ? [] : [`error=${JSON.stringify(readFailure.message)}`])
    ].join(" ")
  )
  if ((yield* state.size) >= maxWaiting) {
    yield* say(
      `Reading is paused, because ${maxWaiting / 1_000_000} MB wait for sinks that fail: repair these sinks, or run a separate feed for the others`
    )
  }
  const result: RoundResult = { waiting, readFailure, isClosed: queues.some(({ status }) => status.isClosed) }
  return result
})

const waitFor = (changed: Latch.Latch) => Effect.andThen(changed.close, changed.await)

type ContentReader = ReturnType<typeof makeContentReader>

interface ReadOptions extends FeedOptions {
  readonly startedAt: number
  /** Current time of the service. */
  readonly now: Effect.Effect<DateTime.Utc>
  readonly contentOf: ContentReader | undefined
  /** Adds to the progress of the round and shows it. */
  readonly countRead: (more: { readonly listed?: number; readonly fresh?: number }) => Effect.Effect<void>
  readonly showProgress: (text: string) => Effect.Effect<void>
  readonly queues: ReadonlyArray<SinkQueue>
  readonly send: (batch: Batch) => Effect.Effect<void>
  readonly waitForChange: Effect.Effect<void>
}

/**
 * Finishes a listing that an earlier process began, then reads again from the lower bound: events that arrived in
 * between may be older than the saved cursor. If pages cost quota, this is left to the next round.
 */
const readSource = Effect.fnUntraced(function* (source: Source, options: ReadOptions) {
  const state = yield* FeedState
  const unfinished = yield* state.position(source.name)
  if (unfinished !== undefined) {
    const isAccepted = yield* readListing(source, unfinished, options).pipe(
      Effect.as(true),
      Effect.catchIf(isRefusedAt(unfinished.from), () =>
        Effect.as(
          say(
            `${source.name}: the service no longer accepts the saved position, so its listing is read from the start`
          ),
          false
        )
      )
    )
    if (isAccepted && (source.costsQuota || (yield* state.position(source.name)) !== undefined)) return
  }
  const start = yield* state.start
  const since =
    source.byArrival === true
      ? // The state no longer has uids from before the start.
        laterOf((yield* state.arrivedAt(source.name)) ?? start, start)
      : lowerBound(yield* state.completedAt(source.name), start, options)
  yield* readListing(source, { began: options.startedAt, since, from: null }, options)
})

const laterOf = (a: string, b: string): string => (toSortable(a) > toSortable(b) ? a : b)

/**
 * Whether the service rejects the cursor, as it does after a rotation of its key, or because it belongs to another
 * service.
 */
const isRefusedAt = (cursor: string) => (error: ApiError | FeedFileRefused | SearchesStopped) =>
  (error._tag === "ValidationFailed" || error._tag === "V2Failure") && error.from === cursor

interface Reading extends Omit<Position, "from"> {
  /** Null to begin with the first page. */
  readonly from: string | null
}

const readListing = Effect.fnUntraced(function* (
  source: Source,
  { began, from, since }: Reading,
  options: ReadOptions
) {
  const { changes, contentOf, countRead, metrics } = options
  const state = yield* FeedState
  let pending: Array<Pending> = []
  let unreadable: Array<string> = []
  let pages = 0
  let pendingSize = 0
  /** Position after the last page; undefined at the end of the listing. */
  let position: Position | undefined
  let lastArrived: string | undefined
  /** Time of the uid in the state, which removes it once no bound reaches back to this time. */
  const boundTimeOf = ({ arrived, time }: Found) => (arrived === undefined ? time : millisecondsOf(arrived))
  const pendingUids = new Set<string>()
  const maxSize = contentOf === undefined ? maxBatchSize : maxFullBatchSize

  const flush = Effect.fnUntraced(function* (reached: Position | { readonly completed: number } | undefined) {
    const now = yield* options.now
    const milliseconds = DateTime.toEpochMillis(now)
    const batch = batchOf(pending, DateTime.formatIso(now), options)
    yield* state.advance({
      source: source.name,
      reached,
      arrived: source.byArrival === true ? lastArrived : undefined,
      found: [
        ...pending.map(({ found }) => ({
          uid: found.uid,
          annotations: found.annotations,
          time: boundTimeOf(found) ?? milliseconds
        })),
        ...unreadable.map((uid) => ({ uid, time: milliseconds, annotations: "" }))
      ],
      incomplete: incompleteOf(pending, options.includeSecrets, milliseconds),
      batch
    })
    const changed = pending.filter((item) => item.changed !== undefined).length
    metrics.changed += changed
    metrics.found += pending.length - changed
    const newest = Math.max(...pending.map(({ changed, found }) => (changed === undefined ? (found.time ?? 0) : 0)))
    if (newest > 0) metrics.lag = Math.max(0, Math.round((milliseconds - newest) / 1000))
    pending = []
    unreadable = []
    pages = 0
    pendingSize = 0
    pendingUids.clear()
    if (batch !== undefined) yield* sendBatch(batch, options)
  })

  const keep = Effect.suspend(() => (position === undefined || pages === 0 ? Effect.void : flush(position)))

  /** An item to pass on; undefined if nothing about the listed one is new. */
  const selected = (found: Found): Pending | undefined => {
    if (pendingUids.has(found.uid)) return undefined
    const before = state.annotationsOf(found.uid)
    if (before === undefined) return source.listsSettled === true && isSettled(found) ? undefined : { found }
    const changed = changes ? changedAnnotations(before, found.annotations) : []
    return changed.length === 0 ? undefined : { found, changed }
  }

  const withContent = (item: Pending, contentOf: ContentReader): Effect.Effect<Pending> =>
    item.found.kind === "event"
      ? Effect.map(contentOf(item.found.uid), (content) => ({ ...item, content }))
      : Effect.succeed(item)

  const withContents = Effect.fnUntraced(function* (items: ReadonlyArray<Pending>, listed: number) {
    yield* countRead({ listed, fresh: contentOf === undefined ? items.length : 0 })
    if (contentOf === undefined) return items
    const readItem = (item: Pending) => Effect.tap(withContent(item, contentOf), () => countRead({ fresh: 1 }))
    return yield* Effect.forEach(items, readItem, { concurrency: contentConcurrency })
  })

  const pageStream = source.pages(since, from)
  // Prefetches the next page while the contents of this one are read.
  yield* (contentOf === undefined ? pageStream : Stream.buffer(pageStream, { capacity: 1 })).pipe(
    Stream.mapEffect(
      Effect.fnUntraced(function* ({ found, next, undecoded, withoutUid }) {
        const newWithoutUid: Array<unknown> = []
        for (const item of withoutUid) {
          const key = keyOf(item)
          if (state.isSeen(key) || pendingUids.has(key)) continue
          pendingUids.add(key)
          unreadable.push(key)
          newWithoutUid.push(item)
        }
        yield* reportUnreadable(source, { undecoded, withoutUid: newWithoutUid }, options)
        const items: Array<Pending> = []
        for (const each of found) {
          const item = selected(each)
          if (item === undefined) continue
          pendingUids.add(each.uid)
          items.push(item)
        }
        for (const item of yield* withContents(items, found.length)) {
          pending.push(item)
          pendingSize += item.content?.isFull === true ? item.content.size : 0
        }
        pages += 1
        lastArrived = found.findLast(({ arrived }) => arrived !== undefined)?.arrived ?? lastArrived
        position = next === null ? undefined : { began, since, from: next }
        const isFull = pending.length + found.length > maxSize || pendingSize > maxPendingSize
        if (position === undefined) yield* flush({ completed: began })
        else if (isFull || pages >= maxUnsavedPages) yield* flush(position)
        return (yield* state.size) < maxWaiting
      })
    ),
    Stream.takeWhile((mayGoOn) => mayGoOn),
    Stream.runDrain,
    // After a failure, still deliver and record the items that were read: their pages may have cost quota.
    Effect.tapError(({ _tag }) => {
      if (_tag === "FeedFileRefused") return Effect.void
      // The service returned the same cursor twice: do not save it.
      return _tag === "CursorLoop" ? flush(undefined) : keep
    }),
    Effect.andThen(keep)
  )
})

interface Pending {
  readonly found: Found
  readonly content?: Content
  /** Names of changed annotations; undefined for a new item. */
  readonly changed?: ReadonlyArray<string>
  /** Whether the item was passed on before without its content. */
  readonly isCompletion?: boolean
}

const batchOf = (
  pending: ReadonlyArray<Pending>,
  passedAt: string,
  { includeSecrets, linkField, shape, sinks, tlp }: FeedOptions
): Batch | undefined => {
  if (pending.length === 0) return undefined
  const items = pending.map(({ changed, content, found, isCompletion }): FeedItem => {
    const passed = pass(found, { passedAt, linkField, includeSecrets, tlp, content, changed })
    return {
      uid: found.uid,
      line: lineOf(passed, shape),
      time: found.time ?? Date.parse(passedAt),
      summary: passed.summary,
      ...(changed === undefined && isCompletion !== true ? {} : { version: passedAt })
    }
  })
  return { id: randomUUID(), items, waiting: sinks.map(({ name }) => name) }
}

/** Events whose content could not be read, but may be in a later round. */
const incompleteOf = (pending: ReadonlyArray<Pending>, includeSecrets: boolean, now: number) =>
  new Map(
    pending.flatMap(({ content, found }): ReadonlyArray<readonly [string, Incomplete]> =>
      content?.isFull === false && !content.isFinal
        ? [[found.uid, { time: found.time ?? now, item: found.itemOf(includeSecrets) }]]
        : []
    )
  )

const sendBatch = Effect.fnUntraced(function* (batch: Batch, { queues, send, waitForChange }: ReadOptions) {
  yield* send(batch)
  while (queues.some(({ status }) => !status.isFailing && !status.isBehind && status.depth > maxQueued)) {
    yield* waitForChange
  }
})

/** Passes on events again whose content was unreadable in earlier rounds and is readable now. */
const completeEvents = Effect.fnUntraced(function* (contentOf: ContentReader, options: ReadOptions) {
  const state = yield* FeedState
  // In random order: events that always fail must not keep the others from being read.
  const waiting = yield* Random.shuffle((yield* state.incomplete).keys())
  let attempted = 0
  const readContent = (uid: string) =>
    Effect.tap(contentOf(uid), () => {
      attempted += 1
      return options.showProgress(
        `content of ${attempted} of ${counted(waiting.length, "event")} of earlier rounds so far`
      )
    })
  for (let at = 0; at < waiting.length; at += maxFullBatchSize) {
    const uids = waiting.slice(at, at + maxFullBatchSize)
    const contents = yield* Effect.forEach(uids, readContent, { concurrency: contentConcurrency })
    const incomplete = yield* state.incomplete
    const completed = uids.flatMap((uid, index): ReadonlyArray<Pending> => {
      const content = contents[index]
      const found = foundEvent(incomplete.get(uid)?.item)
      return content?.isFull === true && found !== undefined ? [{ found, content, isCompletion: true }] : []
    })
    const done = uids.filter((_, index) => contents[index]?.isFull === true || contents[index]?.isFinal === true)
    if (done.length === 0) continue
    const batch = batchOf(completed, DateTime.formatIso(yield* options.now), options)
    yield* state.complete(done, batch)
    if (completed.length > 0)
      yield* say(
        `${counted(completed.length, "event")} of earlier rounds got ${completed.length === 1 ? "its" : "their"} content`
      )
    if (batch !== undefined) yield* sendBatch(batch, options)
  }
})

/** The start of the overlap before this round or, if earlier, before the last complete round; at least `start`. */
const lowerBound = (
  completedAt: number | undefined,
  start: string,
  { overlap, startedAt }: Pick<ReadOptions, "overlap" | "startedAt">
): string => {
  if (completedAt === undefined) return start
  const lower = DateTime.formatIso(DateTime.makeUnsafe(Math.min(startedAt, completedAt) - Duration.toMillis(overlap)))
  return lower > start ? lower : start
}

/** A key for an item without a uid, so that it is reported once although every round reads the overlap again. */
const keyOf = (item: unknown): string =>
  `without a uid/${createHash("sha256")
    .update(JSON.stringify(redactEvent(item)))
    .digest("hex")}`

const reportUnreadable = Effect.fnUntraced(function* (
  { name }: Source,
  { undecoded, withoutUid }: Pick<SourcePage, "undecoded" | "withoutUid">,
  { deadLetters, includeSecrets }: FeedOptions
) {
  const leftOut = (count: number, reason: string) =>
    count === 0 ? Effect.void : say(`${name}: ${count} ${count === 1 ? "item was" : "items were"} left out: ${reason}`)
  yield* leftOut(undecoded, "not readable by this version")
  const reason = "the item has no uid"
  if (deadLetters === undefined) yield* leftOut(withoutUid.length, reason)
  else if (withoutUid.length > 0) {
    yield* deadLetters(
      withoutUid.map((item) => {
        const event = jsonText(includeSecrets ? item : redactEvent(item))
        return { sink: null, uid: null, reason, event }
      })
    )
  }
})
