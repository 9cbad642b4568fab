/** Implements messages, progress, the status bar and the log. */
import { Deferred, Effect, Option } from "effect"
import * as vscode from "vscode"
import { Cancelled, type MessagesOfEditor } from "../editor/Editor.ts"
import { messageText } from "./Conversions.ts"
import type { HostScope } from "./HostScope.ts"
import { showStatus } from "./Registrations.ts"

export const messages = ({ log, registrations, start }: HostScope): MessagesOfEditor => ({
  notify: <A extends string>(level: "info" | "warning" | "error", message: string, ...actions: ReadonlyArray<A>) =>
    Effect.promise(async () => {
      const text = messageText(message)
      if (level === "info") return vscode.window.showInformationMessage(text, ...actions)
      if (level === "warning") return vscode.window.showWarningMessage(text, ...actions)
      return vscode.window.showErrorMessage(text, ...actions)
    }).pipe(Effect.map(Option.fromUndefinedOr)),
  progress: Effect.fnUntraced(function* (title, effect, after = "400 millis") {
    const cancelled = yield* Deferred.make<never, Cancelled>()
    const done = Promise.withResolvers<void>()
    let shown: vscode.Progress<{ readonly message?: string; readonly increment?: number }> | undefined
    let last: string | undefined
    let reached = 0
    const show = Effect.sync(() => {
      vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: messageText(title), cancellable: true },
        (progress, cancel) => {
          shown = progress
          if (last !== undefined) progress.report({ message: last, increment: reached })
          cancel.onCancellationRequested(() => start(Deferred.fail(cancelled, new Cancelled({}))))
          return done.promise
        }
      )
    })
    const report = (message: string, percent = reached) =>
      Effect.sync(() => {
        const increment = Math.max(0, percent - reached)
        reached += increment
        last = messageText(message)
        shown?.report({ message: last, increment })
      })
    return yield* effect(report).pipe(
      Effect.raceFirst(Deferred.await(cancelled)),
      Effect.raceFirst(Effect.andThen(Effect.delay(show, after), Effect.never)),
      Effect.ensuring(Effect.sync(() => done.resolve()))
    )
  }),
  status: (item) => Effect.sync(() => showStatus(registrations.status, item)),
  log: (level, line) => Effect.sync(() => log[level](line)),
  showLog: Effect.sync(() => log.show(true))
})
