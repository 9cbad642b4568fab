/** Writes a listing to a file, page by page; what came before a failure is kept, and it can go on from there. */
import type { Page } from "@threat-exposure/core/domain/Page"
import { Effect, Option, Ref, Stream } from "effect"
import { type Client, Connections } from "../connection/Connections.ts"
import { type Cancelled, Editor } from "../Editor.ts"
import { count, t } from "../Localisation.ts"
import { type Failure, problemOf } from "../Problem.ts"
import type { ApiError } from "@threat-exposure/core/client/ApiError"

export const exportListing = <A>(options: {
  readonly title: string
  /** One after the other, each from a cursor on. */
  readonly sources: ReadonlyArray<(from: string | undefined) => Stream.Stream<Page<A>, ApiError, Client>>
  readonly most: number
  readonly write: (items: ReadonlyArray<A>) => string
  readonly uri: string
}): Effect.Effect<void, Failure | Cancelled, Connections | Editor> =>
  Effect.gen(function* () {
    const connections = yield* Connections
    const editor = yield* Editor
    const items = yield* Ref.make<ReadonlyArray<A>>([])
    let at: { readonly source: number; readonly from: string | undefined } = { source: 0, from: undefined }

    const save = Effect.flatMap(Ref.get(items), (all) => editor.write(options.uri, options.write(all)))

    const run = (say: (message: string) => Effect.Effect<void>) =>
      Effect.gen(function* () {
        while (at.source < options.sources.length) {
          const { source, from } = at
          const pages = options.sources[source]?.(from)
          if (pages === undefined) break
          yield* connections.work(
            pages.pipe(
              Stream.takeWhileEffect(() => Effect.map(Ref.get(items), ({ length }) => length < options.most)),
              Stream.runForEach(
                Effect.fnUntraced(function* (page) {
                  const all = yield* Ref.updateAndGet(items, (before) =>
                    [...before, ...page.items].slice(0, options.most)
                  )
                  at = page.next === null ? { source: source + 1, from: undefined } : { source, from: page.next }
                  yield* say(count(all.length, "{0} written", "{0} written"))
                })
              )
            )
          )
          if ((yield* Ref.get(items)).length >= options.most) break
          at = { source: Math.max(at.source, source + 1), from: undefined }
        }
      })

    for (;;) {
      const failure = yield* editor.progress(options.title, run).pipe(
        Effect.as(undefined),
        Effect.catch((failure) => Effect.succeed(failure))
      )
      yield* save
      const { length } = yield* Ref.get(items)
      if (failure === undefined) {
        const open = t("Open")
        yield* editor.notify("info", count(length, "{0} exported.", "{0} exported."), open).pipe(
          Effect.flatMap((answer) => (Option.isSome(answer) ? editor.openText(options.uri) : Effect.void)),
          Effect.ignore,
          Effect.forkDetach
        )
        return
      }
      const why = failure._tag === "Cancelled" ? t("Cancelled.") : problemOf(failure).message
      if (failure._tag !== "Cancelled") yield* editor.log("error", `export: ${failure._tag}: ${failure.message}`)
      const resume = t("Resume")
      const answer = yield* editor.notify("warning", t("{0} {1} are in the file.", why, length), resume)
      if (Option.isNone(answer)) return
    }
  })
