/** Waits for the answer to a threat intelligence question, and renders it as a page. */
import { Intel } from "@threat-exposure/core/client/Intel"
import type { IntelAnswer } from "@threat-exposure/core/domain/Intel"
import { Effect, Option } from "effect"
import { type BoundConnection, Connections } from "../connection/Connections.ts"
import { Editor } from "../editor/Editor.ts"
import { type Page, Pages } from "../editor/page/Pages.ts"
import { PageWriter } from "../editor/page/PageWriter.ts"
import { t } from "../words/Localisation.ts"
import { follow } from "./Polling.ts"

const answerTo = (id: string) => Effect.flatMap(Intel, (service) => service.get(id))

/** Maximum number of links to events; the page lists the uids of all. */
const maxLinks = 100

/** Notifies the person of the answer, and offers to show it. */
export const followQuestion = Effect.fnUntraced(function* (connection: BoundConnection, id: string) {
  const editor = yield* Editor
  const pages = yield* Pages
  const answer = yield* follow(
    "intel",
    connection.work(answerTo(id)),
    ({ status }) => status === "completed" || status === "error",
    (reason) => t("Your question {0} is no longer followed: {1}", id, reason)
  )
  if (answer === undefined) return
  if (answer.status === "error") {
    yield* editor.notify("error", t("The service could not answer the question {0}.", id))
    return
  }
  const pressed = yield* editor.notify("info", t("Your question {0} is answered.", id), t("Show Answer"))
  if (Option.isSome(pressed)) yield* Effect.ignore(pages.open("intel", id, answer.report?.title ?? t("Answer")))
})

/** The page with the answer to the question with this id. */
export const intelPage = Effect.fnUntraced(function* (id: string) {
  const connections = yield* Connections
  return pageOf(yield* connections.ask(answerTo(id)))
})

const pageOf = ({ report }: IntelAnswer): Page => {
  if (report === null) {
    return { written: new PageWriter().heading(1, t("Answer")).paragraph(t("There is no answer yet.")).done() }
  }
  const { content, highlights, related_activity_uids: uids, subtitle, summary, tags, title } = report
  const writer = new PageWriter().heading(1, title ?? t("Answer"))
  if (subtitle !== null && subtitle !== "") writer.aside(subtitle)
  if (summary !== null && summary !== "") writer.block(t("Summary"), summary)
  if (highlights.length > 0) writer.list(t("Highlights"), highlights)
  if (content !== null && content !== "") writer.block(t("Answer"), content)
  if (tags.length > 0) writer.list(t("Tags"), tags)
  if (uids.length > 0) writer.list(t("Events"), uids)
  const written = writer.done()
  // The uids are the last lines of the text.
  const firstLine = written.text.trimEnd().split("\n").length - uids.length
  return {
    written,
    lenses: uids.slice(0, maxLinks).map((uid, index) => ({
      line: firstLine + index,
      command: { name: "events.openPage", title: `$(pulse) ${t("Open the event")}`, args: [uid] }
    }))
  }
}
