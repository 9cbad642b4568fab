/**
 * A listing, page after page: while one page is consumed, the next is already
 * on its way, and never more than that one.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import type * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Cursor, Page } from "../domain/Page.ts"
import { type ApiError, CursorLoop } from "./ApiError.ts"
import type { ApiResponse } from "./Call.ts"

export interface Listing<A> {
  /** The method that was called, such as `Credentials.search`. */
  readonly operation: string
  /** Where to begin: null for the first page. */
  readonly from: Cursor | null
  readonly fetch: (from: Cursor | null) => Effect.Effect<ApiResponse, ApiError>
  readonly decode: (response: ApiResponse, from: Cursor | null) => Effect.Effect<Page<A>, ApiError>
}

/** Every item, with the pages as the stream's chunks. Empty pages are passed over. */
export const itemsOf = <A>(listing: Effect.Effect<Listing<A>, ApiError>): Stream.Stream<A, ApiError> =>
  streamOf(listing, (pull) => {
    const next: Pull.Pull<Arr.NonEmptyReadonlyArray<A>, ApiError> = Effect.flatMap(pull, ({ items }) =>
      Arr.isReadonlyArrayNonEmpty(items) ? Effect.succeed(items) : next
    )
    return next
  })

/** Every page, the empty ones included. */
export const pagesOf = <A>(listing: Effect.Effect<Listing<A>, ApiError>): Stream.Stream<Page<A>, ApiError> =>
  streamOf(listing, (pull) => Effect.map(pull, (page) => Arr.of(page)))

const streamOf = <A, B>(
  listing: Effect.Effect<Listing<A>, ApiError>,
  chunks: (pull: Pull.Pull<Page<A>, ApiError>) => Pull.Pull<Arr.NonEmptyReadonlyArray<B>, ApiError>
): Stream.Stream<B, ApiError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      return Stream.fromPull(Effect.succeed(chunks(pullPages(yield* listing, scope))))
    })
  )

type Step =
  | {
      readonly _tag: "Fetch"
      readonly from: Cursor | null
      /** The request, when it is on its way already. */
      readonly ahead: Fiber.Fiber<ApiResponse, ApiError> | undefined
    }
  | { readonly _tag: "Loop"; readonly from: Cursor }
  | { readonly _tag: "End" }

const pullPages = <A>(
  { decode, fetch, from, operation }: Listing<A>,
  scope: Scope.Scope
): Pull.Pull<Page<A>, ApiError> => {
  const seen = new Set(from === null ? [] : [from])
  let step: Step = { _tag: "Fetch", from, ahead: undefined }
  let isFirst = true

  return Effect.gen(function* () {
    if (step._tag === "End") return yield* Cause.done()
    if (step._tag === "Loop") return yield* new CursorLoop({ operation, from: step.from })
    const present = step
    const response = yield* present.ahead === undefined ? fetch(present.from) : Fiber.join(present.ahead)

    // Whoever asked for a second page will likely ask for a third: the service
    // can work on it while this one is parsed.
    const likely = isFirst ? undefined : cursorIn(response)
    let ahead: Fiber.Fiber<ApiResponse, ApiError> | undefined
    if (likely !== undefined && !seen.has(likely)) {
      ahead = yield* Effect.forkIn(fetch(likely), scope)
      yield* requestWritten
    }

    const page = yield* decode(response, present.from)
    const { next } = page
    if (next === null) {
      step = { _tag: "End" }
    } else if (seen.has(next)) {
      step = { _tag: "Loop", from: next }
    } else {
      seen.add(next)
      // After a first page many stop. Those who stop at once, as `take` does,
      // close the scope before the request is made and so pay for none.
      ahead ??= yield* Effect.forkIn(Effect.andThen(Effect.yieldNow, fetch(next)), scope)
      step = { _tag: "Fetch", from: next, ahead }
    }
    isFirst = false
    return page
  })
}

/** The cursor, as it stands in a page that is yet to be decoded. */
const cursorIn = ({ body }: ApiResponse): Cursor | undefined => {
  const page = Result.getOrUndefined(body)
  return Predicate.isObject(page) && typeof page.next === "string" ? page.next : undefined
}

/** Turns of the event loop in which a request gets from `fetch` to the socket; parsing a large page holds the loop up. */
const requestWritten = Effect.forEach(Array.from({ length: 6 }), () => Effect.yieldNow, { discard: true })
