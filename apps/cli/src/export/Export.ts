/** Copies every result of a search into a file, page by page. */
import type { ApiError } from "@threat-exposure/core/client/ApiError"
import { counted } from "@threat-exposure/leak-check/Counted"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { progressLine, say } from "../output/Output.ts"
import { ItemsUnreadable } from "../request/ItemsUnreadable.ts"
import { resultsPerSearch, type SearchMeter } from "../request/SearchLimits.ts"
import { openExport, type Progress } from "./ExportFile.ts"

export interface ExportPage {
  readonly text: string
  readonly items: number
  /** Number of results of the page that are unreadable. */
  readonly unreadable: number
  readonly next: string | null
}

export interface ExportOptions {
  readonly file: string
  /** Singular noun for a result, such as "credential". */
  readonly noun: string
  /** Text of the file before the first page. */
  readonly head: string
  /** Maximum number of results per page. */
  readonly pageSize: number
  readonly maxSearches: number
  /** Undefined if the listing costs no quota. */
  readonly meter: SearchMeter | undefined
  readonly started: Pick<Progress, "search" | "since" | "until">
  readonly resumed: Progress | undefined
  readonly pages: (from: string | null) => Stream.Stream<ExportPage, ApiError>
}

export const runExport = Effect.fn("Export.run")(function* ({
  file,
  head,
  maxSearches,
  meter,
  pageSize,
  pages,
  resumed,
  started,
  noun
}: ExportOptions) {
  yield* say(
    meter === undefined
      ? "This export costs no searches."
      : `This export costs one search per ${resultsPerSearch} ${noun}s, and at most ${counted(maxSearches, "search")} (--max-searches).`
  )
  const progress = yield* progressLine
  const written = yield* openExport(file, resumed, started)
  if ((resumed?.bytes ?? 0) === 0) yield* written.append(head, { ...started, from: null, items: 0 })
  const before = resumed?.items ?? 0
  let items = before
  let unreadable = 0
  // The earlier run was interrupted between writing its last page and removing its progress.
  const isComplete = resumed !== undefined && resumed.from === null && before > 0
  const toContinue = Effect.suspend(() =>
    items === 0 && resumed === undefined
      ? written.discard
      : say(`${counted(items, noun)} in ${file} so far: run the same command with --resume to continue.`)
  )
  const listing = pages(resumed?.from ?? null)
  const limited =
    meter === undefined ? listing : meter.limit(listing, { pageSize, countOf: (page) => page.items + page.unreadable })
  const unread = isComplete ? Stream.empty : limited
  yield* unread.pipe(
    Stream.mapEffect(
      Effect.fnUntraced(function* (page) {
        yield* written.append(page.text, { ...started, from: page.next, items: items + page.items })
        items += page.items
        unreadable += page.unreadable
        yield* progress.show(counted(items, noun))
      })
    ),
    Stream.runDrain,
    Effect.ensuring(progress.clear),
    Effect.onError(() => toContinue)
  )
  yield* written.end
  yield* say(`Done: ${counted(items, noun)} in ${file}.`)
  const observed = meter === undefined ? undefined : yield* meter.observed
  if (observed !== undefined) yield* say(observed)
  if (unreadable > 0) return yield* new ItemsUnreadable({ noun, count: unreadable })
}, Effect.scoped)
