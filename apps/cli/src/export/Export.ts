/** Copies every result of a search into a file, page by page. */
import type { ApiError } from "@threat-exposure/core/client/ApiError"
import { counted } from "@threat-exposure/leak-check/Counted"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { exitCodes } from "../ExitCode.ts"
import { say } from "../output/Output.ts"
import { ItemsUnreadable } from "../request/ItemsUnreadable.ts"
import { openExport, type Progress } from "./ExportFile.ts"

/** The number of results that one unit of the search quota pays for. See docs/api.md#limits-and-quota. */
export const resultsPerSearch = 100

export interface ExportPage {
  readonly text: string
  readonly items: number
  /** How many more cannot be read. */
  readonly unreadable: number
  readonly next: string | null
}

/** The export reached its limit of searches. */
export class SearchesSpent extends Schema.TaggedError<SearchesSpent>()("SearchesSpent", { maxSearches: Schema.Int }) {
  readonly exitCode = exitCodes.incomplete

  override get message() {
    return `The export is not complete: it stopped at ${counted(this.maxSearches, "search")} (--max-searches)`
  }
}

export interface ExportOptions {
  readonly file: string
  /** Of the results, singular, such as "credential". */
  readonly noun: string
  /** Before the first page. */
  readonly head: string
  /** The largest page. */
  readonly pageSize: number
  /** At least one page's worth; undefined where the listing costs no quota. */
  readonly maxSearches: number | undefined
  readonly started: Pick<Progress, "search" | "since" | "until">
  readonly resumed: Progress | undefined
  readonly pages: (from: string | null) => Stream.Stream<ExportPage, ApiError>
}

export const runExport = Effect.fn("Export.run")(function* ({
  file,
  head,
  maxSearches,
  pageSize,
  pages,
  resumed,
  started,
  noun
}: ExportOptions) {
  yield* say(
    maxSearches === undefined
      ? "This export costs no searches."
      : `This export costs one search per ${resultsPerSearch} ${noun}s, and at most ${counted(maxSearches, "search")} (--max-searches).`
  )
  const written = yield* openExport(file, resumed, started)
  if ((resumed?.bytes ?? 0) === 0) yield* written.append(head, { ...started, from: null, items: 0 })
  const before = resumed?.items ?? 0
  let items = before
  let unreadable = 0
  // Interrupted between its last page and the removal of its progress.
  let isComplete = resumed !== undefined && resumed.from === null && before > 0
  const mayRead = () => maxSearches === undefined || items - before + pageSize <= maxSearches * resultsPerSearch
  const toContinue = Effect.suspend(() =>
    say(`${counted(items, noun)} in ${file} so far: run the same command with --resume to continue.`)
  )
  const unread = isComplete ? Stream.empty : pages(resumed?.from ?? null)
  yield* unread.pipe(
    Stream.mapEffect(
      Effect.fnUntraced(function* (page) {
        yield* written.append(page.text, { ...started, from: page.next, items: items + page.items })
        items += page.items
        unreadable += page.unreadable
        isComplete = page.next === null
        yield* say(counted(items, noun))
      })
    ),
    Stream.takeUntil(() => isComplete || !mayRead()),
    Stream.runDrain,
    Effect.onError(() => toContinue)
  )
  if (!isComplete) {
    yield* toContinue
    return yield* new SearchesSpent({ maxSearches: maxSearches ?? 0 })
  }
  yield* written.end
  yield* say(`Done: ${counted(items, noun)} in ${file}.`)
  if (unreadable > 0) return yield* new ItemsUnreadable({ noun, count: unreadable })
}, Effect.scoped)
