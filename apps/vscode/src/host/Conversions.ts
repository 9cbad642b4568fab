/** Converts between the extension's plain values and those of the `vscode` API. */
import * as vscode from "vscode"
import { FileFailure, type Span } from "../editor/Editor.ts"
import type { CommandLink } from "../editor/tree/Row.ts"
import { onItsLines } from "../words/HiddenCharacters.ts"

export const link = ({ name, title, args }: CommandLink): vscode.Command => ({
  command: `threatExposure.${name}`,
  title,
  arguments: [...(args ?? [])]
})

export const range = ({ start, end }: Span) => new vscode.Range(start.line, start.character, end.line, end.character)

export const span = ({ start, end }: vscode.Range): Span => ({
  start: { line: start.line, character: start.character },
  end: { line: end.line, character: end.character }
})

/**
 * The editor turns Markdown links in a message into links, including commands. Names from a service must not create
 * any.
 */
export const messageText = (message: string) => onItsLines(message).replaceAll("](", "] (")

/**
 * Escapes a text for Markdown. The editor's own escaping makes every space non-breaking, so that lines break within
 * words; here only spaces that could begin a list or a code block are non-breaking.
 */
export const markdownOf = (text: string): string =>
  new vscode.MarkdownString().appendText(text).value.replaceAll(/(?<!^|&nbsp;|^\d+\\?[.)])&nbsp;(?!&nbsp;)/gmu, " ")

export const fileFailure = (operation: FileFailure["operation"], uri: string, cause: unknown): FileFailure =>
  new FileFailure({
    operation,
    uri,
    // Without the URI, which the caller adds.
    reason: (cause instanceof Error ? cause.message : String(cause)).replace(/^cannot open \S+\. Detail: /u, ""),
    isMissing: cause instanceof vscode.FileSystemError && cause.code === "FileNotFound"
  })
