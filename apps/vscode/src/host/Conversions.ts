/** Between the plain values of the extension and those of the API. */
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

/** The editor makes links of Markdown in a message, commands among them, and names in it come from a service. */
export const messageText = (message: string) => onItsLines(message).replaceAll("](", "] (")

/**
 * Markdown that shows the text as it is. The editor's own escaping makes every space non-breaking, so that lines break within
 * words. Here, only spaces that could begin a list or a code block are non-breaking.
 */
export const markdownOf = (text: string): string =>
  new vscode.MarkdownString().appendText(text).value.replaceAll(/(?<!^|&nbsp;|^\d+\\?[.)])&nbsp;(?!&nbsp;)/gmu, " ")

export const fileFailure = (operation: FileFailure["operation"], uri: string, cause: unknown): FileFailure =>
  new FileFailure({
    operation,
    uri,
    // Without the address, which the caller names.
    reason: (cause instanceof Error ? cause.message : String(cause)).replace(/^cannot open \S+\. Detail: /u, ""),
    isMissing: cause instanceof vscode.FileSystemError && cause.code === "FileNotFound"
  })
