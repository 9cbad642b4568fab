/** Limits what a run spends of the search quota. */
import { type ApiError, isApiError } from "@threat-exposure/core/client/ApiError"
import type { ApiClient } from "@threat-exposure/core/client/ApiClient"
import { counted } from "@threat-exposure/leak-check/Counted"
import { failureText } from "@threat-exposure/leak-check/search/FailureText"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Flag from "effect/cli/Flag"
import { exitCodes } from "../ExitCode.ts"

/** Number of results per unit of the search quota. See docs/api.md#limits-and-quota. */
export const resultsPerSearch = 100

export const maxSearchesFlag = Flag.Int("max-searches").pipe(
  Flag.withMetavar("N"),
  Flag.filter(
    (count) => count > 0,
    () => "a number from 1"
  ),
  Flag.optional,
  Flag.withDescription("Stop before this run has cost more searches, which are units of the search quota")
)

export const quotaReserveFlag = Flag.Int("quota-reserve").pipe(
  Flag.withMetavar("N"),
  Flag.filter(
    (count) => count >= 0,
    () => "a number from 0"
  ),
  Flag.withDefault(0),
  Flag.withDescription("Stop before fewer searches of the quota remain (default: 0)")
)

/** A limit or the quota ended the run before the end of its listing. What was read is kept. */
export class SearchesStopped extends Schema.TaggedError<SearchesStopped>()("SearchesStopped", {
  /**
   * Whether this run reached a limit of its own. Otherwise the quota is spent, and the run can continue once it renews.
   */
  isOwnLimit: Schema.Boolean,
  reason: Schema.String
}) {
  readonly exitCode = exitCodes.incomplete

  override get message() {
    return `The result is not complete: ${this.reason}`
  }
}

export interface SearchLimits {
  /** Undefined if unlimited. */
  readonly maxSearches: number | undefined
  readonly quotaReserve: number
}

interface MeterOptions extends SearchLimits {
  readonly quota: ApiClient["Service"]["quota"]
}

export interface SearchMeter {
  /** Limits the pages of one listing: reads a page only if one of maximum size would stay within the limits. */
  readonly limit: <Page extends { readonly next: string | null }, E>(
    pages: Stream.Stream<Page, ApiError | E>,
    listing: { readonly pageSize: number; readonly countOf: (page: Page) => number }
  ) => Stream.Stream<Page, ApiError | E | SearchesStopped>
  /**
   * A sentence with the decrease of the quota since the first answer, and the rest; undefined if the service does not
   * report it.
   */
  readonly observed: Effect.Effect<string | undefined>
}

export const makeSearchMeter = ({ maxSearches, quota, quotaReserve }: MeterOptions): SearchMeter => {
  let spent = 0
  let first: number | undefined
  const remaining = Effect.map(quota, ({ searchesRemaining }) => {
    first ??= searchesRemaining
    return searchesRemaining
  })

  const check = Effect.fnUntraced(function* (cost: number) {
    if (maxSearches !== undefined && spent + cost > maxSearches) {
      return yield* new SearchesStopped({
        isOwnLimit: true,
        reason: `it stopped at ${counted(spent, "search")}, because the next page may pass --max-searches ${maxSearches}`
      })
    }
    const left = yield* remaining
    if (quotaReserve > 0 && left !== undefined && left - cost < quotaReserve) {
      return yield* new SearchesStopped({
        isOwnLimit: true,
        reason: `it stopped, because ${counted(left, "search")} of the quota remain and --quota-reserve keeps ${quotaReserve}`
      })
    }
  })

  return {
    limit: (pages, { countOf, pageSize }) =>
      Stream.suspend(() => {
        let results = 0
        let paid = 0
        const unitsFor = (count: number) => Math.max(1, Math.ceil(count / resultsPerSearch))
        const next = Effect.suspend(() => check(unitsFor(results + pageSize) - paid))
        return Stream.unwrap(Effect.as(next, pages)).pipe(
          Stream.flatMap((page) => {
            results += countOf(page)
            spent += unitsFor(results) - paid
            paid = unitsFor(results)
            return Stream.concat(Stream.succeed(page), page.next === null ? Stream.empty : Stream.fromEffectDrain(next))
          }),
          Stream.catch((error) =>
            Stream.fail(
              isApiError(error) && error._tag === "RateLimited" && error.isQuotaSpent
                ? new SearchesStopped({ isOwnLimit: false, reason: failureText(error) })
                : error
            )
          )
        )
      }),
    observed: Effect.map(remaining, (left) =>
      left === undefined || first === undefined
        ? undefined
        : `Observed: the quota fell by ${first - left} since the first answer, for all who share the account; ${counted(left, "search")} remain.`
    )
  }
}
