/** Pages of a listing that continues after items that the client cannot decode. */
import type { ApiError } from "@threat-exposure/core/client/ApiError"
import { CallOptions } from "@threat-exposure/core/client/ClientOptions"
import type { Page } from "@threat-exposure/core/domain/Page"
import { Effect, Option, Stream } from "effect"

export interface ReadablePage<A> extends Page<A> {
  /** Number of items that were left out because they cannot be decoded. */
  readonly unreadable: number
}

/** Requires that `pages` does not read ahead, like those of a client: unreadable items are counted per page. */
export const readablePages = <A>(pages: Stream.Stream<Page<A>, ApiError>): Stream.Stream<ReadablePage<A>, ApiError> =>
  Stream.suspend(() => {
    let unreadable = 0
    return pages.pipe(
      Stream.provideService(CallOptions, {
        onUnreadable: () => {
          unreadable += 1
        }
      }),
      Stream.map(({ items, next }) => {
        const page = { items, next, unreadable }
        unreadable = 0
        return page
      })
    )
  })

/** The first page only, with one request. */
export const firstReadablePage = <A>(
  pages: Stream.Stream<Page<A>, ApiError>
): Effect.Effect<ReadablePage<A>, ApiError> =>
  Effect.map(
    Stream.runHead(readablePages(pages)),
    Option.getOrElse((): ReadablePage<A> => ({ items: [], next: null, unreadable: 0 }))
  )
