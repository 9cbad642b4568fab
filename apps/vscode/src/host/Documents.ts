/** Open files: their text, and edits of it. */
import { Effect, Option, Stream } from "effect"
import * as vscode from "vscode"
import { type DocumentsOfEditor, FileFailure, type OpenText } from "../editor/Editor.ts"
import { range, reason, span } from "./Conversions.ts"
import { listen } from "./HostScope.ts"
import { scheme } from "./Registrations.ts"

export const documents = (): DocumentsOfEditor => ({
  openText: (uri, span) =>
    Effect.tryPromise({
      try: async () => {
        const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri))
        await vscode.window.showTextDocument(document, span === undefined ? {} : { selection: range(span) })
      },
      catch: (cause) => new FileFailure({ operation: "read", uri, reason: reason(cause) })
    }),
  activeText: Effect.sync(() => {
    const editor = vscode.window.activeTextEditor
    return editor === undefined || editor.document.uri.scheme === scheme
      ? Option.none()
      : Option.some(openText(editor.document, editor.selection))
  }),
  textOf: (uri) =>
    Effect.tryPromise({
      try: async () => openText(await vscode.workspace.openTextDocument(vscode.Uri.parse(uri))),
      catch: (cause) => new FileFailure({ operation: "read", uri, reason: reason(cause) })
    }),
  typed: Stream.merge(
    Stream.suspend(() => Stream.fromIterable(vscode.workspace.textDocuments.filter(onDisk).map(typedText))),
    Stream.merge(
      listen(vscode.workspace.onDidOpenTextDocument, (document) => document),
      listen(vscode.workspace.onDidChangeTextDocument, (event) => event.document)
    ).pipe(Stream.filter(onDisk), Stream.map(typedText))
  ),
  closed: listen(vscode.workspace.onDidCloseTextDocument, (document) => document.uri.toString()),

  replace: (uri, span, text) =>
    Effect.promise(async () => {
      const edit = new vscode.WorkspaceEdit()
      edit.replace(vscode.Uri.parse(uri), range(span), text)
      await vscode.workspace.applyEdit(edit)
    })
})

const onDisk = (document: vscode.TextDocument) =>
  !document.isClosed &&
  document.uri.scheme !== scheme &&
  document.uri.scheme !== "output" &&
  document.uri.scheme !== "git"

const openText = (document: vscode.TextDocument, selection?: vscode.Range): OpenText => ({
  ...withoutText(document),
  text: document.getText(),
  selection: span(selection ?? new vscode.Range(0, 0, 0, 0)),
  selected: selection === undefined ? "" : document.getText(selection)
})

/** Its text is put together when somebody asks for it: that is not at every key in every file. */
const typedText = (document: vscode.TextDocument): OpenText => ({
  ...withoutText(document),
  get text() {
    return document.getText()
  },
  selection: span(new vscode.Range(0, 0, 0, 0)),
  selected: ""
})

const withoutText = (document: vscode.TextDocument) => ({
  uri: document.uri.toString(),
  path: vscode.workspace.asRelativePath(document.uri, false),
  version: document.version,
  languageId: document.languageId
})
