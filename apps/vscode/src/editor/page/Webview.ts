/** A webview: HTML in a separate frame, which sends messages to the extension. */
import { type Effect, Option, Schema, Stream } from "effect"
import type { Html } from "./Html.ts"

export interface WebviewContent {
  readonly body: Html
  /** JSON state from which the page is restored when the window reloads. */
  readonly state: unknown
  /** Title of the panel's tab. */
  readonly title?: string
  /** Key by which `openWebview` finds the panel. */
  readonly key?: string
}

export interface Webview {
  /** Replaces the content. Focus, scroll position and open `details` are kept for elements with ids. */
  readonly show: (content: WebviewContent) => Effect.Effect<void>
  /** Messages from the page, not decoded. */
  readonly messages: Stream.Stream<unknown>
  readonly visible: Effect.Effect<boolean>
  /** Emits whenever the webview is shown or hidden. */
  readonly visibility: Stream.Stream<boolean>
}

/**
 * Shows pages in one webview until it closes. `state` is the state that the page stored, or with which it was opened.
 */
export type ShowPage = (webview: Webview, state: unknown) => Effect.Effect<void>

/** Emits when ages on the page become wrong: when it becomes visible, and every minute while it is. */
export const agesChange = ({ visibility, visible }: Webview): Stream.Stream<unknown> =>
  Stream.merge(
    Stream.filter(visibility, (isVisible) => isVisible),
    Stream.filterEffect(Stream.drop(Stream.tick("1 minute"), 1), () => visible)
  )

/** Messages that match the schema; others are dropped. */
export const messagesOf = <A>({ messages }: Webview, schema: Schema.Codec<A, unknown>): Stream.Stream<A> => {
  const decode = Schema.decodeUnknownOption(schema)
  return Stream.flatMap(messages, (message) =>
    Option.match(decode(message), { onNone: () => Stream.empty, onSome: (known) => Stream.succeed(known) })
  )
}
