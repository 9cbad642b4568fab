/** Implements commands, accounts, context keys, tools for language models, and URIs of the extension. */
import { Effect, Option } from "effect"
import * as vscode from "vscode"
import type { AccountsOfEditor, CommandsOfEditor } from "../editor/Editor.ts"
import { markdownOf } from "./Conversions.ts"
import type { HostScope } from "./HostScope.ts"
import { setContext } from "./Registrations.ts"

export const commands = ({ context, registrations, run }: HostScope): AccountsOfEditor & CommandsOfEditor => ({
  command: (name, handle) => Effect.sync(() => registrations.commands.give(name, (...args) => run(handle(...args)))),
  execute: (command, ...args) =>
    Effect.tryPromise(async (): Promise<unknown> => vscode.commands.executeCommand(command, ...args)).pipe(
      Effect.orElseSucceed(() => undefined)
    ),
  setContext: (key, value) => Effect.sync(() => setContext(key, value)),
  runInTerminal: (title, program, args) =>
    Effect.promise(async () => {
      // Not the open folder, because a program may write to its working directory.
      const cwd = vscode.Uri.joinPath(context.globalStorageUri, "terminal")
      await vscode.workspace.fs.createDirectory(cwd)
      vscode.window.createTerminal({ name: title, shellPath: program, shellArgs: [...args], cwd }).show()
    }),
  onAccounts: ({ signIn, signOut }) =>
    Effect.sync(() =>
      registrations.accounts.give("accounts", {
        signIn: () => run(Effect.map(signIn, Option.getOrUndefined)),
        signOut: (profile) => run(signOut(profile))
      })
    ),
  onUri: (handle) => Effect.sync(() => registrations.uri.give("uri", ({ path }) => run(handle(path)))),
  tool: (name, { prepare, answer }) =>
    Effect.sync(() =>
      registrations.tools.give(name, {
        prepareInvocation: ({ input }) =>
          run(
            Effect.map(prepare(input), ({ title, message }) => ({
              invocationMessage: title,
              // The message quotes the input of the model: escape it, so that it is not interpreted as Markdown.
              confirmationMessages: { title, message: new vscode.MarkdownString(markdownOf(message)) }
            }))
          ),
        invoke: ({ input }, cancel) => {
          const controller = new AbortController()
          cancel.onCancellationRequested(() => controller.abort())
          return run(
            Effect.map(
              answer(input),
              ({ text }) => new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)])
            ),
            { signal: controller.signal }
          )
        }
      })
    )
})
