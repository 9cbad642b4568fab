/** Prints a listing of the service as a table or as lines of JSON. */
import type { ApiError } from "@threat-exposure/core/client/ApiError"
import type { Page } from "@threat-exposure/core/domain/Page"
import { counted, plural } from "@threat-exposure/leak-check/Counted"
import { readablePages } from "@threat-exposure/leak-check/search/ReadablePages"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { wrapIndented } from "../output/HelpText.ts"
import { outline } from "../output/Outline.ts"
import { json, print, printJson, progressLine, say, tableOptions } from "../output/Output.ts"
import { type Cell, type Column, table } from "../output/Table.ts"
import { ItemsUnreadable } from "./ItemsUnreadable.ts"

export interface Listed<A> {
  readonly found: ReadonlyArray<A>
  readonly hasMore: boolean
  /** Number of unreadable items. */
  readonly unreadable: number
  /** Why the rest of the listing could not be read; undefined if it could. */
  readonly failure?: ApiError
}

/**
 * Collects at most `limit` items. `hasMore` relies on the cursor of the page: fetching one more item could cost a unit.
 */
export const collect = Effect.fnUntraced(function* <A>(pages: Stream.Stream<Page<A>, ApiError>, limit: number) {
  const progress = yield* progressLine
  const found: Array<A> = []
  let hasMore = false
  let unreadable = 0
  const read = yield* readablePages(pages).pipe(
    Stream.tap(({ items, next, unreadable: ofPage }) => {
      for (const item of items) found.push(item)
      unreadable += ofPage
      hasMore = next !== null
      return progress.show(`${Math.min(found.length, limit)} of at most ${limit} so far`)
    }),
    Stream.takeUntil(() => found.length >= limit),
    Stream.runDrain,
    Effect.ensuring(progress.clear),
    Effect.result
  )
  // The pages before a failure may have cost quota.
  if (Result.isFailure(read) && found.length === 0) return yield* Effect.fail(read.failure)
  const listed: Listed<A> = {
    found: found.slice(0, limit),
    hasMore: hasMore || found.length > limit,
    unreadable,
    ...(Result.isFailure(read) ? { failure: read.failure } : {})
  }
  return listed
})

export interface ListingFormat<A> {
  /** Singular noun, such as "credential". */
  readonly noun: string
  readonly columns: ReadonlyArray<Column>
  /** The item as shown, without secrets. */
  readonly shownOf: (item: A) => unknown
  readonly rowOf: (shown: unknown, item: A) => ReadonlyArray<string | Cell>
  /** Tells the user how to see the rest. */
  readonly more?: string
}

export const printListing = Effect.fnUntraced(function* <A>(
  { failure, found, hasMore, unreadable }: Listed<A>,
  { columns, more = "raise --limit", noun, rowOf, shownOf }: ListingFormat<A>
) {
  if (yield* json) {
    for (const item of found) yield* printJson(shownOf(item))
  } else if (found.length > 0) {
    const rows = found.map((item) => rowOf(shownOf(item), item))
    for (const line of table(columns, rows, yield* tableOptions)) yield* print(line)
  }
  if (failure !== undefined) {
    yield* say(`${counted(found.length, noun)}, and not all: the rest could not be read.`)
    return yield* Effect.fail(failure)
  }
  yield* say(
    found.length === 0
      ? `No ${plural(noun)} found.`
      : `${counted(found.length, noun)}${hasMore ? `; there are more: ${more}` : ""}.`
  )
  if (unreadable > 0) return yield* new ItemsUnreadable({ noun, count: unreadable })
})

/** Prints one redacted resource: as an outline for people, or as JSON. */
export const printRecord = Effect.fnUntraced(function* (shown: unknown) {
  if (yield* json) return yield* printJson(shown)
  const { width = Number.POSITIVE_INFINITY } = yield* tableOptions
  for (const line of outline(shown)) yield* print(wrapIndented(line, width).join("\n"))
})
