/** A webview: HTML in a separate frame, which sends messages to the extension. */
import { type Effect, Option, Schema, Stream } from "effect"
import type { Html } from "./Html.ts"

export interface WebviewContent {
  readonly body: Html
  /** State, as JSON, from which the page is opened again after a reload of the window. */
  readonly state: unknown
  /** For a panel: its tab's title. */
  readonly title?: string
  /** For a panel: the key that `openWebview` finds it by. */
  readonly key?: string
}

export interface Webview {
  /** Focus, scroll position and open `details` stay where the elements have ids. */
  readonly show: (content: WebviewContent) => Effect.Effect<void>
  /** As the page sends them. */
  readonly messages: Stream.Stream<unknown>
  readonly visible: Effect.Effect<boolean>
  /** Each time it is shown or hidden. */
  readonly visibility: Stream.Stream<boolean>
}

/** Shows pages in one webview until it is closed. `state` is what the page kept before, or what it was opened with. */
export type ShowPage = (webview: Webview, state: unknown) => Effect.Effect<void>

/** The messages that the schema knows; others are dropped. */
export const messagesOf = <A>({ messages }: Webview, schema: Schema.Codec<A, unknown>): Stream.Stream<A> => {
  const decode = Schema.decodeUnknownOption(schema)
  return Stream.flatMap(messages, (message) =>
    Option.match(decode(message), { onNone: () => Stream.empty, onSome: (known) => Stream.succeed(known) })
  )
}
