import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import * as Stream from "effect/Stream"
import type { Page } from "../domain/Page.ts"
import type { Scrubber } from "./Scrubber.ts"

export interface ResponseHead {
  readonly status: number
  /** Headers by name in lower case, except those that hold a secret. */
  readonly headers: Readonly<Record<string, string>>
}

export interface WithResponse<A> {
  readonly data: A
  /** The head of the last response, if the call needed several. */
  readonly response: ResponseHead
}

/** Called with the head of each response to a call. */
export const OnResponseHead = Context.Reference<((head: ResponseHead) => void) | undefined>(
  "@threat-exposure/core/transport/Received/OnResponseHead",
  { defaultValue: () => undefined }
)

/** Whether pages of a listing contain their items as received, without decoding. */
export const RawItems = Context.Reference<boolean>("@threat-exposure/core/transport/Received/RawItems", {
  defaultValue: () => false
})

/** The value of a call, with the status and headers of its response. */
export const withResponse = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<WithResponse<A>, E, R> =>
  Effect.suspend(() => {
    let response: ResponseHead = { status: 0, headers: {} }
    return Effect.map(
      Effect.provideService(call, OnResponseHead, (head) => {
        response = head
      }),
      (data) => ({ data, response })
    )
  })

/** The pages of a listing, each with the status and headers of its response. */
export const pagesWithResponse = <A, E, R>(pages: Stream.Stream<A, E, R>): Stream.Stream<WithResponse<A>, E, R> =>
  Stream.suspend(() => {
    let response: ResponseHead = { status: 0, headers: {} }
    return pages.pipe(
      Stream.map((data) => ({ data, response })),
      Stream.provideService(OnResponseHead, (head) => {
        response = head
      })
    )
  })

/** The pages of a listing with their items as received: nothing is decoded or left out, and secrets are plain text. */
export const rawPages = <A, E, R>(pages: Stream.Stream<Page<A>, E, R>): Stream.Stream<Page<unknown>, E, R> =>
  Stream.provideService(pages, RawItems, true)

/** Names of headers that may hold a credential. */
const secretHeader = /auth|cookie|token|secret|session|api-?key|signature|credential/u

export const responseHead = (status: number, headers: Headers.Headers, scrubber: Scrubber): ResponseHead => ({
  status,
  headers: Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !secretHeader.test(name))
      .map(([name, value]) => [name, scrubber.text(value)])
  )
})
