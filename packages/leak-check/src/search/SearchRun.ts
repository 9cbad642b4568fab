/** Sends the searches of a plan, and records each answer, or why there is none. */
import { ApiClient } from "@threat-exposure/core/client/ApiClient"
import type { ApiError } from "@threat-exposure/core/client/ApiError"
import type { Credentials } from "@threat-exposure/core/client/Credentials"
import type { Events } from "@threat-exposure/core/client/Events"
import { Duration, Effect, Result } from "effect"
import { counted } from "../Counted.ts"
import { CleanCache } from "./CleanCache.ts"
import { reportedFailure } from "./FailureText.ts"
import { type Plan, type Search, searchesOf } from "./Plan.ts"
import type { Subject } from "../Report.ts"
import { type Bounds, credentialsOf, eventsOf } from "./Searches.ts"
import { type Answers, hasItems, type SearchRefusal, type SearchResults, type Unanswered } from "./SearchResults.ts"
import { subjectOf, type Target } from "../target/Target.ts"

/** Progress of a run, reported after each search. */
export interface Progress {
  /** Number of searches that were answered or failed. */
  readonly searched: number
  readonly failed: number
  readonly planned: number
  /** Number of targets with evidence so far, whether or not it counts. */
  readonly leaked: number
  /** The subject of the last search. */
  readonly subject: Subject
  readonly of: Search["of"]
}

export interface RunOptions {
  readonly onProgress?: ((progress: Progress) => Effect.Effect<void>) | undefined
  /** Stops the searches when it succeeds; results so far are kept. */
  readonly until?: Effect.Effect<void> | undefined
}

/**
 * Runs at most four searches at a time. A permanent failure of one also stops those not yet sent. Clean targets are
 * stored in the cache.
 */
export const runSearches = Effect.fnUntraced(function* (
  plan: Plan,
  { onProgress = () => Effect.void, until = Effect.never }: RunOptions = {}
): Effect.fn.Return<SearchResults, never, ApiClient | Credentials | Events> {
  const { limitedTiers, quota } = yield* ApiClient
  const remaining = Effect.map(quota, ({ searchesRemaining }) => searchesRemaining)
  const { settings } = plan.input
  const answers = new Map<Target, Answers>()
  const unanswered: Array<Unanswered> = []
  let sent = 0
  let answered = 0
  let leaked = 0
  let failures = 0
  let failuresInARow = 0
  let refused: SearchResults["refused"]
  let stopped: Stop | undefined

  const recordFailure = (search: Search, error: ApiError) => {
    const isQuota = error._tag === "RateLimited" && error.isQuotaSpent
    const detail = reportedFailure(error)
    unanswered.push({ search, reason: isQuota ? "quota" : "error", detail })
    failures++
    if (!isOfTheRequest(error)) failuresInARow++
    if (isRefusal(error)) {
      refused ??= error
      stopped ??= { reason: "error", detail }
    } else if (isQuota) {
      stopped ??= { reason: "quota", detail }
    } else if (failuresInARow >= maxFailuresInARow) {
      stopped ??= {
        reason: "error",
        detail: `The service failed ${failuresInARow} times in a row, so this search was not sent`
      }
    }
  }

  const one = Effect.fnUntraced(function* (search: Search) {
    stopped ??= reserveReached(yield* remaining, settings.quotaReserve)
    if (stopped !== undefined) {
      unanswered.push({ search, ...stopped })
      return
    }
    sent++
    const { target } = search
    const result = yield* Effect.result(ask(search, settings))
    answered++
    if (Result.isFailure(result)) recordFailure(search, result.failure)
    else {
      failuresInARow = 0
      const before = answers.get(target)
      const after = { ...before, ...result.success }
      if (hasItems(after) && (before === undefined || !hasItems(before))) leaked++
      answers.set(target, after)
    }
    yield* onProgress({
      searched: answered,
      failed: failures,
      planned: plan.searches.length,
      leaked,
      subject: subjectOf(target),
      of: search.of
    })
  })

  const searching = Effect.forEach(plan.searches, one, { concurrency: maxInFlight, discard: true }).pipe(
    Effect.as(undefined),
    Effect.timeoutOrElse({
      duration: settings.deadline,
      orElse: () =>
        Effect.map(limitedTiers, (tiers): Stop => {
          const why = tiers.has("search") ? ", because the service limits the rate of searches" : ""
          return {
            reason: "deadline",
            detail: `The deadline of ${Duration.format(settings.deadline)} passed${why}: raise it (deadline)`
          }
        })
    })
  )
  const cancelled = Effect.as(until, { reason: "skipped", detail: "The check was cancelled" } satisfies Stop)
  const ended = yield* Effect.raceFirst(searching, cancelled)
  if (ended !== undefined) {
    const missed = new Set(unanswered.map(({ search }) => search))
    for (const search of plan.searches) {
      if (missed.has(search) || answers.get(search.target)?.[search.of] !== undefined) continue
      unanswered.push({ search, ...ended })
    }
  }
  for (const search of plan.overBudget) {
    unanswered.push({
      search,
      reason: "max-searches",
      detail: `The budget of ${counted(settings.maxSearches, "search")} was not enough: raise it (max-searches)`
    })
  }
  const results = { sent, answers, unanswered, quotaRemaining: yield* remaining, refused }
  const cache = yield* CleanCache
  yield* cache.remember(cleanTargets(results), settings)
  return results
})

/** Targets without any item, provided that every page and item was read. */
export const cleanTargets = ({ answers }: Pick<SearchResults, "answers">): ReadonlyArray<Target> =>
  Array.from(answers)
    .filter(
      ([target, answer]) =>
        !hasItems(answer) &&
        searchesOf(target).every(({ of }) => answer[of]?.next === null && answer[of].unreadable === 0)
    )
    .map(([target]) => target)

type Stop = Pick<Unanswered, "reason" | "detail">

/** Maximum number of concurrent searches. */
export const maxInFlight = 4

/** Number of consecutive failures after which the service is considered down, so that no more requests are sent. */
const maxFailuresInARow = 8

const ask = (search: Search, bounds: Bounds): Effect.Effect<Answers, ApiError, Credentials | Events> =>
  search.of === "credentials"
    ? Effect.map(credentialsOf(search.target, bounds), (credentials) => ({ credentials }))
    : Effect.map(eventsOf(search.target, bounds), (events) => ({ events }))

const reserveReached = (remaining: number | undefined, reserve: number): Stop | undefined =>
  reserve > 0 && remaining !== undefined && remaining <= reserve
    ? {
        reason: "quota",
        detail: `${remaining} searches of the quota remain, and ${reserve} are reserved: wait for its renewal, or reserve fewer (quota-reserve)`
      }
    : undefined

const isRefusal = (error: ApiError): error is SearchRefusal =>
  error._tag === "Unauthorized" || error._tag === "Forbidden" || error._tag === "NotFound"

/** The request is at fault; this does not count as a failure of the service. */
const isOfTheRequest = ({ _tag }: ApiError) => _tag === "ValidationFailed" || _tag === "RequestInvalid"
