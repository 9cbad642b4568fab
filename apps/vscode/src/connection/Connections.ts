/** The client of the signed-in profile. */
import { ApiClient, type Quota } from "@threat-exposure/core/client/ApiClient"
import { type ApiError, RateLimited, type RequestInvalid } from "@threat-exposure/core/client/ApiError"
import { CallOptions } from "@threat-exposure/core/client/ClientOptions"
import { certificateFault } from "@threat-exposure/leak-check/search/FailureText"
import {
  Context,
  Deferred,
  Effect,
  Exit,
  Layer,
  Predicate,
  PubSub,
  type Redacted,
  Scope,
  Semaphore,
  Stream
} from "effect"
import { Editor } from "../editor/Editor.ts"
import { type Failure, SignedOut, Superseded, TooSlow, Unanswered } from "../editor/Problem.ts"
import { Settings } from "../editor/Settings.ts"
import type { Health, SignedIn } from "./Connection.ts"
import * as connectionSettings from "./ConnectionSettings.ts"
import type { Profile } from "./Profile.ts"
import { buildClient, type Client, Fetch, probe, withoutRetries } from "./ProfileClient.ts"
import { Profiles } from "./Profiles.ts"

/** Runs a request. Fails instead of waiting for retries, so that the caller can show a message. */
export type Ask = <A, E>(
  effect: Effect.Effect<A, E, Client>
) => Effect.Effect<A, E | SignedOut | Superseded | TooSlow | RequestInvalid>

export interface BoundConnection {
  readonly ask: Ask
  /** For requests that change something: sent once, without retries. */
  readonly send: <A, E extends Failure>(
    effect: Effect.Effect<A, E, Client>
  ) => Effect.Effect<A, E | SignedOut | Superseded | TooSlow | RequestInvalid | Unanswered>
  /** For long-running work: waits and retries as the service requests. */
  readonly work: <A, E, R>(
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | SignedOut | Superseded | RequestInvalid, Exclude<R, Client>>
  /**
   * Like `work`, for work that can end early: `ended` completes when the connection ends, and the result of `run` is
   * still returned.
   */
  readonly workUntilEnd: <A, E, R>(
    run: (ended: Effect.Effect<void>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | SignedOut | Superseded | RequestInvalid, Exclude<R, Client>>
}

export class Connections extends Context.Service<
  Connections,
  {
    /** For interactive requests. */
    readonly ask: Ask
    /**
     * For requests that belong to the current connection, such as those with the answers to a form. After a switch of
     * the connection they fail with `Superseded`, and nothing is sent.
     */
    readonly asNow: Effect.Effect<BoundConnection>
    /** The remaining search quota as last reported by the service. Sends no request. */
    readonly quota: Effect.Effect<Quota | undefined>
    /** Sends a cheap request, and returns the remaining search quota if the service has reported it. */
    readonly test: Effect.Effect<Quota, ApiError | SignedOut | Superseded | TooSlow>
    readonly health: () => Health
    /** Emits each new value of `health`. */
    readonly healthChanges: Stream.Stream<Health>
    /** Tests a profile before it is signed in. */
    readonly probe: (profile: Profile, secret: Redacted.Redacted) => Effect.Effect<void, ApiError>
  }
>()("threat-exposure/connection/Connections") {
  static readonly layer = Layer.effect(
    Connections,
    Effect.gen(function* () {
      const editor = yield* Editor
      const profiles = yield* Profiles
      const settings = yield* Settings
      const scope = yield* Effect.scope
      const fetch = yield* Fetch

      // The current client; there is at most one.
      let live: (Asker & { readonly client: Context.Context<Client>; readonly scope: Scope.Closeable }) | undefined
      /** Ends the requests of a connection, whose late answers would otherwise be attributed to the next one. */
      const ends = new Map<SignedIn, Asker["end"]>()
      const oneAtATime = yield* Semaphore.make(1)

      const close = Effect.suspend(() => {
        const before = live
        live = undefined
        return before === undefined ? Effect.void : Scope.close(before.scope, Exit.void)
      })

      const current = oneAtATime.withPermit(
        Effect.gen(function* () {
          const { connection, secret } = yield* profiles.current
          if (live?.connection === connection) return live
          const end = ends.get(connection) ?? (yield* Deferred.make<never, SignedOut | Superseded>())
          ends.set(connection, end)
          yield* close
          const own = yield* Scope.fork(scope)
          const client = yield* buildClient(connection.profile, secret, fetch, {
            search: yield* settings.get(connectionSettings.searchesPerSecond),
            basic: yield* settings.get(connectionSettings.callsPerSecond)
          }).pipe(Effect.provideService(Scope.Scope, own))
          live = { client, scope: own, connection, end }
          return live
        })
      )

      yield* profiles.changes.pipe(
        Stream.runForEach(
          Effect.fnUntraced(function* (connection) {
            if (connection !== live?.connection) yield* oneAtATime.withPermit(close)
            yield* becomes("unknown")
            // After the sign-in expires, each request fails by itself, and some failures carry partial results.
            if (connection._tag === "Expired") return
            for (const [before, end] of ends) {
              if (before === connection) continue
              ends.delete(before)
              const why = connection._tag === "SignedOut" ? new SignedOut({ isExpired: false }) : new Superseded()
              yield* Deferred.fail(end, why)
            }
          })
        ),
        Effect.forkScoped
      )
      yield* settings.changesOf(connectionSettings.searchesPerSecond, connectionSettings.callsPerSecond).pipe(
        Stream.runForEach(() => oneAtATime.withPermit(close)),
        Effect.forkScoped
      )

      /**
       * Runs a request until its connection ends. Checks the connection at the end as well: an answer can arrive just
       * after a switch.
       */
      const under = <A, E, R>(effect: Effect.Effect<A, E, R>, asker: Asker) =>
        Effect.raceFirst(
          Effect.tap(trackHealth(effect, asker), () => profiles.requireCurrent(asker.connection)),
          Deferred.await(asker.end)
        )

      const trackHealth = <A, E, R>(effect: Effect.Effect<A, E, R>, { connection }: Asker) =>
        logUnreadable(effect).pipe(
          Effect.tap(() => becomes("answering")),
          Effect.tapError((error) =>
            Predicate.isTagged(error, "Unauthorized")
              ? profiles.expire(connection)
              : Predicate.isTagged(error, "Superseded")
                ? Effect.void
                : becomes(isSilence(error) ? "silent" : "answering")
          )
        )

      let health: Health = "unknown"
      const healths = yield* PubSub.unbounded<Health>()
      const becomes = (next: Health) =>
        Effect.suspend(() => {
          if (next === health) return Effect.void
          health = next
          return PubSub.publish(healths, next)
        })

      /** Logs the items that listings omit because they cannot be decoded. */
      const logUnreadable = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.suspend(() => {
          const lines: Array<string> = []
          return effect.pipe(
            Effect.provideService(CallOptions, {
              onUnreadable: ({ faults, id, index, uid }) => {
                lines.push(`left out item ${uid ?? id ?? index} of a listing: ${faults.join("; ")}`)
              }
            }),
            Effect.ensuring(Effect.suspend(() => Effect.forEach(lines, (line) => editor.log("warn", line))))
          )
        })

      const send: Ask = Effect.fnUntraced(function* (effect) {
        const asker = yield* current
        const seconds = yield* settings.get(connectionSettings.timeoutSeconds)
        return yield* withoutRetries(effect).pipe(
          Effect.provideContext(asker.client),
          Effect.timeoutOrElse({
            duration: `${seconds} seconds`,
            orElse: () => Effect.fail(new TooSlow({ seconds }))
          }),
          (request) => under(request, asker)
        )
      })

      const ask: Ask = (effect) =>
        send(
          Effect.retry(effect, {
            times: 1,
            while: (error) => Predicate.isTagged(error, "Unavailable") || isSoon(error)
          })
        )

      const asNow = Effect.map(profiles.now, (connection): BoundConnection => {
        const bound = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
          Effect.andThen(profiles.requireCurrent(connection), effect)
        return {
          ask: (effect) => ask(bound(effect)),
          send: (effect) =>
            Effect.mapError(send(bound(effect)), (failure) =>
              isSilence(failure) && wasPerhapsSent(failure) ? new Unanswered({ failure }) : failure
            ),
          work: Effect.fnUntraced(function* (effect) {
            const asker = yield* current
            return yield* under(Effect.provideContext(bound(effect), asker.client), asker)
          }),
          workUntilEnd: Effect.fnUntraced(function* (run) {
            const asker = yield* current
            const ended = Effect.ignore(Deferred.await(asker.end))
            return yield* trackHealth(Effect.provideContext(bound(run(ended)), asker.client), asker)
          })
        }
      })

      return Connections.of({
        health: () => health,
        healthChanges: Stream.fromPubSub(healths),
        ask,
        asNow,
        quota: Effect.suspend(() =>
          live === undefined ? Effect.succeed(undefined) : Context.get(live.client, ApiClient).quota
        ),
        test: Effect.suspend(() =>
          ask(
            Effect.gen(function* () {
              yield* probe
              const api = yield* ApiClient
              return yield* api.quota
            })
          )
        ),
        probe: (profile, secret) =>
          Effect.scoped(
            Effect.gen(function* () {
              const client = yield* buildClient(profile, secret, fetch, {})
              yield* Effect.provideContext(withoutRetries(probe), client)
            })
          )
      })
    })
  )
}

/** Whether the service did not answer at all; a response with status 5xx is an answer. */
const isSilence = (error: unknown): boolean =>
  Predicate.isTagged(error, "TooSlow") ||
  Predicate.isTagged(error, "TimedOut") ||
  (Predicate.isTagged(error, "Unavailable") && Predicate.hasProperty(error, "status") && error.status === undefined)

/** False if there was no connection over which the request could be sent. */
const wasPerhapsSent = (failure: Failure): boolean =>
  failure._tag !== "Unavailable" ||
  (certificateFault(failure) === undefined && !/\b(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN)\b/u.test(failure.message))

/** Whether the rate limit rejected the request but allows it within seconds, which the client can wait for. */
const isSoon = (error: unknown): boolean =>
  error instanceof RateLimited && !error.isQuotaSpent && (error.retryAfter ?? 0) <= maxTurn

/** Seconds to wait without a message. */
const maxTurn = 10

/** The connection of a request, and the signal that ends it. */
interface Asker {
  readonly connection: SignedIn
  readonly end: Deferred.Deferred<never, SignedOut | Superseded>
}
