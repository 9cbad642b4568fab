/**
 * Sends changes of events in the background. A change is shown at once, stored until the service has answered, and
 * undone if the service refuses it.
 */
import { isNotServed, isUnknownResource } from "@threat-exposure/core/client/ApiError"
import { Events } from "@threat-exposure/core/client/Events"
import { maxEventTargets } from "@threat-exposure/core/domain/Event"
import { Clock, Context, Effect, Latch, Layer, Option, PubSub, Schema, Stream } from "effect"
import { Connections } from "../../connection/Connections.ts"
import { type Connection, keptKey, serviceOf } from "../../connection/Connection.ts"
import { Profiles } from "../../connection/Profiles.ts"
import { Editor } from "../../editor/Editor.ts"
import { recall } from "../../editor/Memento.ts"
import { type Failure, problemOf } from "../../editor/Problem.ts"
import { count, t } from "../../words/Localisation.ts"
import { EventCache } from "../EventCache.ts"
import { applyChange, inverseOf, TriageChange } from "./TriageChange.ts"

/** Stored per folder, which only one window has open: two windows would send the same queue. */
const Stored = Schema.Struct({
  /** Service of the changes: another profile may have taken the name of this one since. */
  service: Schema.String,
  changes: Schema.Array(TriageChange)
})

const nothing: typeof Stored.Type = { service: "", changes: [] }

/** Maximum number of undo steps. */
const maxUndo = 50

/** Maximum number of attempts if the service answers with an error. Without an answer, attempts never end. */
const maxAttempts = 6
const maxPauseSeconds = 60

interface Step {
  readonly changes: ReadonlyArray<TriageChange>
  readonly inverse: ReadonlyArray<TriageChange>
}

export class Triage extends Context.Service<
  Triage,
  {
    readonly change: (changes: ReadonlyArray<TriageChange>) => Effect.Effect<void>
    /** Undoes the last change that was not undone yet. */
    readonly undo: Effect.Effect<void>
    /** Emits the number of unanswered changes when it changes. */
    readonly unsent: Stream.Stream<number>
  }
>()("threat-exposure/events/triage/Triage") {
  static readonly layer = Layer.effect(
    Triage,
    Effect.gen(function* () {
      const cache = yield* EventCache
      const connections = yield* Connections
      const editor = yield* Editor
      const profiles = yield* Profiles
      const scope = yield* Effect.scope
      const counts = yield* PubSub.sliding<number>(1)
      const waiting = yield* Latch.make(false)

      /** Unanswered changes in their order. */
      let queue: ReadonlyArray<TriageChange> = []
      let steps: ReadonlyArray<Step> = []
      const refused: Array<{ readonly change: TriageChange; readonly failure: Failure }> = []
      /** The connection that the changes belong to. */
      let owner: Connection = yield* profiles.now
      /** When each change was made, in milliseconds since 1970; events show this time. */
      const madeAt = new WeakMap<TriageChange, number>()

      const amendmentOf = (changes: ReadonlyArray<TriageChange>) => (event: Parameters<typeof applyChange>[0]) =>
        changes.reduce((amended, change) => applyChange(amended, change, madeAt.get(change) ?? 0), event)

      const show = (uids: Iterable<string>) => {
        const byUid = Map.groupBy(queue, ({ uid }) => uid)
        return cache.amend(
          new Map(
            Array.from(new Set(uids), (uid) => {
              const changes = byUid.get(uid)
              return [uid, changes === undefined ? undefined : amendmentOf(changes)]
            })
          )
        )
      }

      const keep = Effect.fnUntraced(function* (next: ReadonlyArray<TriageChange>) {
        queue = next
        if (owner._tag === "SignedOut") return
        const value = next.length === 0 ? undefined : { service: serviceOf(owner.profile), changes: next }
        yield* editor.remember("here", keptKey("triage", owner.profile), value)
        yield* PubSub.publish(counts, next.length)
      })

      const setUndo = (next: ReadonlyArray<Step>) =>
        Effect.suspend(() => {
          steps = next.slice(-maxUndo)
          return editor.setContext("events.canUndo", steps.length > 0)
        })

      const sendBatch = (batch: ReadonlyArray<TriageChange>) =>
        Effect.gen(function* () {
          const events = yield* Events
          for (const change of batch) {
            if ("annotation" in change) yield* events.annotate(change.uid, change.annotation)
          }
          const [first] = batch
          if (first !== undefined && "action" in first) {
            yield* events.act(
              batch.map(({ uid }) => uid),
              first.action
            )
          }
        })

      /** Sends until the queue is empty or the person has to sign in. */
      const sendAll = Effect.gen(function* () {
        const { work } = yield* connections.asNow
        /**
         * Number of changes still to be sent one by one: after a refusal of a batch, because one change fails all of
         * them.
         */
        let alone = 0
        let attempts = 0
        while (queue.length > 0) {
          const batch = alone > 0 ? queue.slice(0, 1) : firstBatch(queue)
          const outcome = yield* Effect.result(work(sendBatch(batch)))
          const rest = queue.filter((change) => !batch.includes(change))
          if (outcome._tag === "Success") {
            attempts = 0
            alone = Math.max(0, alone - 1)
            yield* keep(rest)
            for (const change of batch) {
              const left = rest.filter(({ uid }) => uid === change.uid)
              yield* cache.confirm(change.uid, amendmentOf([change]), left.length === 0 ? undefined : amendmentOf(left))
            }
            continue
          }
          const { failure } = outcome
          if (failure._tag === "Superseded" || failure._tag === "SignedOut" || failure._tag === "Unauthorized") return
          attempts++
          yield* editor.log("warn", `events.triage: ${failure._tag}: ${failure.message}`)
          // Without the permission or the operation, the service would refuse all changes of this kind.
          const refusesAll = isNotServed(failure) && !isUnknownResource(failure)
          if (!refusesAll && isTransient(failure, attempts)) {
            yield* PubSub.publish(counts, queue.length)
            const pause = problemOf(failure).retryAfter ?? Math.min(maxPauseSeconds, 2 ** (attempts - 1))
            yield* Effect.sleep(`${pause} seconds`)
            continue
          }
          if (batch.length > 1 && !refusesAll) {
            // The attempts still count: each change is sent once more.
            alone = batch.length
            continue
          }
          alone = Math.max(0, alone - 1)
          if (alone === 0) attempts = 0
          const lost = refusesAll ? queue.filter((change) => isAction(change) === batch.every(isAction)) : batch
          refused.push(...lost.map((change) => ({ change, failure })))
          yield* keep(queue.filter((change) => !lost.includes(change)))
          yield* show(lost.map(({ uid }) => uid))
        }
        yield* tellRefused
      })

      const tellRefused = Effect.suspend(() => {
        const lost = refused.splice(0)
        const [first] = lost
        if (first === undefined) return Effect.void
        const changes = lost.map(({ change }) => change)
        const isUnknown = isUnknownResource(first.failure)
        const reason = isUnknown
          ? t("the service changes only events that match an identifier of your tenant.")
          : problemOf(first.failure).message
        const message = count(
          changes.length,
          "{0} change was taken back: {1}",
          "{0} changes were taken back: {1}",
          reason
        )
        const tell = Effect.gen(function* () {
          const answer = yield* editor.notify("error", message, ...(isUnknown ? [] : [t("Retry")]), t("Show Log"))
          if (Option.isNone(answer)) return
          yield* answer.value === t("Show Log") ? editor.showLog : change(changes)
        })
        // Runs in the background, because the message stays until it is closed.
        return Effect.asVoid(Effect.forkIn(tell, scope))
      })

      const add = Effect.fnUntraced(function* (changes: ReadonlyArray<TriageChange>) {
        const now = yield* Clock.currentTimeMillis
        for (const change of changes) madeAt.set(change, now)
        yield* keep([...queue, ...changes])
        yield* show(changes.map(({ uid }) => uid))
        yield* waiting.open
      })

      const change = Effect.fnUntraced(function* (changes: ReadonlyArray<TriageChange>) {
        if (changes.length === 0) return
        const inverse = changes.flatMap((each) => {
          const event = cache.get(each.uid)
          return event === undefined ? [] : (inverseOf(event, each) ?? [])
        })
        yield* setUndo([...steps, { changes, inverse }])
        yield* add(changes)
      })

      /** Continues with the stored changes of a connection, after a restart or a switch of the profile. */
      const workFor = Effect.fnUntraced(function* (connection: Connection) {
        const uids = queue.map(({ uid }) => uid)
        owner = connection
        queue = []
        refused.length = 0
        yield* show(uids)
        yield* setUndo([])
        yield* PubSub.publish(counts, 0)
        if (connection._tag !== "SignedIn") return
        const kept = yield* Effect.provideService(
          recall("here", keptKey("triage", connection.profile), Stored, nothing),
          Editor,
          editor
        )
        if (kept.service === serviceOf(connection.profile)) yield* add(kept.changes)
        return yield* Effect.forever(Effect.andThen(Effect.andThen(waiting.await, waiting.close), sendAll))
      })

      yield* Stream.concat(Stream.fromEffect(profiles.now), profiles.changes).pipe(
        Stream.switchMap((connection) => Stream.fromEffect(workFor(connection))),
        Stream.runDrain,
        Effect.forkScoped({ startImmediately: true })
      )

      return Triage.of({
        change,
        undo: Effect.gen(function* () {
          const last = steps.at(-1)
          if (last === undefined) return
          yield* setUndo(steps.slice(0, -1))
          yield* add(last.inverse)
        }),
        unsent: Stream.fromPubSub(counts)
      })
    })
  )
}

const isAction = (change: TriageChange) => "action" in change

/** The longest prefix of the queue that a single request can send. */
const firstBatch = (queue: ReadonlyArray<TriageChange>): ReadonlyArray<TriageChange> => {
  const [first] = queue
  if (first === undefined || !("action" in first)) return queue.slice(0, 1)
  const other = queue.findIndex((change) => !("action" in change) || change.action !== first.action)
  return queue.slice(0, Math.min(maxEventTargets, other === -1 ? queue.length : other))
}

/** Whether the same request may succeed later. */
const isTransient = (failure: Failure, attempts: number): boolean => {
  switch (failure._tag) {
    case "RateLimited":
      return !failure.isQuotaSpent
    case "TimedOut":
    case "TooSlow":
      return true
    case "Unavailable":
      return failure.status === undefined || attempts < maxAttempts
    default:
      return false
  }
}
