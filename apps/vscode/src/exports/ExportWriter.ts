/** Writes a listing to a file page by page. After a failure the file is valid and can be continued. */
import type { ApiError } from "@threat-exposure/core/client/ApiError"
import type { Page } from "@threat-exposure/core/domain/Page"
import { Effect, Stream } from "effect"
import { Connections } from "../connection/Connections.ts"
import type { Client } from "../connection/ProfileClient.ts"
import { Editor } from "../editor/Editor.ts"
import { t } from "../words/Localisation.ts"
import { type Failure, NotPossible } from "../editor/Problem.ts"
import { appendableFile } from "./AppendableFile.ts"
import type { Format } from "./Format.ts"
import type { UnfinishedExport } from "./UnfinishedExport.ts"

export interface Exported<A> {
  /** Listings that are read one after the other, each from a cursor. */
  readonly sources: ReadonlyArray<(from: string | undefined) => Stream.Stream<Page<A>, ApiError, Client>>
  readonly format: Format<A>
  /** Items with the same key are written only once, even if several sources return them. */
  readonly key: (item: A) => string
}

/** Runs an export, from its start or its last position. */
export const exportFrom = <A>(
  { format, key, sources }: Exported<A>,
  unfinished: UnfinishedExport,
  tell: {
    /** Receives the number of written items after each page. */
    readonly read: (items: number) => Effect.Effect<void>
    /** Receives the position to resume from, whenever the file contains everything before it. */
    readonly keep: (unfinished: UnfinishedExport) => Effect.Effect<void>
  }
): Effect.Effect<void, Failure, Connections | Editor> =>
  Effect.gen(function* () {
    const { work } = yield* (yield* Connections).asNow
    const editor = yield* Editor
    const { uri, maxItems } = unfinished
    let at = unfinished

    const keys = new Set(at.written === 0 ? [] : yield* readKeys(format, at))
    const unique = (items: ReadonlyArray<A>) =>
      sources.length === 1
        ? items
        : items.filter((item) => {
            const isNew = !keys.has(key(item))
            keys.add(key(item))
            return isNew
          })

    const file = yield* appendableFile(uri, at.written === 0 ? 0 : at.end)
    const write = Effect.fnUntraced(function* (next: UnfinishedExport, text: string) {
      const isInFile = yield* file.add(text, format.tail())
      at = { ...next, end: next.end + new TextEncoder().encode(text).length }
      if (isInFile) yield* tell.keep(at)
    })

    /** Uninterruptible, so that the file is complete after each write, including its tail. */
    const writePage = Effect.fnUntraced(function* ({ items, next }: Page<A>) {
      const { from: _, ...before } = at
      const fresh = unique(items).slice(0, maxItems - at.written)
      const place = next === null ? { source: at.source + 1 } : { from: next }
      const text = format.items(fresh, at.written === 0)
      yield* write({ ...before, ...place, written: at.written + fresh.length }, text)
      yield* tell.read(at.written)
    }, Effect.uninterruptible)

    const pull = Effect.gen(function* () {
      if (at.written === 0) yield* write({ ...at, end: 0 }, format.head)
      for (;;) {
        const pages = sources[at.source]?.(at.from)
        if (pages === undefined || at.written >= maxItems) return
        yield* work(
          pages.pipe(
            Stream.tap(writePage),
            Stream.takeUntil(() => at.written >= maxItems),
            Stream.runDrain,
            Effect.provideService(Editor, editor)
          )
        )
      }
    })
    // Write buffered rows even if the export fails or is cancelled.
    yield* Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(restore(pull))
        yield* file.settle
        if (at !== unfinished) yield* tell.keep(at)
        yield* exit
      })
    )
  })

const readKeys = Effect.fnUntraced(function* <A>(format: Format<A>, { uri, end }: UnfinishedExport) {
  const editor = yield* Editor
  const bytes = new TextEncoder().encode(yield* editor.read(uri))
  const hasChanged = () => new NotPossible({ message: t("The export file has changed. Start a new export.") })
  if (bytes.length < end) return yield* hasChanged()
  return yield* Effect.try({
    // Ignore rows after the position: they will be written again.
    try: () => format.takeUp(new TextDecoder().decode(bytes.subarray(0, end))),
    catch: hasChanged
  })
})
