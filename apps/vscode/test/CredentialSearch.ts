/** Searches credentials like a person: opens the form, fills it in, and presses Search. */
import { Effect } from "effect"
import { emptyForm } from "../src/credentials/CredentialSearchForm.ts"
import type { SearchValues } from "../src/credentials/CredentialMessage.ts"
import { type EditorDouble, ShownWebview } from "./EditorDouble.ts"
import { whileTimePasses } from "./Running.ts"

export const shownPage = Effect.fnUntraced(function* (editor: EditorDouble, kind: string, id: string) {
  const panel = new ShownWebview()
  const showPage = editor.webviews.get(kind)
  if (showPage !== undefined) yield* Effect.forkScoped(showPage(panel.webview, { id }), { startImmediately: true })
  yield* whileTimePasses(Effect.void)
  return { panel, send: (message: unknown) => whileTimePasses(panel.send(message)) }
})

/** Returns the panel with the results, and the id of the search. */
export const searchCredentials = Effect.fnUntraced(function* (editor: EditorDouble, values: Partial<SearchValues>) {
  yield* whileTimePasses(editor.commands.get("credentials.search")?.() ?? Effect.void)
  const page = yield* shownPage(editor, "credentials", editor.opened.at(-1)?.replace("credentials ", "") ?? "")
  yield* page.send({ _tag: "Search", values: { ...emptyForm, ...values } })
  return { ...page, id: page.panel.shown.at(-1)?.key ?? "" }
})
