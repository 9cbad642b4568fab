import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Cursor, Page } from "../domain/Page.ts"
import { inOneLine } from "../domain/schema/SchemaFaults.ts"
import { type ApiError, CursorLoop, type FailureContext, UnexpectedResponse } from "./ApiError.ts"
import { responseContext } from "./Call.ts"
import { type CallLimits, CallOptions } from "./ClientOptions.ts"
import type { Operation, Parts } from "./Operation.ts"
import { type PageReading, readList, readPage, readRawPage } from "./PageReader.ts"
import type { PageSize } from "./PageSize.ts"
import { RawItems } from "./Received.ts"
import type { Body } from "./ResponseBody.ts"
import type { Transport } from "./Transport.ts"

export interface Listing<A> {
  readonly from: Cursor | null
  /** Whether items are read one page ahead. */
  readonly readAhead: boolean
  /** The client's handler, which applies unless the call has its own. */
  readonly onUnreadable: CallLimits["onUnreadable"]
  readonly fetch: (from: Cursor | null) => Effect.Effect<Fetched<A>, ApiError>
}

interface Fetched<A> extends PageReading<A> {
  readonly context: () => FailureContext & { readonly status: number }
}

/** A listing whose pages differ only in `from` and, with `size`, in their size. */
export const listing = <R extends { readonly from?: Cursor | null | undefined }>(
  transport: Transport,
  operation: Operation<Page<unknown>>,
  request: R,
  parts: (request: R & { readonly from: Cursor | undefined }) => Parts,
  size?: PageSize
): Listing<unknown> => ({
  from: request.from ?? null,
  readAhead: operation.costsQuota ? transport.readAhead : true,
  onUnreadable: transport.onUnreadable,
  fetch: (from) =>
    Effect.suspend(() => operation.call(parts({ ...request, from: from ?? undefined }), from)).pipe(
      Effect.flatMap((call) =>
        Effect.flatMap(
          transport.send(
            size === undefined
              ? call
              : {
                  ...call,
                  body: size.applyTo(call.body),
                  smaller: () => (size.halve() ? size.applyTo(call.body) : undefined)
                }
          ),
          (response) => {
            size?.recordSuccess()
            const decode = (body: Body) => operation.read({ ...response, body }, call, transport.linkField)
            return Effect.map(
              Effect.flatMap(RawItems, (isRaw) => (isRaw ? readRawPage : readPage)(response.body, decode)),
              (reading) => ({ ...reading, context: () => responseContext(response, call) })
            )
          }
        )
      ),
      Effect.withSpan(operation.name)
    )
})

/** Streams all items, with one chunk per page. Empty pages are skipped. */
export const itemsOf = <A>(listing: Effect.Effect<Listing<A>, ApiError>): Stream.Stream<A, ApiError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const opened = yield* listing
      const pull = pullPages(opened, opened.readAhead ? yield* Effect.scope : undefined)
      const next: Pull.Pull<Arr.NonEmptyReadonlyArray<A>, ApiError> = Effect.flatMap(pull, ({ items }) =>
        Arr.isReadonlyArrayNonEmpty(items) ? Effect.succeed(items) : next
      )
      return Stream.fromPull(Effect.succeed(next))
    })
  )

/** Includes empty pages. Never reads ahead, because callers often stop after a page and resume later. */
export const pagesOf = <A>(listing: Effect.Effect<Listing<A>, ApiError>): Stream.Stream<Page<A>, ApiError> =>
  Stream.unwrap(
    Effect.map(listing, (opened) => Stream.fromPull(Effect.succeed(Effect.map(pullPages(opened, undefined), Arr.of))))
  )

/** All items of an unpaged list. Without a handler, it fails if one item cannot be decoded. */
export const listOf = <A>(
  transport: Transport,
  operation: Operation<ReadonlyArray<A>>,
  parts: Parts
): Effect.Effect<ReadonlyArray<A>, ApiError> =>
  Effect.gen(function* () {
    const call = yield* operation.call(parts)
    const response = yield* transport.send(call)
    const { page, unreadable } = yield* readList(response.body, (body) =>
      operation.read({ ...response, body }, call, transport.linkField)
    )
    const context = () => responseContext(response, call)
    const error = yield* reportUnreadable(unreadable, context, transport.onUnreadable)
    return error === undefined ? page.items : yield* Effect.fail(error)
  }).pipe(Effect.withSpan(operation.name))

type Step<A> =
  | { readonly _tag: "Fetch"; readonly fetched: Effect.Effect<Fetched<A>, ApiError> }
  | { readonly _tag: "Failed"; readonly error: ApiError }
  | { readonly _tag: "End" }

/** Consecutive empty pages: a service that only sends such pages would be queried forever. */
const maxEmptyPages = 1000

/** Pulls pages in sequence. With `ahead`, a scope, the page after the pulled one is already fetched. */
const pullPages = <A>(
  { fetch, from, onUnreadable }: Listing<A>,
  ahead: Scope.Scope | undefined
): Pull.Pull<Page<A>, ApiError> => {
  const seen = new Set(from === null ? [] : [from])
  let step: Step<A> = { _tag: "Fetch", fetched: fetch(from) }
  let emptyPages = 0

  /** Determines the next step from the cursor and the faults of a page. */
  const after = ({ context, page: { items, next }, unreadable }: Fetched<A>, error: UnexpectedResponse | undefined) => {
    if (error !== undefined) {
      // An empty page would look as if nothing had been found.
      return items.length === 0 ? Effect.fail(error) : Effect.succeed<Step<A>>({ _tag: "Failed", error })
    }
    if (next === null) return Effect.succeed<Step<A>>({ _tag: "End" })
    if (seen.has(next)) {
      return Effect.succeed<Step<A>>({ _tag: "Failed", error: new CursorLoop({ ...context(), from: next }) })
    }
    seen.add(next)
    emptyPages = items.length + unreadable.length === 0 ? emptyPages + 1 : 0
    if (emptyPages === maxEmptyPages) {
      const reason = `${maxEmptyPages} pages in a row are empty, each with another cursor; the listing can be continued from the last`
      return Effect.succeed<Step<A>>({
        _tag: "Failed",
        error: new UnexpectedResponse({ ...context(), from: next, reason })
      })
    }
    // Created lazily: most readers of pages stop here.
    const fetched = Effect.suspend(() => fetch(next))
    if (ahead === undefined) return Effect.succeed<Step<A>>({ _tag: "Fetch", fetched })
    // If a reader stops on this page, as `take` does, it closes the scope before the request is sent.
    return Effect.map(Effect.forkIn(Effect.andThen(Effect.yieldNow, fetched), ahead), (fiber): Step<A> => ({
      _tag: "Fetch",
      fetched: Fiber.join(fiber)
    }))
  }

  return Effect.suspend((): Pull.Pull<Page<A>, ApiError> => {
    if (step._tag === "End") return Cause.done()
    if (step._tag === "Failed") return Effect.fail(step.error)
    return Effect.flatMap(step.fetched, (fetched) => {
      const { context, page, unreadable } = fetched
      return reportUnreadable(unreadable, () => ({ ...context(), next: page.next }), onUnreadable).pipe(
        Effect.flatMap((error) => after(fetched, error)),
        Effect.map((next) => {
          step = next
          return page
        })
      )
    })
  })
}

/** Calls the handler of the call, or that of the client. Without a handler, returns an error for the items. */
const reportUnreadable = (
  unreadable: PageReading<unknown>["unreadable"],
  context: () => ReturnType<Fetched<unknown>["context"]> & { readonly next?: Cursor | null },
  onUnreadable: CallLimits["onUnreadable"]
): Effect.Effect<UnexpectedResponse | undefined> =>
  Effect.map(CallOptions, (options) => {
    if (unreadable.length === 0) return undefined
    const report = options.onUnreadable ?? onUnreadable
    if (report === undefined) {
      const faults = unreadable.flatMap(({ faults }) => faults)
      const count = unreadable.length === 1 ? "an item" : `${unreadable.length} items`
      return new UnexpectedResponse({ ...context(), faults, reason: `${count} cannot be read: ${inOneLine(faults)}` })
    }
    const { from = null } = context()
    for (const { item } of unreadable) report({ from, ...item })
    return undefined
  })
