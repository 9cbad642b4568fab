/** Bundle part that the first page of a record loads: shows a record in a panel. */
import { Effect, Option, Result, Schema, Stream } from "effect"
import type { Connections } from "../connection/Connections.ts"
import { Profiles } from "../connection/Profiles.ts"
import { Editor } from "../editor/Editor.ts"
import { problemOf } from "../editor/Problem.ts"
import { hiding, masking, Settings } from "../editor/Settings.ts"
import { TreeNode } from "../editor/tree/TreeNode.ts"
import { makePageContent } from "../editor/page/PageContent.ts"
import { messagesOf, type Webview } from "../editor/page/Webview.ts"
import { PolicyList } from "../policies/PolicyList.ts"
import { Register } from "../register/Register.ts"
import { loadRecord, type RecordDocument } from "./RecordDocument.ts"
import { failedHtml, loadingHtml, recordHtml } from "./RecordHtml.ts"
import { RecordMessage } from "./RecordMessage.ts"
import { keyOf, openRecord, RecordName } from "./RecordPanel.ts"

export type RecordServices = Connections | Editor | PolicyList | Profiles | Register | Settings

export const showRecord = (webview: Webview, state: unknown): Effect.Effect<void, never, RecordServices> =>
  Option.match(Schema.decodeUnknownOption(RecordName)(state), {
    onNone: () => Effect.void,
    onSome: (name) => Effect.scoped(run(webview, name))
  })

const run = Effect.fnUntraced(function* (webview: Webview, name: RecordName) {
  const editor = yield* Editor
  const settings = yield* Settings
  const scope = yield* Effect.scope
  const { cancel, draw, load, loadAnew, outcome } = yield* makePageContent<RecordDocument, RecordServices>(
    name.kind,
    Effect.flatMap(hiding, (hide) => loadRecord(name, hide)),
    (outcome) => {
      const panel = { state: name, key: keyOf(name) }
      if (outcome === undefined) return webview.show({ ...panel, body: loadingHtml() })
      return Result.match(outcome, {
        onFailure: (failure) => webview.show({ ...panel, body: failedHtml(problemOf(failure)) }),
        onSuccess: (record) => webview.show({ ...panel, title: record.title, body: recordHtml(record) })
      })
    }
  )

  const subject = () => {
    const shown = outcome()
    return shown === undefined ? undefined : Option.getOrUndefined(Result.getSuccess(shown))?.subject
  }

  yield* draw
  yield* load
  yield* Stream.mergeAll([(yield* Register).outdated, (yield* PolicyList).outdated, settings.changesOf(masking)], {
    concurrency: "unbounded"
  }).pipe(
    Stream.runForEach(() => load),
    Effect.forkScoped({ startImmediately: true })
  )
  yield* (yield* Profiles).changes.pipe(
    // Hide the record of the previous tenant while loading.
    Stream.runForEach(() => loadAnew),
    Effect.forkScoped({ startImmediately: true })
  )

  yield* Stream.runForEach(messagesOf(webview, RecordMessage), (message) =>
    Effect.suspend((): Effect.Effect<unknown, never, RecordServices> => {
      const record = subject()
      switch (message._tag) {
        case "Run": {
          if (record === undefined) return Effect.void
          const row = new TreeNode({ id: keyOf(name), label: "", state: "leaf" }, { subject: record })
          const command = editor.execute(`threatExposure.${message.command}`, row)
          // Runs in the background, because the command may ask the person something.
          return Effect.forkIn(name.kind === "recommendation" ? Effect.andThen(command, load) : command, scope)
        }
        case "Open":
          return openRecord({ kind: message.kind, id: message.id })
        case "Cancel":
          return cancel
        case "OpenEvent":
          return editor.execute("threatExposure.events.openPage", message.uid)
        case "Copy": {
          const { copied } = record ?? {}
          if (copied === undefined) return Effect.void
          return editor.copy(message.what === "id" ? copied.id : JSON.stringify(copied.json, undefined, 2))
        }
        case "Retry":
          return load
        case "ShowLog":
          return editor.showLog
        case "SignIn":
          // Runs in the background, because the command asks the person something.
          return Effect.forkIn(editor.execute("threatExposure.signIn"), scope)
      }
    })
  )
})
