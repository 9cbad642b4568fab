/** Writes a listing to a file, page by page: what came before a failure is whole, and it can go on from there. */
import type { ApiError } from "@threat-exposure/core/client/ApiError"
import type { Page } from "@threat-exposure/core/domain/Page"
import { Effect, Option, Stream } from "effect"
import { type Client, Connections } from "../connection/Connections.ts"
import { type Cancelled, Editor } from "../Editor.ts"
import { count, t } from "../Localisation.ts"
import { type Failure, problemOf } from "../Problem.ts"
import { putText } from "./GrowingFile.ts"

/** How items read in a file. `tail` ends it after whatever was written. */
export interface Format<A> {
  readonly head: string
  readonly items: (items: ReadonlyArray<A>, areFirst: boolean) => string
  readonly tail: () => string
}

export const exportListing = <A>(options: {
  readonly title: string
  /** One after the other, each from a cursor on. */
  readonly sources: ReadonlyArray<(from: string | undefined) => Stream.Stream<Page<A>, ApiError, Client>>
  readonly most: number
  readonly format: Format<A>
  /** Items of several sources with one key are one, which is written once. */
  readonly key: (item: A) => string
  readonly uri: string
}): Effect.Effect<void, Failure | Cancelled, Connections | Editor> =>
  Effect.gen(function* () {
    const { format, key, most, sources, title, uri } = options
    const connections = yield* Connections
    const editor = yield* Editor
    const keys = new Set<string>()
    let at: { readonly source: number; readonly from: string | undefined } = { source: 0, from: undefined }
    let written = 0
    /** Where the next item goes, in bytes; undefined before the file was begun. */
    let end: number | undefined

    const unique = (items: ReadonlyArray<A>) =>
      sources.length === 1
        ? items
        : items.filter((item) => {
            const isNew = !keys.has(key(item))
            keys.add(key(item))
            return isNew
          })

    const begin = Effect.gen(function* () {
      if (end === undefined) end = yield* putText(uri, 0, format.head, format.tail())
      return end
    })

    /** The file is whole after each page, tail included. */
    const keep = Effect.fnUntraced(function* (page: Page<A>, next: typeof at) {
      const from = yield* begin
      const items = unique(page.items).slice(0, most - written)
      const text = format.items(items, written === 0)
      end = yield* putText(uri, from, text, format.tail())
      written += items.length
      at = next
    }, Effect.uninterruptible)

    const run = (say: (message: string) => Effect.Effect<void>) =>
      Effect.gen(function* () {
        yield* begin
        for (;;) {
          const { source, from } = at
          const pages = sources[source]?.(from)
          if (pages === undefined || written >= most) return
          yield* connections.work(
            pages.pipe(
              Stream.tap((page) =>
                Effect.andThen(
                  keep(
                    page,
                    page.next === null ? { source: source + 1, from: undefined } : { source, from: page.next }
                  ),
                  Effect.suspend(() => say(count(written, "{0} written", "{0} written")))
                )
              ),
              Stream.takeUntil(() => written >= most),
              Stream.runDrain,
              Effect.provideService(Editor, editor)
            )
          )
        }
      })

    for (;;) {
      const failure = yield* editor.progress(title, run).pipe(
        Effect.as(undefined),
        Effect.catch((failure) => Effect.succeed(failure))
      )
      if (failure === undefined) {
        const open = t("Open")
        yield* editor.notify("info", count(written, "{0} exported.", "{0} exported."), open).pipe(
          Effect.flatMap((answer) => (Option.isSome(answer) ? editor.openText(uri) : Effect.void)),
          Effect.ignore,
          Effect.forkDetach
        )
        return
      }
      const why = failure._tag === "Cancelled" ? t("Cancelled.") : problemOf(failure).message
      if (failure._tag !== "Cancelled") yield* editor.log("error", `export: ${failure._tag}: ${failure.message}`)
      const kept = count(written, "{0} is in the file.", "{0} are in the file.")
      const answer = yield* editor.notify("warning", `${why} ${kept}`, t("Resume"))
      if (Option.isNone(answer)) return
    }
  })
